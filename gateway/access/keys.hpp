// Finds the keys that a caller sends, and chooses the key for each target. [pure] These rules are a promise to users. A
// caller's own keys have priority. The operator's keys are added to them only if the operator allows this.
//
// A bearer token is either a plain key or a keyring:
// - A plain key is one text: sk-abc123, eyJhbGciOi..., YWJjZA==. It is an access key, or a provider's
//   key if accept_bearer allows this.
// - A keyring contains provider keys by name, for one "API key" box: groq=KEY,cerebras=KEY,photofinish=KEY.
// A token is a keyring if one of its comma-separated parts begins with a known name and `=`. It is also a keyring if
// each part is `name=value` with a lower-case name and a value beyond base64's padding. Therefore `abcd==` counts as a
// plain key, and a keyring with a typing error is refused instead of being used as one long key.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/http/refusal.hpp"
#include "proxy/failures/secret.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/providers/provider.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace photofinish::gateway {

// The name in a keyring for this gateway's access key.
constexpr std::string_view own_name = "photofinish";

struct presented_keys {
  std::optional<proxy::secret> bearer;      // the plain token
  std::optional<key_digest> bearer_digest;  // the token's digest; set after the search among access keys
  std::optional<proxy::secret> access_key;  // the key from x-photofinish-key, or from `photofinish=` in a keyring
  std::map<std::string, proxy::secret, std::less<>> by_provider;
};

// Returns the access key that equals the bearer token, or null.
const access_key* opened_by_bearer(const presented_keys& presented, const config& configured);

// Reads Authorization (if it is absent, api-key), x-photofinish-key and x-provider-key-<provider>. If none of them
// contains a key, it reads x-api-key, which Anthropic's clients send. Like api-key, x-api-key counts as a bearer token.
// Refuses invalid keys with 401: an unknown provider's name (which the error shows, but never a value), an empty key,
// or two different keys for one name. A scheme other than Bearer counts as no key.
std::variant<presented_keys, refusal> read_keys(std::span<const proxy::header_field> fields,
                                                const config& configured);

enum class key_source {
  own,         // the target gets the key of the caller
  configured,  // the target gets the key of the operator
  not_needed,  // the provider accepts requests without a key: send no Authorization
  none,        // there is no key, so the target is skipped
};

struct chosen_key {
  key_source source = key_source::none;
  // The key is empty for `not_needed` and `none`. It is also empty if the configured key expires, because each attempt
  // then gets a key of its own.
  proxy::secret key;
};

// Chooses the key for a provider. `targets` are all targets of the request. A plain bearer token is a provider's
// key only if three conditions hold: accept_bearer allows it, no other provider is in the race, and the token is
// not one of our access keys.
chosen_key key_for(const proxy::provider& provider, const presented_keys& presented, const config& configured,
                   std::span<const target_name> targets);

// Returns a 401 if every target was skipped because it had no key. The error explains how to send one.
refusal no_key_for(std::span<const target_name> targets, const config& configured);

}  // namespace photofinish::gateway
