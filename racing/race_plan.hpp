// The targets of one race, their order and their limits. The planner makes the plan, and the race follows the plan.
// [pure]
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
  all,       // starts max_parallel targets together
  hedge,     // starts one target, and another target each time hedge_delay passes without a token
  fallback,  // starts the next target only after a failure
  adaptive,  // starts `at_once` targets, then hedges within the budget, and a rescue if all are silent
};
constexpr auto words_of(race_policy) {
  using enum race_policy;
  return proxy::enum_words<race_policy, 4>{
      {{all, "all"}, {hedge, "hedge"}, {adaptive, "adaptive"}, {fallback, "fallback"}}};
}
constexpr std::string_view to_string(race_policy policy) { return proxy::word_of(policy); }

// The tokens with which an attempt may win: any token (`any`), or only a token that a person would see (`visible`, so
// no reasoning). With `finish`, an attempt that has sent a token is held while another attempt is predicted to complete
// its answer sooner.
enum class win_on { any, visible, finish };
constexpr auto words_of(win_on) {
  using enum win_on;
  return proxy::enum_words<win_on, 3>{{{any, "any"}, {visible, "visible"}, {finish, "finish"}}};
}
constexpr std::string_view to_string(win_on wins) { return proxy::word_of(wins); }

// The treatment of attempts that still run after another attempt has won.
enum class losers {
  cancelled,  // cancelled immediately
  observed,   // cancelled after their first token, so that their TTFT is known; the race's limits apply
};

// How to run a request whose answer the provider stores (`store: true`). In a usual race, the answer of every attempt
// would be stored.
enum class stored_answers {
  fallback,    // makes one attempt at a time, with every policy
  refuse,      // rejects the client's request
  // The same as fallback, except that a Responses request without `store` keeps the default of the Responses API, which
  // is to store the answer.
  by_default,
};
constexpr auto words_of(stored_answers) {
  using enum stored_answers;
  return proxy::enum_words<stored_answers, 3>{{{fallback, "fallback"}, {refuse, "refuse"}, {by_default, "default"}}};
}

// Whether predictions of time and cost consider the part of a conversation that a target still has in its cache.
enum class prompt_caches { follow, ignore };
constexpr auto words_of(prompt_caches) {
  using enum prompt_caches;
  return proxy::enum_words<prompt_caches, 2>{{{follow, "follow"}, {ignore, "ignore"}}};
}
constexpr std::string_view to_string(prompt_caches use) { return proxy::word_of(use); }

// The gateway's reaction to a winner that is slower than min_tokens_per_second.
enum class on_crawl {
  report,  // counts the slow answer, and continues to send it to the client
  cut,     // ends the answer with an error
};
constexpr auto words_of(on_crawl) {
  return proxy::enum_words<on_crawl, 2>{{{on_crawl::report, "report"}, {on_crawl::cut, "cut"}}};
}

// The gateway's reaction to a winner whose stream breaks off.
enum class on_break {
  error,          // ends the answer with an error
  continue_text,  // if the answer is plain text, another target that accepts a prefill continues it
};
constexpr auto words_of(on_break) {
  return proxy::enum_words<on_break, 2>{{{on_break::error, "error"}, {on_break::continue_text, "continue"}}};
}

// The speed below which a winner's answer counts as too slow, and the reactions to slow and broken answers.
struct crawl_settings {
  // The least speed of the winner's text over `window`, in tokens per second. Empty if any speed is enough.
  std::optional<std::size_t> min_tokens_per_second;
  std::chrono::milliseconds window{10'000};
  bool counts_reasoning = false;  // true if reasoning counts in the same way as text
  on_crawl action = on_crawl::report;
  on_break breaking = on_break::error;

  bool operator==(const crawl_settings&) const = default;
};

// How a race uses prompt caches.
struct cache_race_settings {
  // An empty value means `follow` with the policy adaptive, and `ignore` with other policies.
  std::optional<prompt_caches> prompt_cache;
  bool twin_hedges = true;     // with `follow`: a hedge may be a second request to the same target
  // With `follow`: a loser whose target has not cached the prompt runs to its first token if its input is billed.
  bool finish_prefill = true;

  bool operator==(const cache_race_settings&) const = default;
};

// The `race` section of a route. docs/configuration.md documents its defaults for users.
struct race_settings {
  std::optional<race_policy> policy;  // a route with several targets must have a policy, its own or the default
  std::size_t max_parallel = 3;       // most attempts that run at the same time, with every policy
  std::optional<std::size_t> max_attempts;  // most attempts per race; empty if every target may run
  std::chrono::milliseconds hedge_delay{300};
  // True if the hedge delay follows the first target's figures as soon as there are any.
  bool is_hedge_delay_auto = false;
  std::optional<target_sort> sort;    // empty means `ttft` with the policy adaptive, and `listed` with other policies
  // With the policy adaptive: the most that losers may cost, as a share of the winners' cost.
  double max_extra_cost = 0.1;
  // The deadline for the quantity in `sort`, with the policy adaptive. More targets start together to meet the
  // deadline.
  std::optional<std::chrono::milliseconds> deadline;
  cache_race_settings cache;
  std::optional<win_on> wins;         // empty means `any`, or `finish` for whole answers if `sort` is finish
  stored_answers stored = stored_answers::fallback;
  double observe_losers = 0;          // the share of races, 0..1, whose losers run to their first token
  // The longest time from the request to the first token, over all attempts.
  std::chrono::milliseconds race_timeout{280'000};
  // The time limit per attempt. If this setting is empty, first_token_limit() computes the limit.
  std::optional<std::chrono::milliseconds> first_token_timeout;
  // Longest silence of the winner while the gateway waits for data.
  std::chrono::milliseconds stall_timeout{240'000};
  std::chrono::milliseconds client_stall_timeout{60'000};  // longest time in which the client reads nothing
  crawl_settings crawl;
  // The time for which the runner-up continues after the decision, to answer if the winner fails. 0 means that no loser
  // continues.
  std::chrono::milliseconds keep_runner_up{0};
  // The time after which the gateway answers with status 200 and sends comments to keep the connection open. 0 means
  // that the gateway never does this.
  std::chrono::milliseconds keepalive_after{0};
  std::chrono::milliseconds total_timeout{1'800'000};

  bool operator==(const race_settings&) const = default;
};

// The plan of one race. It contains targets only by their index; the caller knows which targets they are. With the
// policy adaptive the plan may list a target twice, and its second round of targets begins at `rescue_only_from`.
struct race_plan {
  std::size_t target_count = 0;  // number of targets to try in order, at least 1
  race_policy policy = race_policy::all;
  std::size_t max_parallel = 3;
  std::size_t max_attempts = 1;
  win_on wins = win_on::any;
  losers disposition = losers::cancelled;
  std::chrono::milliseconds hedge_delay{300};
  std::chrono::milliseconds race_timeout{280'000};
  std::chrono::milliseconds first_token_timeout{280'000};
  std::chrono::milliseconds answer_timeout{1'800'000};  // longest time from the race's start to an answer in one piece
  std::chrono::milliseconds keep_runner_up{0};  // time for which one loser continues as runner-up; 0 if no loser does

  // Only the policy adaptive uses the members after this line.
  static constexpr std::size_t max_hedges = 2;
  static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);
  std::size_t at_once = 1;              // number of targets that start together at the beginning
  // The index of the target that starts together with the first target as a probe. If another target wins, the probe is
  // observed to measure its target.
  std::optional<std::size_t> probe;
  std::size_t hedge_count = 0;  // number of hedges; each starts after its own delay from the race's start
  std::array<std::chrono::milliseconds, max_hedges> hedge_after{};
  // The silence since the last start of an attempt after which the next target starts. 0 means that no target starts.
  std::chrono::milliseconds rescue_after{0};
  // Index of the first target that starts only as a rescue, not after a failure.
  std::size_t rescue_only_from = no_limit;
  bool is_hedge_twin = false;   // the first hedge is a second attempt at target 0, unless the first attempt has failed
  bool is_rescue_twin = false;  // the first rescue is a second attempt at target 0
  // Bit set of targets whose losers run to their first token, for at most prefill_limit.
  std::uint64_t finishes_prefill = 0;

  std::size_t twins() const { return is_hedge_twin || is_rescue_twin ? 1 : 0; }
};

// The longest time for which a loser continues so that its target finishes reading the prompt.
inline constexpr std::chrono::seconds prefill_limit{15};

// Returns the quantity by which a race with these settings sorts its targets. The route's own policy counts even if a
// request lowers it.
target_sort sort_of(const race_settings& settings);

// True if plans follow prompt caches. Otherwise cached prefixes are not looked up.
bool follows_cache(const race_settings& settings);

// Returns which tokens may win. `is_whole` is true if the client waits for the whole answer.
win_on wins_of(const race_settings& settings, bool is_whole);

// True if plans need to know the speed of their targets.
bool needs_speed(const race_settings& settings);

// Returns the time limit of one attempt: its own setting, otherwise race_timeout. The policy fallback divides
// race_timeout among the targets.
std::chrono::milliseconds first_token_limit(const race_settings& settings, race_policy policy,
                                            std::size_t target_count);

}  // namespace photofinish::racing
