// The kinds of answers that a request can ask for, and the kinds of answers that a response head announces. [pure]
#pragma once

#include "proxy/http/http_message.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

enum class answer_shape : std::uint8_t {
  streamed,      // a stream of events with chunks of the answer
  in_one_piece,  // a single JSON object
  text,          // a text that is not JSON
  events,        // server-sent events that the client gets unchanged
  bytes,         // bytes that the client gets unchanged
};

enum class answer_kind {
  events,   // a stream of server-sent events
  frames,   // a stream of AWS's binary frames
  bytes,    // raw bytes, which the client gets unchanged
  whole,    // an answer that can be read only after all of it has arrived
  refusal,  // an error response; its body contains the reason
};

// Returns the kind of an answer, by a rule that fits most APIs. If the status is 200, text/event-stream means a stream
// (`events`) and application/json means a non-streamed answer (`whole`).
answer_kind kind_by_type(const response_head& head);

// Returns the media type in the Content-Type header, without parameters and in its original case. The result is valid
// as long as `head` is valid.
std::string_view media_type(const response_head& head);

// The maximum length of a content type that is sent to the client, in bytes. Most content types have fewer than fifty
// bytes.
constexpr std::size_t longest_type = 256;

}  // namespace photofinish::proxy
