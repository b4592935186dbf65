// The true properties of the simulated providers, which the gateway does not know: their times, slow periods, hangs, failures and prices.
#pragma once

#include "racing/adaptive/target_sort.hpp"
#include "racing/forecast/target_forecast.hpp"
#include "tests/simulation/adaptive/dice.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::racing {

// A period in which a target behaves differently.
struct spell {
  double from = 0, to = 0;  // seconds
  double factor = 1;
  double hang_share = 0, error_share = 0;
  double decode_factor = 1;  // multiplies the seconds per output token during the period
};

struct true_target {
  double median = 0.5;      // median time to the first token, in seconds
  double spread = 0.3;      // standard deviation of the logarithm of the time to the first token
  double stall_share = 0.03;  // share of attempts that stall: they take about six times the median, with a `spread` of .5
  double rho = 0;           // relative increase of the time to the first token for each input token
  double first_token_load = 0, decode_load = 0;  // relative increase of each time for each concurrent attempt at the target
  double decode = 0.01;     // seconds per output token
  double price = 1;
  bool bills_losers_in_full = false;
  std::uint32_t vendor = 0;
  double tide = 0, tide_phase = 0;  // all times are multiplied by exp(tide * sin(time of the hour + phase))
  // The rate limit in requests per minute. Requests beyond this limit take `limited_median` seconds.
  int quick_per_minute = 0;
  double limited_median = 0;
  std::vector<spell> spells;

  // Returns the effect of all slow periods at this time, and of the hourly tide, as one period.
  spell at(double now) const;
};

struct answer_kind {
  double median = 280, spread = 0.7;
  std::optional<std::uint64_t> max_tokens;
};

struct scenario {
  std::string name;
  std::vector<true_target> targets;
  double rate = 4;           // number of requests per second
  std::size_t requests = 4'000;
  double burst_rate = 0, burst_seconds = 0, burst_every = 0;
  target_sort sort = target_sort::ttft;
  double share = 0.1;
  double prompt_median = 1'500, prompt_spread = 0.9;
  std::vector<answer_kind> answers{{}};
  double correlation = 0;    // correlation of slow periods between targets of the same vendor
  std::size_t max_parallel = 3;

  double rate_at(double now) const;
  double change_from() const;  // returns when the first target changes, or 0 if it does not change
  double change_to() const;
};

struct true_request {
  double input_tokens = 0;
  double output_tokens = 0;
  std::optional<std::uint64_t> max_tokens;
  std::uint64_t caller = 0;
};

enum class true_end { answer, error, hang };
struct true_outcome {
  true_end end = true_end::answer;
  double seconds = 0;
};

true_request draw_request(const scenario& world, std::uint64_t seed, std::uint64_t number);

// Draws the result of an attempt at random. `turn` is the attempt's number among the attempts of one request at the same target. `is_quick`
// is true if the attempt is within the target's rate limit.
true_outcome draw_outcome(const scenario& world, std::uint64_t seed, std::uint64_t number, std::size_t target, std::size_t turn,
                          double now, double input_tokens, double in_flight, bool is_quick);

double true_decode(const true_target& target, double in_flight, double now);

// Returns the true distribution of a target's times at this moment. The oracle, a policy that knows the true speeds, may use this
// distribution, but may not know the result of an attempt.
target_forecast true_forecast(const true_target& target, double now, bool is_quick);

// Returns the mean length of answers to requests with the token limit `max_tokens`.
double true_length(const scenario& world, std::optional<std::uint64_t> max_tokens);

}  // namespace photofinish::racing
