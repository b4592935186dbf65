// The options and the results of a simulated run.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace photofinish::racing {

class speed_history;

enum class racer { fallback, hedge, all, adaptive, oracle };

// The result of one request.
struct run_request {
  double at = 0, decided = 0;
  double first_token = 0, total = 0;  // times in seconds; the race's time limit if the request was never answered
  bool is_answered = false;
  std::size_t first = 0;              // index of the target that starts first
  std::size_t winner = 0;             // index of the target that won
  std::uint64_t caller = 0;
  double lost_tokens = 0;             // number of tokens that losers had sent before the race was decided
  double won_cost = 0;
  // The costs of losers: `rescue_cost` for attempts that started because the others hung, and `hedge_cost` for hedges and probes.
  double hedge_cost = 0, rescue_cost = 0;
  std::array<double, 3> predicted{};  // predicted p50, p90 and p99 of the time to the first token; 0 if the run makes no predictions
};

struct run_options {
  bool predicts = false;
  std::uint64_t hog = 0;        // the number of requests, out of every ten, that come from one particular caller
  std::optional<std::size_t> hog_fails_at;  // the target at which all attempts of this caller fail, because of the caller's own requests
  bool holds = false;           // true if the run uses `win_on: finish`
  speed_history* history = nullptr;  // the records from which route advice is computed; null if nothing is recorded
  std::chrono::milliseconds hedge_delay{300};
};

struct run_result {
  std::vector<run_request> requests;
  std::uint64_t jumps = 0, samples = 0;
  std::uint64_t digest = 0;  // hash of all decisions in the run
  std::uint64_t holds = 0;   // number of times that a race held back the tokens of an attempt
  // The numbers of hedges by result: granted, refused because the budget was empty, and refused in favour of other callers.
  std::array<std::uint64_t, 3> hedges{};
};

}  // namespace photofinish::racing
