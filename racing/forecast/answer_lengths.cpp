#include "racing/forecast/answer_lengths.hpp"

#include <algorithm>
#include <bit>

namespace photofinish::racing {
namespace {

constexpr float memory_answers = 50;

std::size_t class_of(std::optional<std::uint64_t> max_tokens) {
  if (!max_tokens) return 0;
  return std::min(static_cast<std::size_t>(std::bit_width(*max_tokens)), answer_lengths::classes - 1);
}

}  // namespace

void answer_lengths::add(double output_tokens, std::optional<std::uint64_t> max_tokens) {
  if (!(output_tokens >= 0 && output_tokens < 1e8)) return;
  mean& each = means_[class_of(max_tokens)];
  each.samples = std::min(each.samples + 1, memory_answers);
  each.of += (static_cast<float>(output_tokens) - each.of) / each.samples;
}

double answer_lengths::expected(std::optional<std::uint64_t> max_tokens) const {
  const double usual = static_cast<double>(means_[class_of(max_tokens)].of);
  return max_tokens ? std::min(usual, static_cast<double>(*max_tokens)) : usual;
}

}  // namespace photofinish::racing
