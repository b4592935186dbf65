// Makes the plan of one race from the route, the client's overrides and the scoreboard. [pure]
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

// One target of the request, and the reasons for which it may not run.
struct candidate {
  candidate_id id;
  bool has_key = true;                           // true if the target has its key, or needs no key
  // A parameter of the request that changes the answer and that the target cannot honour.
  std::optional<std::string> unsupported_param;
  bool is_busy = false;                          // the target's limit of concurrent attempts is reached
  // The property of the target that does not meet the route's requirement, as a string literal. Empty if the target
  // meets all requirements.
  std::string_view unmet = {};
  // The service tier of the request if it needs a price but has none, as a string literal. Empty if the target may run.
  std::string_view unpriced = {};
  // The limit that the request is estimated to exceed, as a string literal. Empty if it exceeds no limit.
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
  std::string detail;  // name of the parameter, the target's property or the tier
};

// The x-race-* headers, which may only lower a race's cost, and the request's own requirements.
struct plan_overrides {
  std::optional<race_policy> policy;
  std::optional<std::chrono::milliseconds> hedge_delay;
  std::optional<std::size_t> max_parallel;
  std::optional<std::size_t> max_attempts;
  std::optional<std::chrono::milliseconds> deadline;
  bool is_stored = false;  // the provider stores the answer, so attempts run one at a time
  bool is_whole = false;   // the client waits for the whole answer, not for its first token
};

struct planned_race {
  race_plan plan;                  // plan.target_count == chosen.size(); 0 if no target can run
  std::vector<std::size_t> chosen;  // indices of the candidates that are the plan's targets, in the plan's order
  std::vector<skipped_candidate> skipped;
  std::optional<adaptive_choice> choice;  // set with the policy adaptive if the speeds of the targets were known
};

struct refused_override {
  std::string header;   // name of the rejected header, such as "x-race-max-parallel"
  std::string message;
};

// Makes the plan. Requires `settings.policy`, or exactly one candidate. Targets keep the order of the list until
// speed_planner.hpp sorts them. Without this sorting the policy adaptive starts one target, starts the next target
// after a failure, and rescues after a long silence.
std::variant<planned_race, refused_override> make_plan(const std::vector<candidate>& candidates,
                                                       const race_settings& settings,
                                                       const plan_overrides& overrides,
                                                       const scoreboard& board, instant now, caller_id caller = 0);

}  // namespace photofinish::racing
