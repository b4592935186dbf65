#include "proxy/providers/prices.hpp"

#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::proxy {

namespace {

constexpr double per_million = 1e-6;

std::optional<double> parse_rate(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

}  // namespace

bool daily_hours::contain(std::chrono::seconds time_of_day) const {
  return begin <= end ? begin <= time_of_day && time_of_day < end : begin <= time_of_day || time_of_day < end;
}

bool price_times::contain(std::chrono::sys_seconds when) const {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  if (from && day < *from) return false;
  if (weekdays != 0 && (weekdays >> std::chrono::weekday(day).c_encoding() & 1) == 0) return false;
  if (std::binary_search(holidays.begin(), holidays.end(), day)) return false;
  const auto contains_it = [&](const daily_hours& each) { return each.contain(when - day); };
  return hours.empty() || std::any_of(hours.begin(), hours.end(), contains_it);
}

double token_rate::of(std::uint64_t input_tokens) const {
  double rate = usd;
  for (const tier& each : tiers)
    if (input_tokens > each.above) rate = each.usd;
  return rate;
}

const price& model_prices::at(std::chrono::sys_seconds when) const {
  const auto is_it = [&](const price& each) { return each.times.contain(when); };
  const auto last = std::find_if(periods.rbegin(), periods.rend(), is_it);
  return last == periods.rend() ? periods.front() : *last;
}

double cost_usd(const model_prices& prices, const billed_tokens& tokens, std::chrono::sys_seconds when) {
  const price& now = prices.at(when);
  const auto part = [&](const token_rate& rate, std::uint64_t count) {
    return rate.of(tokens.input) * static_cast<double>(count) * per_million;
  };
  const auto among = [](std::uint64_t count, std::uint64_t all) { return std::min(count, all); };
  const std::uint64_t cached = among(tokens.cached_input, tokens.input);
  const std::uint64_t written = among(tokens.written_input, tokens.input - cached);
  const std::uint64_t for_hour = among(tokens.written_for_hour, written);
  const std::uint64_t reasoning = among(tokens.reasoning, tokens.output);
  const token_rate& writing = now.written_input ? *now.written_input : now.input;
  return now.request + part(now.input, tokens.input - cached - written) +
         part(now.cached_input ? *now.cached_input : now.input, cached) + part(writing, written - for_hour) +
         part(now.written_for_hour ? *now.written_for_hour : writing, for_hour) +
         part(now.output, tokens.output - reasoning) + part(now.reasoning ? *now.reasoning : now.output, reasoning);
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
  if (rates.size() < 2 || rates.size() > 5) return std::nullopt;
  price reported{.input = {rates.front(), {}}, .output = {rates.back(), {}}};
  if (rates.size() > 2) reported.cached_input = token_rate{rates[1], {}};
  if (rates.size() > 3) reported.written_input = token_rate{rates[2], {}};
  if (rates.size() > 4) reported.written_for_hour = token_rate{rates[3], {}};
  return model_prices{{reported}};
}

}  // namespace photofinish::proxy
