// Makes the plan of one race from the route's settings, the client's overrides and the scoreboard of cooldowns. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"
#include "racing/adaptive/choice_request.hpp"
#include "racing/race_plan.hpp"
#include "racing/scoreboard.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::racing {

// One target of the request, and the reasons why it may not be used.
struct candidate {
  candidate_id id;
  bool has_key = true;                           // true if there is a key for the target, or if it needs none
  // A parameter of the request that changes the answer and that the target does not support.
  std::optional<std::string> unsupported_param;
  bool is_busy = false;                          // true if the target's limit of concurrent attempts is reached
  // The property that the route requires and the target lacks, as a string literal. Empty if the target meets all
  // requirements.
  std::string_view unmet = {};
  // The request's service tier if a price is required but unknown for this tier, as a string literal. Otherwise empty.
  std::string_view unpriced = {};
  // The limit that the request probably exceeds, as a string literal. Empty if it exceeds no limit.
  std::string_view too_long = {};
};

enum class skip_reason { no_key, unsupported, cooldown, busy, required, too_long, unpriced };
constexpr auto words_of(skip_reason) {
  using enum skip_reason;
  return proxy::enum_words<skip_reason, 7>{{{no_key, "no_key"},
                                            {unsupported, "unsupported"},
                                            {cooldown, "cooldown"},
                                            {busy, "busy"},
                                            {required, "required"},
                                            {too_long, "too_long"},
                                            {unpriced, "unpriced"}}};
}
constexpr std::string_view to_string(skip_reason reason) { return proxy::word_of(reason); }

struct skipped_candidate {
  std::size_t candidate;
  skip_reason reason;
  std::string detail;  // the name of the parameter or limit because of which the candidate was skipped
};

// The values of the client's x-race-* headers, which may only make a race cheaper, and other requirements of the
// request.
struct plan_overrides {
  std::optional<race_policy> policy;
  std::optional<std::chrono::milliseconds> hedge_delay;
  std::optional<std::size_t> max_parallel;
  std::optional<std::size_t> max_attempts;
  std::optional<std::chrono::milliseconds> deadline;
  bool is_stored = false;  // true if the provider stores the answer; then attempts run one at a time
  bool is_whole = false;   // true if the client receives the answer as a whole, not as a stream
};

struct planned_race {
  race_plan plan;                  // plan.target_count is chosen.size(), or 0 if no target can be used
  std::vector<std::size_t> chosen;  // the index of the candidate for each target of the plan, in the plan's order
  std::vector<skipped_candidate> skipped;
  std::optional<adaptive_choice> choice;  // the choice, if the policy is adaptive and the speeds are known
};

struct refused_override {
  std::string header;   // name of the rejected header, such as "x-race-max-parallel"
  std::string message;
};

// Makes the plan. `settings.policy` must be set if there are several candidates. The targets keep the given order until
// speed_planner.hpp sorts them. If they are not sorted, the policy adaptive starts one target, and starts the next
// target only after a failure or a long silence.
std::variant<planned_race, refused_override> make_plan(const std::vector<candidate>& candidates,
                                                       const race_settings& settings,
                                                       const plan_overrides& overrides,
                                                       const scoreboard& board, instant now, caller_id caller = 0);

}  // namespace photofinish::racing
