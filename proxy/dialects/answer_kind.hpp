// The form in which a provider should answer a request, and the form that the head of its answer announces. [pure]
#pragma once

#include "proxy/http/http_message.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

enum class answer_shape : std::uint8_t {
  streamed,      // a stream of chunks
  in_one_piece,  // one JSON object
  text,          // a whole text that is not JSON
  events,        // events that pass unchanged
  bytes,         // bytes that pass unchanged
};

enum class answer_kind {
  events,   // a stream of server-sent events
  frames,   // a stream of AWS's binary frames
  bytes,    // other bytes, which pass unchanged
  whole,    // one text, which must be complete before it is read
  refusal,  // the body is not an answer but gives the reason for a refusal
};

// Returns the kind by the rule of most APIs: with status 200, text/event-stream is `events` and
// application/json is `whole`.
answer_kind kind_by_type(const response_head& head);

// Returns the content type's name without its parameters, in its original case. The result lives as long as the head.
std::string_view media_type(const response_head& head);

// Limit in bytes for a content type that passes to the client. Usual content types have less than fifty bytes.
constexpr std::size_t longest_type = 256;

}  // namespace photofinish::proxy
