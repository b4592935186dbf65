// The measurements of one attempt: the time to its first token, its output speed, and the conditions. This file also
// defines the classes by which the conditions are grouped. [pure]
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace photofinish::racing {

struct target_sample {
  // The target's name in metrics, such as "groq/openai/gpt-oss-120b". Models that have no name of their own in metrics
  // share one name per provider, such as "groq/_other".
  std::string target;
  std::uint64_t input_tokens = 0;     // tokens of the prompt, estimated before the request was sent
  // The number of this gateway's attempts at the target when this attempt started, including this one.
  std::size_t concurrency = 1;
  std::optional<double> ttft_seconds;
  std::optional<double> ttft_at_least_seconds;  // age of an attempt that was cancelled or timed out before its first
                                                // token
  std::optional<double> tokens_per_second;

  bool says_something() const { return ttft_seconds || ttft_at_least_seconds || tokens_per_second; }
};

// A class of values from `from` up to, but not including, `to`. The last class has no upper end.
struct value_class {
  std::uint64_t from;
  std::optional<std::uint64_t> to;
};

// Each class of prompt sizes is four times as large as the previous one, because the time to read a prompt grows with
// its size. Each class of concurrency is twice as large as the previous one, because running attempts share the speed
// of the target.
inline constexpr std::size_t input_classes = 8;        // 0-63, 64-255, … 64k-256k, more
inline constexpr std::size_t concurrency_classes = 8;  // 1, 2-3, 4-7, … 64-127, more

constexpr std::uint8_t input_class_of(std::uint64_t tokens) {
  const auto bits = static_cast<std::size_t>(std::bit_width(tokens / 64));
  return static_cast<std::uint8_t>(std::min((bits + 1) / 2, input_classes - 1));
}
constexpr value_class input_class(std::size_t index) {
  const auto edge = [](std::size_t at) { return at == 0 ? 0 : std::uint64_t{16} << (2 * at); };
  if (index + 1 == input_classes) return {edge(index), std::nullopt};
  return {edge(index), edge(index + 1)};
}

constexpr std::uint8_t concurrency_class_of(std::size_t in_flight) {
  const auto bits = static_cast<std::size_t>(std::bit_width(std::max<std::size_t>(in_flight, 1)));
  return static_cast<std::uint8_t>(std::min(bits - 1, concurrency_classes - 1));
}
constexpr value_class concurrency_class(std::size_t index) {
  if (index + 1 == concurrency_classes) return {std::uint64_t{1} << index, std::nullopt};
  return {std::uint64_t{1} << index, std::uint64_t{2} << index};
}

}  // namespace photofinish::racing
