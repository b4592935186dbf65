#include "proxy/dialects/reported_times.hpp"

#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace photofinish::proxy {
namespace {

namespace dom = simdjson::dom;
using seconds = std::chrono::duration<double>;

struct time_words {
  std::string_view member;
  // the names of members that contain waiting times; the times are added up

  std::array<std::string_view, 2> queues;
  std::string_view prompt;
  seconds unit;
};
// The names under which providers report times. The names that Groq and Cerebras use come from recorded answers. The
// names that llama.cpp's server and Fireworks use come from their documentation.
constexpr std::array<time_words, 4> time_members{{
    {"usage", {"queue_time", ""}, "prompt_time", seconds(1)},
    {"time_info", {"queue_time", ""}, "prompt_time", seconds(1)},
    {"timings", {"", ""}, "prompt_ms", seconds(0.001)},
    {"perf_metrics", {"prefill-queue-duration", "generation-queue-duration"}, "prefill-duration", seconds(1)},
}};

// Reads a number. A string with a number is also accepted, because Fireworks writes numbers as strings.
std::optional<double> number_of(dom::element value) {
  double number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
  return parse_number<double>(text);
}

std::optional<seconds> time_at(dom::object from, std::string_view key, seconds unit) {
  constexpr seconds longest = std::chrono::hours(24);
  dom::element value;
  if (key.empty() || from.at_key(key).get(value) != simdjson::SUCCESS) return std::nullopt;
  const auto number = number_of(value);
  if (!number) return std::nullopt;
  const seconds time = *number * unit;
  const bool is_time = time >= seconds(0) && time <= longest;  // if `time` is NaN, is_time is false
  return is_time ? std::optional(time) : std::nullopt;
}

}  // namespace

void read_times(std::string_view key, dom::element value, reported_times& into) {
  const auto is_it = [key](const auto& each) { return each.member == key; };
  const auto words = std::find_if(time_members.begin(), time_members.end(), is_it);
  dom::object from;
  if (words == time_members.end() || value.get(from) != simdjson::SUCCESS) return;
  std::optional<seconds> waited;
  for (const std::string_view queue : words->queues)
    if (const auto time = time_at(from, queue, words->unit)) waited = waited.value_or(seconds(0)) + *time;
  if (waited) into.queue = waited;
  if (const auto prompt = time_at(from, words->prompt, words->unit)) into.prompt = prompt;
}

}  // namespace photofinish::proxy
