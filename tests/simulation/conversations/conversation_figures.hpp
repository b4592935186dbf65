// The results of a simulated run of conversations.
#pragma once

#include "tests/simulation/adaptive/measures.hpp"
#include "tests/simulation/conversations/conversation_run.hpp"

#include <array>
#include <optional>

namespace photofinish::racing {

struct conversation_figures {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;  // time to the first token, in seconds
  double cents = 0;                            // mean cost of a turn in cents, including losers
  // `extra` is the cost of the losers, and `rescues` is the cost of the attempts that start because the others hang. Both are divided by
  // the winners' cost.
  double extra = 0, rescues = 0;
  double worst_ten_minutes = 0;                // extra cost in the worst ten minutes, as a share of the winners' cost
  // The extra cost of turns at targets that do not have the prompt in their caches, as a share of all costs.
  double moves = 0;
  // The share of turns that are won by a target with the prompt in its cache. Turns whose prompt is in no cache do not count.
  double warm = 0;
  double turns = 0;
  std::array<double, 3> within{};              // shares of first tokens that came within the predicted p50, p90 and p99

  conversation_figures& operator+=(const conversation_figures& other);
  conversation_figures operator/(double count) const;
};

conversation_figures measure(const conversation_scenario& world, const conversation_result& run);

// These functions return results for the turns between two points in time: the share of turns that begin with the first target, and the
// mean time to the first token.
double share_of_first_target(const conversation_result& run, double from, double to);
double mean_between(const conversation_result& run, double from, double to);

}  // namespace photofinish::racing
