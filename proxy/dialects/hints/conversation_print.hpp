// A hash of the beginning of a conversation, which identifies all turns of the conversation. [pure]
// It covers the tools, the system text, and the messages before the first answer. Cache marks, which clients move from
// turn to turn, and Claude Code's attribution do not count.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/keyed_stream.hpp"

#include <optional>

namespace photofinish::proxy {

// Returns nothing if the body is not a conversation from its beginning, for example if it continues a stored one.
std::optional<wide_hash> print_conversation(const client_body& body, wire_format format);

// The print of one request's body. It is computed once, when the first attempt needs it.
class conversation_print {
 public:
  const std::optional<wide_hash>& of(const client_body& body, wire_format format) {
    if (!is_made_) print_ = print_conversation(body, format);
    is_made_ = true;
    return print_;
  }

 private:
  std::optional<wide_hash> print_;
  bool is_made_ = false;
};

}  // namespace photofinish::proxy
