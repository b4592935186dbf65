// Adds a cache hint to a request. The provider uses the hint to find the machine whose cache contains the conversation.
// [pure but for OpenSSL] See docs/decisions/0084.
#pragma once

#include "proxy/dialects/hints/conversation_print.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// The values from which a cache hint is computed. The references must be valid only during the call.
struct hint_source {
  conversation_print& print;  // the hash of the conversation in `body`, shared by all attempts
  const client_body& body;    // the client's own body
  wire_format format;         // the format of the client's own body
  std::string_view account;   // identifies the credential of the attempt, and does not change when tokens are renewed
};

// Returns the cache hint as 32 hex digits. They are the same for each turn of a conversation, but different for each
// account. Without knowing the account, it is impossible to test whether a hint belongs to a text.
std::string hint_text(const wide_hash& print, std::string_view account);

// Adds the cache hint to `prepared`, the translation of `asked`. If the client sent a hint, this hint is
// never replaced. Returns true if the request has the client's `prompt_cache_key`, which the translation to
// another API may have dropped.
bool add_cache_hint(const attempt_request& asked, const hint_source& source, prepared_request& prepared);

}  // namespace photofinish::proxy
