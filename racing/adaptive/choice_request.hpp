// The facts about a request on which its choice of targets depends, and the resulting choice. All types are plain
// values. [pure]
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
  cooling,  // the target had errors and is in its cooldown; only a probe may use it
  limited,  // a rate limit that the provider reported is used up; not even a probe may use the target
  out,      // the target cannot serve this request
};

// A target's state and costs for this request. Lists of targets have the same order as the rows of the choice table.
struct target_now {
  target_state state = target_state::ready;
  double in_flight = 0;       // number of attempts that this gateway is running at the target
  double input_tokens = 0;    // number of tokens in the whole prompt
  double win_cost = 0;        // expected cost if the attempt wins and the answer is complete
  double loss_cost = 0;       // expected cost if the attempt loses
  double idle_seconds = 1e9;  // seconds since an attempt at the target was last started
  // True if the key's rate limit is not used up: since the provider's last report, fewer requests were started than the
  // report allowed.
  bool has_headroom = true;
  std::optional<double> error_share;  // share of attempts with this key that fail, if known
  // The longest cached prefix that matches, for requests that prefer targets with a cached prompt. The members for the
  // target's costs first assume that no tokens are cached. expect_hits() then reduces these costs.
  prefix_match match;
  double saved_per_token = 0;    // cost of an uncached input token minus the cost of a cached one
  bool bills_cut_input = false;  // true if the provider bills the input of a loser that is cancelled before its first
                                 // token
};

struct choice_request {
  target_sort sort = target_sort::ttft;
  double output_tokens = 250;  // expected number
  double price = 0;            // the budget's price: how many seconds a hedge must save if it costs as much as a usual
                               // request
  double usual_cost = 1;
  bool may_hedge = true;       // true if the budget is above 0 and the plan allows more than one attempt
  bool may_hedge_twice = false;
  double probe_stock = 0;      // the amount that probes may cost now
  double bucket = 0;           // the amount that hedges may cost now
  // A random number between 0 and 1, uniformly distributed. It decides whether the request begins with the target that
  // was started longest ago. If there is no budget for probes, 1 % of the requests do so.
  double draw = 1;
  bool may_explore = true;
  bool may_use_cooling = true;  // true if all compared targets are in a cooldown; false if any other target can be used
  // True with `prompt_cache: follow`. If false, cached prefixes are ignored, no target gets a second attempt (twin),
  // and no loser continues in order to fill its target's prompt cache.
  bool follows_cache = false;
  bool twin_hedges = true;
  bool finish_prefill = true;
  double usual_seconds = 0;    // mean seconds to the first token, or to the end with `sort: finish`
                               // (budget_reading::objective); 0 if unknown
};

enum class probe_cause { none, stale, surprise, cold };

// The reason why a request does not start at the target that is expected to have cached most of the prompt.
enum class move_cause { none, slower, failing, limited, expired, trial };
constexpr auto words_of(move_cause) {
  using enum move_cause;
  return proxy::enum_words<move_cause, 6>{{{none, "none"}, {slower, "slower"}, {failing, "failing"},
                                           {limited, "limited"}, {expired, "expired"}, {trial, "trial"}}};
}
constexpr std::string_view to_string(move_cause why) { return proxy::word_of(why); }

// The part of a choice that depends on prompt caches. It is used with `prompt_cache: follow`.
struct cache_choice {
  bool follows_cache = false;
  bool is_hedge_twin = false;      // true if the hedge is a second attempt at the first target, and not an attempt at
                                   // the second target
  // True if the first rescue (an attempt after a long silence) is a second attempt at the first target.
  bool is_rescue_twin = false;
  // A bit set of targets, by row. These targets have not cached the prompt. If an attempt at such a target loses, it
  // continues until its first token, so that the target caches the prompt.
  std::uint32_t finishes_prefill = 0;
  // The row of the target that probably has most of the prompt cached, even if this target cannot be used now. If the
  // first target has cached nearly as much of the prompt, this is the row of the first target.
  std::optional<std::uint8_t> warm;
  // The reason why the race does not begin at the target that probably has most of the prompt cached.
  move_cause moved = move_cause::none;
  // The expected cost of the first target minus the expected cost of the target that probably has most of the prompt
  // cached.
  double move_cost = 0;
};

struct adaptive_choice : cache_choice {
  // The rows of the targets, in the order in which the race uses the targets. The target that starts first is followed
  // by the hedge and the third attempt, if there are any. The remaining targets are ordered by their value.
  std::array<std::uint8_t, max_rows> order{};
  std::size_t count = 0;
  std::optional<double> hedge_after;  // seconds from the race's start until the hedge starts
  std::optional<double> third_after;  // seconds until a third attempt starts at the third target; not used if the hedge
                                      // is a second attempt at the first target
  std::optional<std::uint8_t> probe;  // row of the target to probe; the probe starts together with the first attempt
  probe_cause why_probe = probe_cause::none;
  bool is_probe_from_bucket = false;
  // True if the last answers of the first target were generated slowly, and this attempt measures the target's speed
  // again.
  bool is_speed_trial = false;
  std::optional<double> rescue_after;  // if no token arrives for this many seconds after the last start of an attempt,
                                       // another attempt starts as a rescue
  // The expected seconds with this choice, including the extra cost, which is converted to seconds.
  double value = 0;
  double value_unhedged = 0;
  double first_token = 0;       // predicted mean time to the first token in seconds
  double hedge_share = 0;       // probability that the first attempt is still silent when the hedge starts, among
                                // attempts that answer at all
  std::optional<double> deadline;  // the deadline in seconds, if the request has one
  double deadline_chance = 1;      // probability that this choice meets the deadline
  bool is_hastened = false;        // true if the deadline makes more attempts start immediately

  bool is_warm_first() const { return warm && count > 0 && *warm == order[0]; }
  std::uint8_t hedge_row() const { return order[is_hedge_twin ? 0 : 1]; }
};

}  // namespace photofinish::racing
