// The shape in which a provider should answer a request, and the kind of answer that the
// response head announces. [pure]
#pragma once

#include "proxy/http/http_message.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

enum class answer_shape : std::uint8_t {
  streamed,      // a stream of chunks
  in_one_piece,  // one JSON object
  text,          // one text that is not JSON
  events,        // server-sent events that pass to the client unchanged
  bytes,         // bytes that pass to the client unchanged
};

enum class answer_kind {
  events,   // a stream of server-sent events
  frames,   // a stream of AWS's binary frames
  bytes,    // other bytes, which pass to the client unchanged
  whole,    // one text, which is read only when it is complete
  refusal,  // not an answer: the body contains the reason for a refusal
};

// Returns the kind of an answer by the rule of most APIs: if the status is 200, text/event-stream is `events` and
// application/json is `whole`.
answer_kind kind_by_type(const response_head& head);

// Returns the content type's name without its parameters, in its original case. The result lives as long as the head.
std::string_view media_type(const response_head& head);

// The limit in bytes of a content type that passes to the client. Usual content types have less than fifty bytes.
constexpr std::size_t longest_type = 256;

}  // namespace photofinish::proxy
