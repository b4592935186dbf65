// Reads a provider's reported times for waiting and for the prompt, from a chunk or a whole answer of chat.
// [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <simdjson.h>

#include <string_view>

namespace photofinish::proxy {

// Reads one member by its key: Groq's `usage`, Cerebras' `time_info`, llama.cpp's `timings`, or Fireworks'
// `perf_metrics`. Ignores other members, and times that are not numbers, are negative, or exceed a day.
void read_times(std::string_view key, simdjson::dom::element value, reported_times& into);

}  // namespace photofinish::proxy
