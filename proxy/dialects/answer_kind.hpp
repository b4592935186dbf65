// How a provider is asked to answer one request, and how it does, as far as the head of its response says. [pure]
#pragma once

#include "proxy/http/http_message.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

enum class answer_shape : std::uint8_t {
  streamed,      // chunks of choices
  in_one_piece,  // JSON
  text,          // in one piece, and no JSON
  events,        // that pass as they are
  bytes,         // likewise
};

enum class answer_kind {
  events,   // a stream of server-sent events
  frames,   // a stream of AWS's binary ones
  bytes,    // no stream of events: they pass as they come
  whole,    // one text, which says nothing before it has been read to its end
  refusal,  // not an answer: its body says why
};

// What most APIs mean: with status 200 text/event-stream is `events` and application/json is `whole`.
answer_kind kind_by_type(const response_head& head);

// The content type's own name, without its parameters, as it came. Lives as the head does.
std::string_view media_type(const response_head& head);

// Of a content type that is passed on, in bytes: real ones are under fifty.
constexpr std::size_t longest_type = 256;

}  // namespace photofinish::proxy
