// What Gemini's models differ in, as far as a request shows it, by their names. [pure]
#pragma once

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

enum class thinking_setting : std::uint8_t {
  none,    // the model does not think, or takes no word about it
  budget,  // tokens
  level,   // a word; it cannot be turned off
};

struct gemini_model {
  thinking_setting thinking = thinking_setting::level;
  std::int64_t least_budget = 0;
  std::int64_t most_budget = 0;
  std::string_view least_level = "low";
  bool has_medium_level = true;
  bool calls_beside_json = true;   // tools may be offered where the answer is to be JSON
  bool demands_signatures = true;  // calls without one are refused, also those of other models
};

// A Gemini of an unknown version counts as the newest; a name that is none of Gemini's as one that cannot think.
gemini_model gemini_model_called(std::string_view name);

}  // namespace photofinish::proxy
