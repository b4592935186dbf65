#include "gateway/limits/reserved_tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace photofinish::gateway {
namespace {

constexpr std::uint64_t bytes_per_token = 4;  // of text
constexpr std::uint64_t tokens_per_medium = 1000;  // about what a picture counts

// Texts in base64 stand behind these, up to the next quote.
constexpr std::array<std::string_view, 2> openings{";base64,", R"("data":")"};

// The least of those that are there: what a client says twice, a provider obeys at least once.
std::optional<std::uint64_t> most_output_of(const ask& asked) {
  std::optional<std::uint64_t> most;
  if (!asked.body || asked.body->is_form()) return most;
  for (const std::string_view name : {"max_completion_tokens", "max_tokens", "max_output_tokens"}) {
    const std::string_view value = asked.body->value_of(name);
    std::uint64_t number = 0;
    const auto [after, ec] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = ec == std::errc{} && after == value.data() + value.size();
    if (is_number && (!most || number < *most)) most = std::min(number, most_countable);
  }
  return most;
}

bool answers_in_tokens(metrics::endpoint called) {
  using enum metrics::endpoint;
  return called == chat_completions || called == completions || called == responses || called == messages;
}

}  // namespace

// Each byte is looked at once for each opening, whatever stands where.
std::uint64_t tokens_of_prompt(std::string_view prompt) {
  std::uint64_t bytes = prompt.size(), media = 0;
  std::array<std::size_t, openings.size()> next{};
  for (std::size_t which = 0; which < openings.size(); ++which) next[which] = prompt.find(openings[which]);
  for (;;) {
    const auto first = static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
    if (next[first] == std::string_view::npos) break;
    std::size_t at = next[first] + openings[first].size();
    const std::size_t end = std::min(prompt.find('"', at), prompt.size());
    if (end - at >= tokens_per_medium * bytes_per_token) {  // a shorter one counts as its bytes do
      bytes -= end - at;
      ++media;
      at = end;
    }
    for (std::size_t which = 0; which < openings.size(); ++which)
      if (next[which] < at) next[which] = prompt.find(openings[which], at);
  }
  return bytes / bytes_per_token + media * tokens_per_medium;
}

wanted_tokens tokens_to_reserve(const ask& asked, metrics::endpoint called) {
  wanted_tokens wanted{.input = tokens_of_prompt(asked.prompt)};
  wanted.most_output = answers_in_tokens(called) ? most_output_of(asked) : 0;
  return wanted;
}

std::uint64_t background_output(const ask& asked, metrics::endpoint called) {
  constexpr std::uint64_t usual = 1000;  // what is left to run in the background is no short answer
  if (called != metrics::endpoint::responses || !asked.body || asked.body->value_of("background") != "true") return 0;
  return most_output_of(asked).value_or(usual);
}

}  // namespace photofinish::gateway
