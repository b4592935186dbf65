// How long a provider says that a request waited and its prompt took, read from a chunk or whole answer of chat.
// [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <simdjson.h>

#include <string_view>

namespace photofinish::proxy {

// Takes what such a member says, by its key: Groq's `usage`, Cerebras' `time_info`, llama.cpp's `timings`, Fireworks'
// `perf_metrics`. Other members are passed over, and so is a time that is not a number, negative, or over a day.
void read_times(std::string_view key, simdjson::dom::element value, reported_times& into);

}  // namespace photofinish::proxy
