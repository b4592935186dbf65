// Adds a hint to a request by which the provider finds the machine that has the conversation in its cache.
// [pure but for OpenSSL] See docs/decisions/0084.
#pragma once

#include "proxy/dialects/hints/conversation_print.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// The values from which a hint is computed. They are borrowed for the call.
struct hint_source {
  conversation_print& print;  // the print of `body`, shared by all attempts of the request
  const client_body& body;    // the client's own body
  wire_format format;         // the format of the client's own body
  std::string_view account;   // identifies the credential of the attempt, and does not change when tokens are renewed
};

// Returns 32 hex digits, which are the same for each turn of a conversation, but different for another account. Without
// the account, it cannot be tested whether a hint belongs to a text.
std::string hint_text(const wide_hash& print, std::string_view account);

// Adds the hint to `prepared`, the dialect's translation of `asked`. A client's own hint is never replaced. Returns
// true if the field has the client's `prompt_cache_key`, which the translation to another API may have left out.
bool add_cache_hint(const attempt_request& asked, const hint_source& source, prepared_request& prepared);

}  // namespace photofinish::proxy
