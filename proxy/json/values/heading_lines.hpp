// Lines that say in a text what a block of one API has as members, for APIs that have no such block. [pure]
#pragma once

#include "proxy/json/json_text.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct heading_line {
  std::string_view label;  // "Source: "
  std::string_view text;   // a JSON string
};

// A JSON string with a line for each text that is not empty. Empty: there are none.
inline std::string heading_lines(std::initializer_list<heading_line> lines) {
  std::string all;
  for (const heading_line& each : lines)
    if (const std::string_view raw = json_raw_string(each.text); !raw.empty())
      all.append(all.empty() ? "\"" : "\\n").append(each.label).append(raw);
  return all.empty() ? all : all + "\"";
}

}  // namespace photofinish::proxy
