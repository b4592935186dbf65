// How an attempt ended, in a word for people. [pure]
#pragma once

#include "racing/race_report.hpp"

#include <string_view>

namespace photofinish::gateway {

inline std::string_view word_for(racing::attempt_end end) {
  switch (end) {
    case racing::attempt_end::won: return "won";
    case racing::attempt_end::lost: return "lost";
    case racing::attempt_end::failed: return "failed";
    case racing::attempt_end::cancelled: return "cancelled";
  }
  return "lost";
}

}  // namespace photofinish::gateway
