// Writes named server-sent events whose data is one JSON object. [pure]
#pragma once

#include "proxy/json/json_text.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Begins an event of type T with `event: T\ndata: {"type":"T"`. The caller adds members, and then "}\n\n".
inline void begin_event(std::string& out, std::string_view type) {
  out.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type).append("\"");
}

inline void end_event(std::string& out) { out += "}\n\n"; }

}  // namespace photofinish::gateway
