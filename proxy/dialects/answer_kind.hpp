// How a provider is asked to answer one request, and how it does, as far as the head of its response says. [pure]
#pragma once

#include "proxy/http/http_message.hpp"

#include <cstdint>

namespace photofinish::proxy {

enum class answer_shape : std::uint8_t { streamed, in_one_piece };

enum class answer_kind {
  events,   // a stream of server-sent events
  whole,    // one text, which says nothing before it has been read to its end
  refusal,  // not an answer: its body says why
};

// What most APIs mean: with status 200 text/event-stream is `events` and application/json is `whole`.
answer_kind kind_by_type(const response_head& head);

}  // namespace photofinish::proxy
