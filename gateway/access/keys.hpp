// Which keys a caller brings, and which key each target is asked with. [pure]
// The rules are the users' contract: a caller's own keys first, and never a mix unless the operator says so.
//
// A bearer token is one of two things:
//   plain    sk-abc123, eyJhbGciOi..., YWJjZA==      an access key, or with accept_bearer a provider's key
//   keyring  groq=KEY,cerebras=KEY,photofinish=KEY   provider keys by name, in one "API key" box
// It is a keyring when one of its comma-separated parts begins with a known name and `=`, or when each part
// is `name=value` with a lower-case name and a value beyond base64's padding. So `abcd==` stays plain, and a
// keyring with a slip in it is refused rather than taken for one long key.
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

// The name of this gateway's access key in a keyring.
constexpr std::string_view own_name = "photofinish";

struct presented_keys {
  std::optional<proxy::secret> bearer;      // the plain token
  std::optional<key_digest> bearer_digest;  // the token's digest, after the search among access keys
  std::optional<proxy::secret> access_key;  // x-photofinish-key, or `photofinish=` in a keyring
  std::map<std::string, proxy::secret, std::less<>> by_provider;
};

// Returns the access key that equals the bearer token, or null.
const access_key* opened_by_bearer(const presented_keys& presented, const config& configured);

// Reads Authorization (if absent, api-key), x-photofinish-key and x-provider-key-<provider>. If none of them contains a
// key, it reads x-api-key, which Anthropic's clients send: like api-key, it counts as a bearer token. Refuses invalid
// keys with 401: an unknown provider's name (which the error shows, but never a value), an empty key, or two different
// keys for one name. A scheme other than Bearer counts as no key.
std::variant<presented_keys, refusal> read_keys(std::span<const proxy::header_field> fields,
                                                const config& configured);

enum class key_source {
  own,         // the caller's key
  configured,  // the operator's key
  not_needed,  // the provider accepts requests without a key: send no Authorization
  none,        // the target is skipped
};

struct chosen_key {
  key_source source = key_source::none;
  // Empty with not_needed and none, and if the configured key expires: then each attempt gets its own.
  proxy::secret key;
};

// `targets` are all targets of the request. A plain bearer token is a provider's key only if accept_bearer allows it,
// no other provider is in the race, and it is not one of our access keys.
chosen_key key_for(const proxy::provider& provider, const presented_keys& presented, const config& configured,
                   std::span<const target_name> targets);

// A 401 if every target was skipped because it had no key; explains how to send one.
refusal no_key_for(std::span<const target_name> targets, const config& configured);

}  // namespace photofinish::gateway
