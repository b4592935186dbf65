// What is true of the simulated providers: how long they take, when they slow down, hang or fail, what they cost.
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

// A part of the time in which a target is not as usual.
struct spell {
  double from = 0, to = 0;  // seconds
  double factor = 1;
  double hang_share = 0, error_share = 0;
  double decode_factor = 1;  // of the time of each token
};

struct true_target {
  double median = 0.5;      // seconds to the first token
  double spread = 0.3;      // of its logarithm
  double stall_share = 0.03;  // of the attempts: six times the median, spread .5
  double rho = 0;           // per input token
  double first_token_load = 0, decode_load = 0;  // per further attempt of ours
  double decode = 0.01;     // seconds per token
  double price = 1;
  bool bills_losers_in_full = false;
  std::uint32_t vendor = 0;
  double tide = 0, tide_phase = 0;  // x exp(tide sin(time of the hour + phase))
  int quick_per_minute = 0;  // a rate limit: beyond it `limited_median`
  double limited_median = 0;
  std::vector<spell> spells;

  spell at(double now) const;  // all spells and the tide together
};

struct answer_kind {
  double median = 280, spread = 0.7;
  std::optional<std::uint64_t> max_tokens;
};

struct scenario {
  std::string name;
  std::vector<true_target> targets;
  double rate = 4;           // requests a second
  std::size_t requests = 4'000;
  double burst_rate = 0, burst_seconds = 0, burst_every = 0;
  target_sort sort = target_sort::ttft;
  double share = 0.1;
  double prompt_median = 1'500, prompt_spread = 0.9;
  std::vector<answer_kind> answers{{}};
  double correlation = 0;    // of targets of one vendor
  std::size_t max_parallel = 3;

  double rate_at(double now) const;
  double change_from() const;  // of the first target; 0 without one
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

// `turn`: of that request at that target. `is_quick`: within its rate limit.
true_outcome draw_outcome(const scenario& world, std::uint64_t seed, std::uint64_t number, std::size_t target, std::size_t turn,
                          double now, double input_tokens, double in_flight, bool is_quick);

double true_decode(const true_target& target, double in_flight, double now);

// What an oracle knows of a target: the truth of this moment, and no outcome.
target_forecast true_forecast(const true_target& target, double now, bool is_quick);

// Answers' mean length of the kind with that limit.
double true_length(const scenario& world, std::optional<std::uint64_t> max_tokens);

}  // namespace photofinish::racing
