// What a request brings to its choice of targets, and what the choice says. Plain values. [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"
#include "racing/adaptive/target_sort.hpp"
#include "racing/forecast/prefix_match.hpp"

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
  double input_tokens = 0;    // of the prompt, all of it
  double win_cost = 0;        // of the whole answer, expected
  double loss_cost = 0;       // of an attempt that loses
  double idle_seconds = 1e9;  // since an attempt last started there
  bool has_headroom = true;   // of the rate limit of this key: as many as remain have not been started since
  std::optional<double> error_share;  // of this key, where it is known apart
  // For requests that follow prompt caches. The costs above are then those of a prompt without cached tokens, until
  // expect_hits() lowers them.
  prefix_match match;
  double saved_per_token = 0;    // cost of an uncached input token, less the cost of a cached one
  bool bills_cut_input = false;  // the provider bills the input of a loser that is cut before its first token
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
  // `prompt_cache: follow`. False: matches count for nothing, there are no twins, and no prefill is finished.
  bool follows_cache = false;
  bool twin_hedges = true;
  bool finish_prefill = true;
  double usual_seconds = 0;    // mean of what `sort` names: budget_reading::objective; 0: unknown
};

enum class probe_cause { none, stale, surprise, cold };

// Why a request leaves the target that is expected to have most of its prompt.
enum class move_cause { none, slower, failing, limited, expired, trial };
constexpr auto words_of(move_cause) {
  using enum move_cause;
  return proxy::enum_words<move_cause, 6>{{{none, "none"}, {slower, "slower"}, {failing, "failing"},
                                           {limited, "limited"}, {expired, "expired"}, {trial, "trial"}}};
}
constexpr std::string_view to_string(move_cause why) { return proxy::word_of(why); }

// The part of a choice that `prompt_cache: follow` adds.
struct cache_choice {
  bool follows_cache = false;
  bool is_hedge_twin = false;      // the hedge is a second attempt at order[0], not at order[1]
  bool is_rescue_twin = false;     // the first rescue is
  std::uint32_t finishes_prefill = 0;  // rows, as bits, of cold targets: losers there are cut at their first token
  std::optional<std::uint8_t> warm;    // the row that is expected to have most of the prompt, whatever its state
  move_cause moved = move_cause::none;  // why order[0] is another row than `warm`
  double move_cost = 0;            // what order[0] costs more than `warm`, expected
};

struct adaptive_choice : cache_choice {
  std::array<std::uint8_t, max_rows> order{};  // rows: first, hedge if any, third if any, then by value
  std::size_t count = 0;
  std::optional<double> hedge_after;  // seconds from the race's beginning; for hedge_row()
  std::optional<double> third_after;  // for order[2], never with a twin
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

  bool is_warm_first() const { return warm && count > 0 && *warm == order[0]; }
  std::uint8_t hedge_row() const { return order[is_hedge_twin ? 0 : 1]; }
};

}  // namespace photofinish::racing
