// What a request brings to its choice of targets, and what the choice says. Plain values. [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"
#include "racing/adaptive/target_sort.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace photofinish::racing {

enum class target_state {
  ready,
  cooling,  // after errors: only a probe may try it
  limited,  // by what the provider has said: no probe either
  out,      // cannot serve this request
};

// One target as this request meets it, in the order of the table's rows.
struct target_now {
  target_state state = target_state::ready;
  double in_flight = 0;       // attempts of ours that run there
  double input_tokens = 0;    // of the prompt, all of it: who has cached what is not known beforehand
  double win_cost = 0;        // of the whole answer, expected
  double loss_cost = 0;       // of an attempt that loses
  double idle_seconds = 1e9;  // since an attempt last started there
  bool has_headroom = true;   // of the rate limit of this key: as many as remain have not been started since
  std::optional<double> error_share;  // of this key, where it is known apart
};

struct choice_request {
  target_sort sort = target_sort::ttft;
  double output_tokens = 250;  // expected
  double price = 0;            // seconds that a usual request's cost must save: see speculation_budget
  double usual_cost = 1;
  bool may_hedge = true;       // the budget is not 0, and the plan may have more than one attempt
  bool may_hedge_twice = false;
  double probe_stock = 0;      // what probes may cost now
  double bucket = 0;           // what hedges may cost now
  double draw = 1;             // 0..1, uniform: without a budget a hundredth of the requests begin with the stalest
  bool may_explore = true;
  bool may_use_cooling = true;  // where all compared ones cool: false where others are to run, which are not compared
};

enum class probe_cause { none, stale, surprise, cold };

struct adaptive_choice {
  std::array<std::uint8_t, max_rows> order{};  // rows: first, hedge if any, third if any, then by value
  std::size_t count = 0;
  std::optional<double> hedge_after;  // seconds from the race's beginning; for order[1]
  std::optional<double> third_after;  // for order[2]
  std::optional<std::uint8_t> probe;  // starts with the first
  probe_cause why_probe = probe_cause::none;
  bool is_probe_from_bucket = false;
  bool is_speed_trial = false;        // order[0] was slow to speak its answers: whether it is still must be seen
  std::optional<double> rescue_after;  // seconds of silence since the last start
  double value = 0;             // of the choice: seconds, with what it costs
  double value_unhedged = 0;
  double first_token = 0;       // seconds, predicted mean of the first token
  double hedge_share = 0;       // how many of those that answer are silent still at hedge_after
  std::optional<double> deadline;  // seconds, where there is one
  double deadline_chance = 1;      // that it is met by this choice
  bool is_hastened = false;        // more start at once than without it
};

}  // namespace photofinish::racing
