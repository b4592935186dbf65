#include "gateway/bench/spend_guard.hpp"

#include <algorithm>

namespace photofinish::gateway::bench {
namespace {

constexpr std::uint64_t template_tokens = 64;  // what a chat template may add around a prompt

token_amount sum(const token_amount& left, const token_amount& right) {
  return {left.input + right.input, left.output + right.output};
}

}  // namespace

bool spend_guard::reserve(const token_amount& worst) {
  const token_amount all = sum(sum(used_, running_), worst);
  if (limits_.max_tokens && all.input + all.output > *limits_.max_tokens) return false;
  if (limits_.max_cost_usd && price_of(all) > *limits_.max_cost_usd) return false;
  running_ = sum(running_, worst);
  return true;
}

void spend_guard::settle(const token_amount& worst, const std::optional<token_amount>& reported) {
  running_.input -= worst.input;
  running_.output -= worst.output;
  used_ = sum(used_, reported.value_or(worst));
  if (reported) most_input_ = std::max(most_input_, reported->input);
}

std::optional<double> spend_guard::cost_usd() const {
  if (!limits_.has_prices) return std::nullopt;
  return price_of(used_);
}

std::uint64_t spend_guard::worst_input(std::size_t prompt_bytes) const {
  if (most_input_ > 0) return most_input_ + most_input_ / 4;
  return prompt_bytes / 2 + template_tokens;
}

double spend_guard::price_of(const token_amount& amount) const {
  constexpr double million = 1e6;
  return (static_cast<double>(amount.input) * limits_.price_in_usd +
          static_cast<double>(amount.output) * limits_.price_out_usd) / million;
}

}  // namespace photofinish::gateway::bench
