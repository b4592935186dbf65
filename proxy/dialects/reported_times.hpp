// Reads the times that a provider reports in a chat answer: how long the request waited, and how long the provider
// processed the prompt. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <simdjson.h>

#include <string_view>

namespace photofinish::proxy {

// Reads the times in one member of an answer: Groq's `usage`, Cerebras' `time_info`, llama.cpp's `timings`,
// or Fireworks' `perf_metrics`. Ignores members with another key, and times that are not numbers, are
// negative, or exceed a day.
void read_times(std::string_view key, simdjson::dom::element value, reported_times& into);

}  // namespace photofinish::proxy
