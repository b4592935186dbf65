// The figures of one attempt about its target: the time to its first token, its decoding speed, and the conditions. The
// file also has the classes of conditions by which such figures are grouped. [pure]
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace photofinish::racing {

struct target_sample {
  // The target's name in metrics, such as "groq/openai/gpt-oss-120b", or the common name for all other models of a
  // provider: "groq/_other".
  std::string target;
  std::uint64_t input_tokens = 0;     // number of tokens, estimated before the request was sent
  // Attempts of this gateway at the target when this attempt started, including itself.
  std::size_t concurrency = 1;
  std::optional<double> ttft_seconds;
  std::optional<double> ttft_at_least_seconds;  // set if the attempt was cancelled or timed out before its first token
  std::optional<double> tokens_per_second;

  bool says_something() const { return ttft_seconds || ttft_at_least_seconds || tokens_per_second; }
};

// A class of values: at least `from`, and below `to`. The last class has no upper end.
struct value_class {
  std::uint64_t from;
  std::optional<std::uint64_t> to;
};

// Classes of input sizes grow in steps of 4, because prefill grows with the input. Classes of concurrency grow in steps
// of 2, because attempts share the decoding.
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
