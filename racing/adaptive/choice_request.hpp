// The facts about a request on which its choice of targets depends, and the resulting choice. Plain values. [pure]
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
  cooling,  // the target cools down after errors: only a probe may use it
  limited,  // a limit that the provider reported excludes the target: not even a probe may use it
  out,      // the target cannot serve this request
};

// A target at the time of this request. The targets have the order of the rows in the choice table.
struct target_now {
  target_state state = target_state::ready;
  double in_flight = 0;       // number of this gateway's running attempts at the target
  double input_tokens = 0;    // number of tokens in the whole prompt
  double win_cost = 0;        // expected cost of the whole answer
  double loss_cost = 0;       // cost of an attempt that loses
  double idle_seconds = 1e9;  // seconds since the last start of an attempt at the target
  // True if the rate limit of this key has room: fewer requests were started since the provider's last report than the
  // report allowed.
  bool has_headroom = true;
  std::optional<double> error_share;  // share of this key's attempts that fail, if known
  // The matching cached prefix, set for requests that follow prompt caches. The costs above assume a prompt without
  // cached tokens, until expect_hits() lowers these costs.
  prefix_match match;
  double saved_per_token = 0;    // cost of an uncached input token minus the cost of a cached input token
  bool bills_cut_input = false;  // true if the provider bills the input of a loser that is cut before its first token
};

struct choice_request {
  target_sort sort = target_sort::ttft;
  double output_tokens = 250;  // expected number
  double price = 0;            // price of the budget: seconds that a hedge must save for the cost of a usual request
  double usual_cost = 1;
  bool may_hedge = true;       // the budget is above 0, and the plan allows more than one attempt
  bool may_hedge_twice = false;
  double probe_stock = 0;      // the most that probes may cost now
  double bucket = 0;           // the most that hedges may cost now
  // A uniform random number from 0 to 1. Without a budget for probes, 1 % of the requests begin with the target that
  // was started longest ago.
  double draw = 1;
  bool may_explore = true;
  bool may_use_cooling = true;  // true if all compared targets cool down; false if another target can run
  // True with `prompt_cache: follow`. If it is false, cached prefixes are ignored, there are no twins, and no loser
  // finishes its prefill.
  bool follows_cache = false;
  bool twin_hedges = true;
  bool finish_prefill = true;
  double usual_seconds = 0;    // mean seconds of the quantity in `sort` (budget_reading::objective); 0 if unknown
};

enum class probe_cause { none, stale, surprise, cold };

// The reason why a request does not start at the target that is expected to have most of its prompt cached.
enum class move_cause { none, slower, failing, limited, expired, trial };
constexpr auto words_of(move_cause) {
  using enum move_cause;
  return proxy::enum_words<move_cause, 6>{{{none, "none"}, {slower, "slower"}, {failing, "failing"},
                                           {limited, "limited"}, {expired, "expired"}, {trial, "trial"}}};
}
constexpr std::string_view to_string(move_cause why) { return proxy::word_of(why); }

// The part of a choice that depends on prompt caches, with `prompt_cache: follow`.
struct cache_choice {
  bool follows_cache = false;
  bool is_hedge_twin = false;      // the hedge is a second attempt at order[0], not at order[1]
  bool is_rescue_twin = false;     // the first rescue is a second attempt at order[0]
  // Bit set of rows. Their targets have not cached the prompt; if their attempt loses, it continues to its first token.
  std::uint32_t finishes_prefill = 0;
  // The row of the target that is expected to have most of the prompt cached, whatever its state. If order[0] has
  // nearly as much of the prompt, this is order[0].
  std::optional<std::uint8_t> warm;
  move_cause moved = move_cause::none;  // why order[0] is another row than `warm`
  double move_cost = 0;            // expected extra cost of order[0] compared with `warm`
};

struct adaptive_choice : cache_choice {
  // The rows in order: first the target that starts first, then the hedge and the third attempt if there are any, then
  // the other targets by their value.
  std::array<std::uint8_t, max_rows> order{};
  std::size_t count = 0;
  std::optional<double> hedge_after;  // hedge delay in seconds from the race's start; applies to hedge_row()
  std::optional<double> third_after;  // delay of the third attempt at order[2]; never set with a twin
  std::optional<std::uint8_t> probe;  // the row of the probe, which starts together with the first target
  probe_cause why_probe = probe_cause::none;
  bool is_probe_from_bucket = false;
  // True if order[0] decoded its last answers slowly, and this attempt tests its speed again.
  bool is_speed_trial = false;
  std::optional<double> rescue_after;  // seconds without a token since the last start after which the rescue starts
  double value = 0;             // value of the choice in seconds, including its cost
  double value_unhedged = 0;
  double first_token = 0;       // predicted mean time of the first token in seconds
  double hedge_share = 0;       // share of answering attempts that are still silent when the hedge starts
  std::optional<double> deadline;  // deadline in seconds, if there is one
  double deadline_chance = 1;      // probability that this choice meets the deadline
  bool is_hastened = false;        // true if the deadline makes more attempts start immediately

  bool is_warm_first() const { return warm && count > 0 && *warm == order[0]; }
  std::uint8_t hedge_row() const { return order[is_hedge_twin ? 0 : 1]; }
};

}  // namespace photofinish::racing
