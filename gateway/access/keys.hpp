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

// The name under which a keyring holds an access key of this gateway's.
constexpr std::string_view own_name = "photofinish";

struct presented_keys {
  std::optional<proxy::secret> bearer;      // the plain token
  std::optional<key_digest> bearer_digest;  // of that, once it was looked for among access keys
  std::optional<proxy::secret> access_key;  // x-photofinish-key, or `photofinish=` in a keyring
  std::map<std::string, proxy::secret, std::less<>> by_provider;
};

// The access key that the bearer token is; null: none.
const access_key* opened_by_bearer(const presented_keys& presented, const config& configured);

// Reads Authorization, or api-key where there is none, x-photofinish-key and x-provider-key-<provider>; where none of
// them holds a key, x-api-key, as Anthropic's clients send it: a bearer token, as api-key is. Refuses with 401 what
// cannot be meant: an unknown provider's name (which it tells, never a value), an empty key, two different keys for one
// name. Another scheme than Bearer counts as no key.
std::variant<presented_keys, refusal> read_keys(std::span<const proxy::header_field> fields,
                                                const config& configured);

enum class key_source {
  own,         // the caller's
  configured,  // the operator's
  not_needed,  // the provider takes requests without one: send no Authorization
  none,        // the target is skipped
};

struct chosen_key {
  key_source source = key_source::none;
  proxy::secret key;  // empty with not_needed and none, and where the configured one expires: it is of its attempt
};

// `targets` are all of the request's: a plain bearer token is a provider's key only where accept_bearer says
// so, no other provider is in the race, and it is not one of our access keys.
chosen_key key_for(const proxy::provider& provider, const presented_keys& presented, const config& configured,
                   std::span<const target_name> targets);

// When every target was skipped for want of a key: 401, and how to bring one.
refusal no_key_for(std::span<const target_name> targets, const config& configured);

}  // namespace photofinish::gateway
