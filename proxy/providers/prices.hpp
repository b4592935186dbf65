// The price of a model's text, and the cost of one answer. [pure]
// A price may depend on the size of the prompt, on the date, on the day of the week and on the hour. The time at which
// the answer is complete counts. A price that is not given is unknown, never zero.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// What a provider bills for. Of the input tokens `cached_input` came from its cache and `written_input` went into
// it, `written_for_hour` of these to stay for an hour instead of minutes; of the output tokens `reasoning` were
// thought, not answered.
struct billed_tokens {
  std::uint64_t input = 0;
  std::uint64_t cached_input = 0;
  std::uint64_t written_input = 0;
  std::uint64_t written_for_hour = 0;
  std::uint64_t output = 0;
  std::uint64_t reasoning = 0;
};

// USD for a million tokens. A prompt of more than `above` tokens has that tier's rate for all of its tokens.
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

// Hours of a day in UTC. They reach past midnight if they end before they begin.
struct daily_hours {
  std::chrono::minutes begin{0};
  std::chrono::minutes end{0};

  bool contain(std::chrono::seconds time_of_day) const;
  bool operator==(const daily_hours&) const = default;
};

// The days and hours at which a price holds, in UTC. Every condition that is set must be met.
struct price_times {
  std::optional<std::chrono::sys_days> from;
  std::vector<daily_hours> hours;               // empty: the whole day
  std::uint8_t weekdays = 0;                    // bit 0 is Sunday; 0: every day
  std::vector<std::chrono::sys_days> holidays;  // the price does not hold on these days; ascending

  bool contain(std::chrono::sys_seconds when) const;
  bool operator==(const price_times&) const = default;
};

struct price {
  token_rate input;
  token_rate output;
  std::optional<token_rate> cached_input;      // none: as input
  std::optional<token_rate> written_input;     // none: as input
  std::optional<token_rate> written_for_hour;  // none: as written_input
  std::optional<token_rate> reasoning;         // none: as output
  double request = 0;                          // USD for the request itself
  price_times times;

  bool operator==(const price&) const = default;
};

// One model's prices: the last one that holds counts, else the first.
struct model_prices {
  std::vector<price> periods;  // at least one

  const price& at(std::chrono::sys_seconds when) const;
  bool operator==(const model_prices&) const = default;
};

double cost_usd(const model_prices& prices, const billed_tokens& tokens, std::chrono::sys_seconds when);

// USD for a million tokens: "0.15/0.6" is input/output, "0.15/0.075/0.6" input/cached input/output. Before the output
// may stand what it costs to write input into the cache, too, and to have it kept for an hour: "3/0.3/3.75/6/15".
std::optional<model_prices> parse_prices(std::string_view text);

}  // namespace photofinish::proxy
