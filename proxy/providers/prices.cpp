#include "proxy/providers/prices.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace photofinish::proxy {

namespace {

constexpr double per_million = 1e-6;

bool holds(const price& each, std::chrono::sys_seconds when) {
  if (each.from) return when >= *each.from;
  if (!each.daily) return true;
  const auto [begin, end] = *each.daily;
  const auto time = when - std::chrono::floor<std::chrono::days>(when);
  return begin <= end ? begin <= time && time < end : begin <= time || time < end;
}

std::optional<double> parse_rate(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && rest == text.data() + text.size();
  if (!is_whole || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

}  // namespace

double token_rate::of(std::uint64_t input_tokens) const {
  double rate = usd;
  for (const tier& each : tiers)
    if (input_tokens > each.above) rate = each.usd;
  return rate;
}

const price& model_prices::at(std::chrono::sys_seconds when) const {
  const auto is_it = [&](const price& each) { return holds(each, when); };
  const auto last = std::find_if(periods.rbegin(), periods.rend(), is_it);
  return last == periods.rend() ? periods.front() : *last;
}

double cost_usd(const model_prices& prices, const billed_tokens& tokens, std::chrono::sys_seconds when) {
  const price& now = prices.at(when);
  const auto part = [&](const token_rate& rate, std::uint64_t count) {
    return rate.of(tokens.input) * static_cast<double>(count) * per_million;
  };
  const std::uint64_t cached = std::min(tokens.cached_input, tokens.input);
  const std::uint64_t reasoning = std::min(tokens.reasoning, tokens.output);
  return now.request + part(now.input, tokens.input - cached) + part(now.cached_input.value_or(now.input), cached) +
         part(now.output, tokens.output - reasoning) + part(now.reasoning.value_or(now.output), reasoning);
}

std::optional<model_prices> parse_prices(std::string_view text) {
  std::vector<double> rates;
  for (;;) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::optional<double> rate = parse_rate(text.substr(0, slash));
    if (!rate) return std::nullopt;
    rates.push_back(*rate);
    if (slash == text.size()) break;
    text.remove_prefix(slash + 1);
  }
  if (rates.size() != 2 && rates.size() != 3) return std::nullopt;
  price reported{.input = {rates.front(), {}}, .output = {rates.back(), {}}};
  if (rates.size() == 3) reported.cached_input = token_rate{rates[1], {}};
  return model_prices{{reported}};
}

}  // namespace photofinish::proxy
