#include "proxy/providers/parameters.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>

namespace photofinish::proxy {
namespace {

struct default_number {
  std::string_view parameter;
  double value;
};

// The numeric defaults of OpenAI's chat completions API.
constexpr std::array<default_number, 7> default_numbers{{{"n", 1},
                                                         {"best_of", 1},
                                                         {"temperature", 1},
                                                         {"top_p", 1},
                                                         {"frequency_penalty", 0},
                                                         {"presence_penalty", 0},
                                                         {"top_logprobs", 0}}};

bool is_default_number(std::string_view parameter, std::string_view value) {
  const auto number = parse_leading_number<double>(value);
  return std::any_of(default_numbers.begin(), default_numbers.end(), [&](const default_number& known) {
    return known.parameter == parameter && known.value == number;
  });
}

// Words with which providers name the tier that applies if a request does not name one.
constexpr std::array<std::string_view, 5> usual_tiers{R"("auto")", R"("default")", R"("standard")",
                                                      R"("standard_only")", R"("on_demand")"};

bool is_default_word(std::string_view parameter, std::string_view value) {
  if (parameter == "parallel_tool_calls") return value == "true";
  if (parameter == "tool_choice" || parameter == "function_call")
    return value == R"("auto")" || value == R"("none")";
  if (parameter == "service_tier") return contains(usual_tiers, value);
  if (parameter == "speed") return value == R"("standard")";
  if (parameter == "response_format") {
    const auto type = json_find(value, "type");
    return type && json_raw_string(*type) == "text";
  }
  return false;
}

bool is_empty(std::string_view value) {
  if (value == R"("")") return true;
  if (json_is_array(value)) return !json_walk(value).next_element();
  return json_is_object(value) && !json_walk(value).next_member();
}

}  // namespace

bool is_meaningful(std::string_view parameter, std::string_view value) {
  if (value.empty() || json_is_null(value) || is_empty(value)) return false;
  // parallel_tool_calls is the only parameter whose default is true.
  if (value == "false") return parameter == "parallel_tool_calls";
  return !is_default_word(parameter, value) && !is_default_number(parameter, value);
}

std::optional<std::string_view> unsupported_params(const client_body& body, const behaviour& behaves,
                                                   std::string_view inner) {
  for (const std::string& parameter : behaves.reject_params) {
    const auto inside = inner.empty() ? std::nullopt : json_find(body.value_of(inner), parameter);
    if (inside && is_meaningful(parameter, *inside)) return parameter;
    if (is_meaningful(parameter, body.value_of(parameter))) return parameter;
  }
  return std::nullopt;
}

}  // namespace photofinish::proxy
