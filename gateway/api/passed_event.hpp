// Passes an answer's events to the client unchanged. This requires that their JSON already has the client's format. The
// client gets a stream of events or a non-streamed answer. [pure]
#pragma once

#include "gateway/api/outgoing.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/memory/long_text.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

inline constexpr std::string_view event_begin = "data: ";
inline constexpr std::string_view event_end = "\n\n";

// Returns a server-sent event that contains JSON written by the gateway.
inline std::string as_event(std::string_view json) { return std::string(event_begin).append(json).append(event_end); }

// Joins the pieces of a text. `bytes` is the total size of the pieces, or 0 if the caller does not know the size.
inline std::string joined(std::span<const std::string_view> pieces, std::size_t bytes = 0) {
  std::string text;
  text.reserve(bytes);
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

inline void put_passed(const proxy::stream_event& event, outgoing& to, std::string_view begin = event_begin) {
  if (event.json.empty()) return;
  if (event.keeper == nullptr || !is_giant(event)) return to.put(begin, event.json, event_end);
  to.put(begin);
  to.put(proxy::long_text(event.keeper->take_json()));
  to.put(event_end);
}

// The bytes before the JSON of a named event. These bytes are cached, because most events have the same name as the
// previous event.
class named_beginning {
 public:
  std::string_view of(std::string_view name) {
    if (!line_.empty() && name_ == name) return line_;
    name_ = name;
    line_.clear();
    if (!name_.empty()) line_.append("event: ").append(name_).append("\n");
    return line_ += event_begin;
  }

 private:
  std::string name_;
  std::string line_;
};

// Returns the JSON of a non-streamed answer. Moves the text if possible.
inline std::string take_answer(const proxy::stream_event& event) {
  return event.keeper != nullptr ? event.keeper->take_json() : joined(event.json);
}

}  // namespace photofinish::gateway
