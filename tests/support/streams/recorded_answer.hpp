// Extracts the content of a recorded stream with a separate, simple reader. Tests compare this content with the result of the product's
// readers.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::test {

struct recorded_answer {
  std::string text, thoughts, signatures, hidden, finish;
  std::vector<std::pair<std::string, nlohmann::json>> calls;  // name and arguments of each tool call
  std::uint64_t input = 0, output = 0;
  bool operator==(const recorded_answer&) const = default;
};

inline std::ostream& operator<<(std::ostream& to, const recorded_answer& one) {
  to << one.text << " / " << one.thoughts << " / " << one.signatures << " / " << one.hidden << " / " << one.finish << " / " << one.input
     << "+" << one.output;
  for (const auto& [name, arguments] : one.calls) to << " / " << name << arguments.dump();
  return to;
}

// Parses the arguments of a tool call. An empty string means no arguments, because some providers send empty strings.
inline nlohmann::json arguments_in(const std::string& text) {
  return text.empty() ? nlohmann::json::object() : nlohmann::json::parse(text, nullptr, false);
}

class answer_listener {
 public:
  void take(const proxy::result<std::span<const proxy::stream_event>>& given) {
    if (!given) trouble = given.error().detail;
    else
      for (const proxy::stream_event& event : *given) hear(event);
  }
  recorded_answer heard() const {
    recorded_answer made = said;
    for (std::size_t at = 0; at < made.calls.size(); ++at) {
      const auto its = arguments.find(static_cast<std::int64_t>(at));
      made.calls[at].second = arguments_in(its == arguments.end() ? "" : its->second);
    }
    return made;
  }
  recorded_answer said;
  std::map<std::int64_t, std::string> arguments;
  std::set<std::string> ids;  // ids of all tool calls so far
  std::string trouble;
  bool has_ended = false;

 private:
  void hear(const proxy::stream_event& event) {
    using proxy::delta_kind;
    has_ended |= event.kind == proxy::event_kind::end;
    if (event.usage != nullptr) said.input = event.usage->input_tokens, said.output = event.usage->output_tokens;
    for (const proxy::delta& each : event.deltas) {
      if (each.kind == delta_kind::text) said.text += each.text;
      if (each.kind == delta_kind::reasoning) said.thoughts += each.text;
      if (each.kind == delta_kind::signature) said.signatures += each.text;
      if (each.kind == delta_kind::opaque) said.hidden += each.text;
      if (each.kind == delta_kind::finish) said.finish = each.text;
      if (each.kind == delta_kind::call) said.calls.emplace_back(each.text, nlohmann::json()), ids.emplace(each.id);
      if (each.kind == delta_kind::call_arguments) arguments[each.part] += each.text;
    }
  }
};

}  // namespace photofinish::test
