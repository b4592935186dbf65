#include "gateway/bench/spend_guard.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::gateway::bench {
namespace {

constexpr std::uint64_t template_tokens = 64;  // the number of tokens that a chat template may add to a prompt

token_amount sum(const token_amount& left, const token_amount& right) {
  return {left.input + right.input, left.output + right.output, left.cached_input + right.cached_input};
}

}  // namespace

bool spend_guard::reserve(const token_amount& worst) {
  run_spending& run = all();
  const token_amount everything = sum(sum(run.used, run.running), worst);
  if (limits_.max_tokens && everything.input + everything.output > *limits_.max_tokens) return false;
  const double worst_usd = price_of(worst);
  constexpr double rounding = 1 + 1e-12;
  const double all_usd = run.used_usd + run.running_usd + worst_usd;
  if (limits_.max_cost_usd && all_usd > *limits_.max_cost_usd * rounding) return false;
  run.running = sum(run.running, worst);
  run.running_usd += worst_usd;
  return true;
}

void spend_guard::settle(const token_amount& worst, const std::optional<token_amount>& reported,
                         std::size_t prompt_bytes) {
  run_spending& run = all();
  run.running.input -= worst.input;
  run.running.output -= worst.output;
  run.running_usd = run.running.input + run.running.output == 0 ? 0 : run.running_usd - price_of(worst);
  const token_amount amount = reported.value_or(worst);
  run.used = sum(run.used, amount);
  run.used_usd += price_of(amount);
  used_ = sum(used_, amount);
  used_usd_ += price_of(amount);
  if (reported && prompt_bytes > 0)
    most_per_byte_ = std::max(most_per_byte_, static_cast<double>(reported->input) / static_cast<double>(prompt_bytes));
}

std::optional<double> spend_guard::cost_usd() const {
  if (!limits_.prices) return std::nullopt;
  return used_usd_;
}

std::uint64_t spend_guard::worst_input(std::size_t prompt_bytes) const {
  constexpr double reserve = 1.25;
  if (most_per_byte_ > 0)
    return static_cast<std::uint64_t>(std::ceil(most_per_byte_ * reserve * static_cast<double>(prompt_bytes)));
  return prompt_bytes / 2 + template_tokens;
}

double spend_guard::price_of(const token_amount& amount) const {
  if (!limits_.prices || amount == token_amount{}) return 0;  // a request that the endpoint rejected costs nothing
  const proxy::billed_tokens tokens{
      .input = amount.input, .cached_input = amount.cached_input, .output = amount.output};
  return proxy::cost_usd(*limits_.prices, tokens, when_);
}

}  // namespace photofinish::gateway::bench
