// The prices of a model's tokens, and the cost of one answer. [pure] A price may depend on the size of the prompt, and
// on the date, weekday and hour at which the answer is complete. A missing price is unknown, never zero.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// The numbers of tokens that a provider bills. `input` includes `cached_input`, the tokens read from the provider's
// cache, and `written_input`, the tokens written to it. `written_for_hour` is the part of `written_input` that the
// cache keeps for an hour instead of minutes. `output` includes `reasoning`, the tokens that are not part of the
// visible answer.
struct billed_tokens {
  std::uint64_t input = 0;
  std::uint64_t cached_input = 0;
  std::uint64_t written_input = 0;
  std::uint64_t written_for_hour = 0;
  std::uint64_t output = 0;
  std::uint64_t reasoning = 0;
};

// A rate in USD per million tokens. If a prompt has more than tier::above tokens, that tier's rate applies to all
// tokens of the request, and not only to the tokens above the limit.
struct token_rate {
  struct tier {
    std::uint64_t above = 0;
    double usd = 0;
    bool operator==(const tier&) const = default;
  };
  double usd = 0;
  std::vector<tier> tiers;  // ascending

  double of(std::uint64_t input_tokens) const;
  bool operator==(const token_rate&) const = default;
};

// A range of hours in UTC. If the end is before the beginning, the range extends past midnight.
struct daily_hours {
  std::chrono::minutes begin{0};
  std::chrono::minutes end{0};

  bool contain(std::chrono::seconds time_of_day) const;
  bool operator==(const daily_hours&) const = default;
};

// The days and hours at which a price applies, in UTC. If several members are set, all of their conditions must be met.
struct price_times {
  std::optional<std::chrono::sys_days> from;
  std::vector<daily_hours> hours;  // the hours at which the price applies; empty if the price applies all day
  // The weekdays on which the price applies, one bit each. Bit 0 is Sunday. 0 means every day.
  std::uint8_t weekdays = 0;
  std::vector<std::chrono::sys_days> holidays;  // the days on which the price does not apply, in ascending order

  bool contain(std::chrono::sys_seconds when) const;
  bool operator==(const price_times&) const = default;
};

struct price {
  token_rate input;
  token_rate output;
  // The price of input that is read from the cache; by default, the price of other input.
  std::optional<token_rate> cached_input;
  // the price of input that is written to the cache; by default, the price of other input
  std::optional<token_rate> written_input;
  // the price of input that the cache keeps for an hour; by default, the price of written_input
  std::optional<token_rate> written_for_hour;
  std::optional<token_rate> reasoning;         // the price of reasoning tokens; by default, the price of output
  double request = 0;                          // the price of each request, in USD
  price_times times;

  bool operator==(const price&) const = default;
};

// The prices of one model. If several prices apply, the last one counts. If none applies, the first one counts.
struct model_prices {
  std::vector<price> periods;  // all prices of the model, at least one

  const price& at(std::chrono::sys_seconds when) const;
  bool operator==(const model_prices&) const = default;
};

double cost_usd(const model_prices& prices, const billed_tokens& tokens, std::chrono::sys_seconds when);

// Parses prices in USD per million tokens. "0.15/0.6" means input/output, and "0.15/0.075/0.6" means input/cached
// input/output. In a text with four prices, such as "3/0.3/3.75/15", the third price is for input that is written to
// the cache. In a text with five prices, such as "3/0.3/3.75/6/15", the fourth price is for input that the cache keeps
// for an hour. The last price is always for output.
std::optional<model_prices> parse_prices(std::string_view text);

}  // namespace photofinish::proxy
