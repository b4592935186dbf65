// Adds a cache hint to a request. The provider uses the hint to find the machine whose cache contains the conversation.
// [pure but for OpenSSL] See docs/decisions/0084.
#pragma once

#include "proxy/dialects/hints/conversation_print.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// The values from which a cache hint is computed. The references are valid only during the call.
struct hint_source {
  conversation_print& print;  // the hash of the conversation; all attempts of the request share it
  const client_body& body;    // the client's own body
  wire_format format;         // the format of the client's own body
  // Identifies the credential that the attempt uses. The value does not change when access tokens are renewed.
  std::string_view account;
};

// Returns the cache hint as 32 hex digits. All turns of a conversation have the same hint, but each account has
// different hints. Without knowing the account, it is impossible to test whether a hint belongs to a given text.
std::string hint_text(const wide_hash& print, std::string_view account);

// Adds the cache hint to `prepared`, the provider's request that was created from `asked`. A hint that the request
// already contains is never replaced. Returns true if the added hint is the client's own `prompt_cache_key`. This
// happens, for example, if the translation to another API had dropped the key.
bool add_cache_hint(const attempt_request& asked, const hint_source& source, prepared_request& prepared);

}  // namespace photofinish::proxy
