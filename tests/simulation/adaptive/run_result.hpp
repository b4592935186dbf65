// The options of a simulated run, and its results.
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

// The facts about one request after the run.
struct run_request {
  double at = 0, decided = 0;
  double first_token = 0, total = 0;  // seconds; the race's time limit if the request was never answered
  bool is_answered = false;
  std::size_t first = 0;              // number of the target that the plan starts first
  std::size_t winner = 0;             // the target that won
  std::uint64_t caller = 0;
  double lost_tokens = 0;             // number of tokens that losers had sent until the decision
  double won_cost = 0;
  double hedge_cost = 0, rescue_cost = 0;  // cost of losers, separately for hedges and probes, and for rescues
  std::array<double, 3> predicted{};  // predicted p50, p90 and p99 of the first token; 0 if not requested
};

struct run_options {
  bool predicts = false;
  std::uint64_t hog = 0;        // number of requests, of every ten, that come from one caller
  std::optional<std::size_t> hog_fails_at;  // target at which each attempt of this caller fails because of the caller
  bool holds = false;           // true if the run uses `win_on: finish`
  speed_history* history = nullptr;  // receives the requests; null if they are not recorded
  std::chrono::milliseconds hedge_delay{300};
};

struct run_result {
  std::vector<run_request> requests;
  std::uint64_t jumps = 0, samples = 0;
  std::uint64_t digest = 0;  // hash of all decisions in the run
  std::uint64_t holds = 0;   // number of times that an attempt was held
  std::array<std::uint64_t, 3> hedges{};  // numbers of hedges that were granted, refused by an empty budget, left to other callers
};

}  // namespace photofinish::racing
