// Returns the word with which logs and pages describe the end of an attempt. [pure]
#pragma once

#include "racing/race_report.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace photofinish::gateway {

inline std::string_view word_for(racing::attempt_end end) {
  constexpr std::array<std::string_view, 4> words{"won", "lost", "failed", "cancelled"};
  return words[static_cast<std::size_t>(end)];
}

}  // namespace photofinish::gateway
