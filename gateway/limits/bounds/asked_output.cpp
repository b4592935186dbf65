#include "gateway/limits/bounds/asked_output.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <system_error>

namespace photofinish::gateway {
namespace {

// The maximum number of answers that the gateway counts for one request. No provider allows this many. The product of
// this number and a token count fits in 64 bits.
constexpr std::uint64_t most_bought = 1'000'000;

std::span<const std::string_view> length_members(proxy::wire_format format) {
  using enum proxy::wire_format;
  static constexpr std::string_view chat[] = {"max_completion_tokens", "max_tokens"};
  static constexpr std::string_view plain[] = {"max_tokens"};
  static constexpr std::string_view responses[] = {"max_output_tokens"};
  switch (format) {
    case openai_chat: return chat;
    case openai_completions:
    case anthropic_messages: return plain;
    case openai_responses: return responses;
    default: return {};
  }
}

bool has_several_answers(proxy::wire_format format) {
  using enum proxy::wire_format;
  return format == openai_chat || format == openai_completions || format == openai_images ||
         format == openai_image_edits || format == openai_image_variations;
}

// Returns the number of prompts in a completion's `prompt`. In a list of texts or of token lists, each item is a prompt
// with its own answer. A list of numbers is one prompt.
std::uint64_t prompts_in(std::string_view prompt) {
  if (!proxy::json_is_array(prompt)) return 1;
  proxy::json_walk walk(prompt);
  std::uint64_t count = 0;
  while (const auto element = walk.next_element()) {
    if (!proxy::json_is_string(*element) && !proxy::json_is_array(*element)) return 1;
    ++count;
  }
  return std::max<std::uint64_t>(1, count);
}

}  // namespace

std::optional<std::uint64_t> count_in_json(std::string_view value) {
  if (proxy::json_is_string(value)) value = proxy::json_raw_string(value);
  const std::size_t first = value.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  value = value.substr(first, value.find_last_not_of(' ') + 1 - first);
  double number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  if (read.ptr != value.data() + value.size()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range && !value.starts_with('-')) return most_countable;
  if (read.ec != std::errc{} || !std::isfinite(number) || number <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(std::min(std::ceil(number), static_cast<double>(most_countable)));
}

std::optional<std::uint64_t> most_of_one_answer(const parsed_request& asked) {
  std::optional<std::uint64_t> most;
  if (!asked.body || asked.body->is_form()) return most;
  for (const std::string_view name : length_members(asked.format))
    if (const auto count = count_in_json(asked.body->value_of(name))) most = std::max(most.value_or(0), *count);
  return most;
}

std::uint64_t answers_of(const parsed_request& asked) {
  if (!asked.body || !has_several_answers(asked.format)) return 1;
  std::uint64_t count = 1;
  for (const std::string_view name : {"n", "best_of"})
    count = std::max(count, count_in_json(asked.body->value_of(name)).value_or(1));
  count = std::min(count, most_bought);
  if (asked.format == proxy::wire_format::openai_completions) count *= prompts_in(asked.prompt);
  return std::min(count, most_bought);
}

}  // namespace photofinish::gateway
