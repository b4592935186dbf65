// Finds the keys that a caller sends, and chooses the key for each target. [pure] Users rely on these rules. A caller's
// own keys have priority. The operator's keys are used in addition only if the operator allows this.
//
// A bearer token is either a plain key or a keyring:
// - A plain key is one text: sk-abc123, eyJhbGciOi..., YWJjZA==. It is an access key, or a provider's
//   key if accept_bearer allows this.
// - A keyring contains provider keys by name, for one "API key" box: groq=KEY,cerebras=KEY,photofinish=KEY.
// A token is a keyring if one of its comma-separated parts begins with a known name and `=`. It is also a keyring if
// each part is `name=value` with a lower-case name, and no value is only base64 padding. Therefore `abcd==` counts as a
// plain key. A keyring with a typing error is refused, and is not used as one long key.
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

// The name under which a keyring contains the access key for this gateway.
constexpr std::string_view own_name = "photofinish";

struct presented_keys {
  std::optional<proxy::secret> bearer;      // the bearer token, if it is not a keyring
  std::optional<key_digest> bearer_digest;  // the token's digest; set after the token was compared with the access keys
  std::optional<proxy::secret> access_key;  // the key from x-photofinish-key, or from `photofinish=` in a keyring
  std::map<std::string, proxy::secret, std::less<>> by_provider;
};

// Returns the access key that is equal to the bearer token. Returns null if there is none.
const access_key* opened_by_bearer(const presented_keys& presented, const config& configured);

// Reads the keys from Authorization, x-photofinish-key and x-provider-key-<provider>. If there is no Authorization,
// reads api-key in its place. If no key was found, reads x-api-key, which Anthropic's clients send. Keys in api-key and
// x-api-key count as bearer tokens. An Authorization with a scheme other than Bearer contains no key. Returns a 401 for
// a key for an unknown provider, for an empty key, and for two different keys for one name. The error may contain the
// provider's name, but never a key.
std::variant<presented_keys, refusal> read_keys(std::span<const proxy::header_field> fields,
                                                const config& configured);

enum class key_source {
  own,         // the target gets the caller's key
  configured,  // the target gets the operator's key
  not_needed,  // the provider accepts requests without a key, so no Authorization header is sent
  none,        // there is no key for the target, so it is skipped
};

struct chosen_key {
  key_source source = key_source::none;
  // The caller's or the operator's key. It is empty for `not_needed` and `none`. It is also empty if the configured key
  // is of a kind that expires, because each attempt then gets the current key.
  proxy::secret key;
};

// Chooses the key for a provider. `targets` are all targets of the request. A plain bearer token is used as a
// provider's key under three conditions: accept_bearer allows it, all targets have the same provider, and the token is
// not one of the gateway's access keys.
chosen_key key_for(const proxy::provider& provider, const presented_keys& presented, const config& configured,
                   std::span<const target_name> targets);

// Returns a 401 if all targets were skipped because they had no key. The error explains how to send a key.
refusal no_key_for(std::span<const target_name> targets, const config& configured);

}  // namespace photofinish::gateway
