// The content of one answer in a form that depends on no API.
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway::pairs {

using nlohmann::json;
using proxy::finish_reason;

struct spoken_call {
  std::string id, name, arguments;
  bool operator==(const spoken_call&) const = default;
};

// No token is counted twice. `input` excludes tokens that were read from or written into a cache.
struct spoken_usage {
  std::uint64_t input = 10, cached = 5, written = 3, output = 7;
  bool operator==(const spoken_usage&) const = default;
};

struct spoken_answer {
  std::string thought = {}, text = {};
  std::vector<spoken_call> calls = {};
  finish_reason finish = finish_reason::stop;
  spoken_usage usage = {};
};

struct named_answer {
  std::string name;
  spoken_answer said;
};

inline void PrintTo(const named_answer& each, std::ostream* to) { *to << each.name; }

inline std::vector<named_answer> all_answers() {
  const spoken_call read{"call_0123456789ab", "read", R"({"path":"a.txt"})"};
  const spoken_call write{"call_0123456789cd", "write", R"({"path":"b","text":"\"x\"\n"})"};
  return {{"AText", {.text = "Hello \"world\"\n\xF0\x9F\x8C\x8D"}},
          {"AThoughtAndAText", {.thought = "Hm, so", .text = "Yes"}},
          {"ACall", {.calls = {read}, .finish = finish_reason::tool_calls}},
          {"TextAndParallelCalls", {.text = "Both", .calls = {read, write}, .finish = finish_reason::tool_calls}},
          {"ThoughtTextAndCall", {.thought = "Hm", .text = "I will", .calls = {write}, .finish = finish_reason::tool_calls}},
          {"CutByItsLength", {.text = "Once upon", .finish = finish_reason::length}},
          {"Filtered", {.text = "How to", .finish = finish_reason::content_filter}}};
}

}  // namespace photofinish::gateway::pairs
