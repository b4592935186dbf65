// The targets of one race, with their order and limits. The planner makes the plan, and the race follows it. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"
#include "racing/adaptive/target_sort.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::racing {

enum class race_policy {
  all,       // starts max_parallel targets at the same time
  hedge,     // starts one target, and another target each time hedge_delay passes without a first token
  fallback,  // starts the next target only after a failure
  adaptive,  // starts `at_once` targets, then hedges if the budget allows, and another attempt after a long silence
};
constexpr auto words_of(race_policy) {
  using enum race_policy;
  return proxy::enum_words<race_policy, 4>{
      {{all, "all"}, {hedge, "hedge"}, {adaptive, "adaptive"}, {fallback, "fallback"}}};
}
constexpr std::string_view to_string(race_policy policy) { return proxy::word_of(policy); }

// Defines with which token an attempt wins. `any`: the first token. `visible`: the first token that a person would see,
// which excludes reasoning. `finish`: the first token, but the attempt is held back if another attempt will probably
// complete its answer sooner.
enum class win_on { any, visible, finish };
constexpr auto words_of(win_on) {
  using enum win_on;
  return proxy::enum_words<win_on, 3>{{{any, "any"}, {visible, "visible"}, {finish, "finish"}}};
}
constexpr std::string_view to_string(win_on wins) { return proxy::word_of(wins); }

// Defines what happens to the losers, which are still running when another attempt has won.
enum class losers {
  cancelled,  // cancelled immediately
  observed,   // the losers are cancelled after their first token, so that its time is known; the race's limits still
              // apply
};

// Defines how requests are handled if the provider stores the answer (`store: true`). In an ordinary race, the provider
// would store the answer of each attempt.
enum class stored_answers {
  fallback,    // only one attempt runs at a time, with any policy
  refuse,      // rejects the client's request
  // The same as fallback, with one difference: a Responses request without `store` keeps the default of the Responses
  // API, which is to store the answer.
  by_default,
};
constexpr auto words_of(stored_answers) {
  using enum stored_answers;
  return proxy::enum_words<stored_answers, 3>{{{fallback, "fallback"}, {refuse, "refuse"}, {by_default, "default"}}};
}

// Defines whether predictions of time and cost consider which part of a conversation each target has cached.
enum class prompt_caches { follow, ignore };
constexpr auto words_of(prompt_caches) {
  using enum prompt_caches;
  return proxy::enum_words<prompt_caches, 2>{{{follow, "follow"}, {ignore, "ignore"}}};
}
constexpr std::string_view to_string(prompt_caches use) { return proxy::word_of(use); }

// Defines what the gateway does if a winner is slower than min_tokens_per_second.
enum class on_crawl {
  report,  // counts the slow answer, but continues to send it to the client
  cut,     // ends the answer with an error
};
constexpr auto words_of(on_crawl) {
  return proxy::enum_words<on_crawl, 2>{{{on_crawl::report, "report"}, {on_crawl::cut, "cut"}}};
}

// Defines what the gateway does if a winner's stream breaks off.
enum class on_break {
  error,          // ends the answer with an error
  continue_text,  // if the answer is plain text, another target continues it; that target must accept the beginning of
                  // an answer as input
};
constexpr auto words_of(on_break) {
  return proxy::enum_words<on_break, 2>{{{on_break::error, "error"}, {on_break::continue_text, "continue"}}};
}

// The minimum speed of a winner's answer, and what happens to slow and broken answers.
struct crawl_settings {
  // The minimum speed of the winner's text over `window`, in tokens per second. If empty, any speed is accepted.
  std::optional<std::size_t> min_tokens_per_second;
  std::chrono::milliseconds window{10'000};
  bool counts_reasoning = false;  // true if reasoning counts towards the speed, like text
  on_crawl action = on_crawl::report;
  on_break breaking = on_break::error;

  bool operator==(const crawl_settings&) const = default;
};

// How a race uses prompt caches.
struct cache_race_settings {
  // How the race uses prompt caches. If it is empty, the policy adaptive uses `follow`, and other policies use
  // `ignore`.
  std::optional<prompt_caches> prompt_cache;
  bool twin_hedges = true;     // a hedge may be a second attempt at the first target; used with `follow`
  // If a loser's target has not cached the prompt, and its provider bills the input even after a cancellation, the
  // loser continues to its first token. This setting is used with `follow`.
  bool finish_prefill = true;

  bool operator==(const cache_race_settings&) const = default;
};

// The `race` section of a route. docs/configuration.md describes the defaults.
struct race_settings {
  // The policy must be set for a route with several targets, unless the defaults contain a policy.
  std::optional<race_policy> policy;
  std::size_t max_parallel = 3;       // maximum number of attempts that run at the same time, with any policy
  std::optional<std::size_t> max_attempts;  // maximum number of attempts per race; if empty, every target may run
  std::chrono::milliseconds hedge_delay{300};
  // True if the hedge delay is computed from the first target's measured times, as soon as there are any.
  bool is_hedge_delay_auto = false;
  // The order of the targets. If it is empty, the policy adaptive uses `ttft`, and other policies use `listed`.
  std::optional<target_sort> sort;
  // The maximum cost of losers, as a share of the winners' cost. This setting is used with the policy adaptive.
  double max_extra_cost = 0.1;
  // The deadline for the first token, or for the whole answer with `sort: finish`. If the race will probably miss the
  // deadline, more targets start at the same time. This setting is used with the policy adaptive.
  std::optional<std::chrono::milliseconds> deadline;
  cache_race_settings cache;
  // The token with which an attempt wins. If it is empty, `any` is used, with one exception: `sort: finish` uses
  // `finish` for answers that are not streamed.
  std::optional<win_on> wins;
  stored_answers stored = stored_answers::fallback;
  double observe_losers = 0;          // share of races, 0..1, in which the losers continue to their first token
  // The maximum time from the request to the first token, for all attempts together.
  std::chrono::milliseconds race_timeout{280'000};
  // The time limit of a single attempt. If it is empty, first_token_limit() computes the limit.
  std::optional<std::chrono::milliseconds> first_token_timeout;
  // The maximum time for which the gateway waits for the winner's next data.
  std::chrono::milliseconds stall_timeout{240'000};
  std::chrono::milliseconds client_stall_timeout{60'000};  // maximum time for which the client may read nothing
  crawl_settings crawl;
  // After the decision, the runner-up continues for this time, so that it can answer if the winner fails. 0 means that
  // no loser continues.
  std::chrono::milliseconds keep_runner_up{0};
  // After this time, the gateway sends the status 200 and then comments, to keep the connection open. 0 means never.
  std::chrono::milliseconds keepalive_after{0};
  std::chrono::milliseconds total_timeout{1'800'000};

  bool operator==(const race_settings&) const = default;
};

// The plan of one race. It identifies targets only by their index, and the caller knows which targets they are. With
// the policy adaptive, the plan may list each target twice. The second list begins at `rescue_only_from`.
struct race_plan {
  std::size_t target_count = 0;  // number of targets to try, in the order of their indices; at least 1
  race_policy policy = race_policy::all;
  std::size_t max_parallel = 3;
  std::size_t max_attempts = 1;
  win_on wins = win_on::any;
  losers disposition = losers::cancelled;
  std::chrono::milliseconds hedge_delay{300};
  std::chrono::milliseconds race_timeout{280'000};
  std::chrono::milliseconds first_token_timeout{280'000};
  std::chrono::milliseconds answer_timeout{1'800'000};  // maximum time from the race's start to an answer in one piece
  std::chrono::milliseconds keep_runner_up{0};  // time for which one loser continues as the runner-up; 0 if none does

  // Only the policy adaptive uses the following members.
  static constexpr std::size_t max_hedges = 2;
  static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);
  std::size_t at_once = 1;              // number of targets that start at the beginning of the race
  // The index of the target that starts together with the first target as a probe. If another target wins, the probe
  // continues until its speed is measured.
  std::optional<std::size_t> probe;
  std::size_t hedge_count = 0;  // number of hedges; each starts after its own delay from the race's start
  std::array<std::chrono::milliseconds, max_hedges> hedge_after{};
  // If no token arrives for this time after the last start of an attempt, the next target starts. 0 means never.
  std::chrono::milliseconds rescue_after{0};
  // The index of the first target that may start only as a rescue after a long silence, and not after a failure.
  std::size_t rescue_only_from = no_limit;
  bool is_hedge_twin = false;   // the first hedge is a second attempt at target 0, unless the first attempt has failed
  bool is_rescue_twin = false;  // the first attempt after a long silence (rescue) is a second attempt at target 0
  // A bit set of targets whose losers continue to their first token, but not longer than prefill_limit.
  std::uint64_t finishes_prefill = 0;

  std::size_t twins() const { return is_hedge_twin || is_rescue_twin ? 1 : 0; }
};

// The maximum time for which a loser continues so that its target finishes reading the prompt.
inline constexpr std::chrono::seconds prefill_limit{15};

// Returns the quantity by which a race with these settings sorts its targets. This depends on the route's own policy,
// even if a request chooses a cheaper policy.
target_sort sort_of(const race_settings& settings);

// True if plans consider prompt caches. If false, cached prefixes are not looked up.
bool follows_cache(const race_settings& settings);

// Returns the kind of token with which an attempt wins. `is_whole` is true if the client does not get a stream.
win_on wins_of(const race_settings& settings, bool is_whole);

// True if plans need the speeds of the targets.
bool needs_speed(const race_settings& settings);

// Returns the time limit of a single attempt. This is the configured limit, or else race_timeout. The policy fallback
// divides race_timeout equally among the targets.
std::chrono::milliseconds first_token_limit(const race_settings& settings, race_policy policy,
                                            std::size_t target_count);

}  // namespace photofinish::racing
