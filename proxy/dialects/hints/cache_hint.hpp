// Adds to a request the hint by which its provider finds the machine that has the conversation. [pure but for OpenSSL]
// docs/decisions/0084.
#pragma once

#include "proxy/dialects/hints/conversation_print.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// The parts of a hint. They are borrowed for the call.
struct hint_source {
  conversation_print& print;  // the print of `body`, shared by all attempts of the request
  const client_body& body;    // the client's own body
  wire_format format;         // the format of that body
  std::string_view account;   // identifies the credential of the attempt, and does not change while tokens are renewed
};

// Returns 32 hex digits: the same for each turn of a conversation, but different for another account. The account is
// needed to test if a hint belongs to a text.
std::string hint_text(const wide_hash& print, std::string_view account);

// `prepared` is the dialect's translation of `asked`. A hint of the client's own is never replaced. Returns true if the
// field has the client's `prompt_cache_key`, which the translation to another API may have left out.
bool add_cache_hint(const attempt_request& asked, const hint_source& source, prepared_request& prepared);

}  // namespace photofinish::proxy
