// A hash of the beginning of a conversation, which is the same for all turns of the conversation. [pure] The hash
// covers the tools, the system text, and the messages before the first answer. It omits Claude Code's attribution and
// all cache marks, because these change from turn to turn.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/keyed_stream.hpp"

#include <optional>

namespace photofinish::proxy {

// Returns the hash of a conversation. Returns nullopt if the body lacks the beginning of the conversation, for example
// because the provider stores the earlier turns.
std::optional<wide_hash> print_conversation(const client_body& body, wire_format format);

// The conversation hash of one request. The first attempt that needs the hash computes it, and later attempts reuse it.
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
