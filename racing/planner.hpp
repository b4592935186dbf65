// Route, the request's overrides and the scoreboard become one race's plan. [pure]
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

// One target of the request, and what speaks against running it.
struct candidate {
  candidate_id id;
  bool has_key = true;                           // or needs none
  std::optional<std::string> unsupported_param;  // one that carries meaning and cannot be honoured there
  bool is_busy = false;                          // as many attempts run there as may
  std::string_view unmet = {};     // which of its facts is not what the route requires; empty: none. A literal
  std::string_view unpriced = {};  // the tier that needs a price and has none; empty: the target may run. A literal
  std::string_view too_long = {};  // which of them the request exceeds, as estimated; likewise
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
  std::string detail;  // the parameter, the fact, or the tier
};

// The headers x-race-*: they may only lower what a race costs. And what the request itself needs.
struct plan_overrides {
  std::optional<race_policy> policy;
  std::optional<std::chrono::milliseconds> hedge_delay;
  std::optional<std::size_t> max_parallel;
  std::optional<std::size_t> max_attempts;
  std::optional<std::chrono::milliseconds> deadline;
  bool is_stored = false;  // its provider keeps the answer: one attempt at a time
  bool is_whole = false;   // its client waits for the whole answer
};

struct planned_race {
  race_plan plan;                  // plan.target_count == chosen.size(); 0 when no target can run
  std::vector<std::size_t> chosen;  // the plan's targets as indices of candidates
  std::vector<skipped_candidate> skipped;
  std::optional<adaptive_choice> choice;  // with the policy adaptive, where the targets' speed was known
};

struct refused_override {
  std::string header;   // "x-race-max-parallel"
  std::string message;
};

// `settings.policy` is set, or there is one candidate. Targets stand as listed; speed_planner.hpp sorts them. Until it
// does, the policy adaptive starts one, the next after a failure, and a rescue after a long silence.
std::variant<planned_race, refused_override> make_plan(const std::vector<candidate>& candidates,
                                                       const race_settings& settings,
                                                       const plan_overrides& overrides,
                                                       const scoreboard& board, instant now, caller_id caller = 0);

}  // namespace photofinish::racing
