// Who may run in one race, in which order and within which limits: what the planner decides and the race obeys. [pure]
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
  all,       // start max_parallel targets at once
  hedge,     // start one; a further one each time hedge_delay passes in silence
  fallback,  // start the next only when one has failed
  adaptive,  // start at_once; hedges at their own delays, as far as the budget allows; a rescue when all are silent
};
constexpr auto words_of(race_policy) {
  using enum race_policy;
  return proxy::enum_words<race_policy, 4>{
      {{all, "all"}, {hedge, "hedge"}, {adaptive, "adaptive"}, {fallback, "fallback"}}};
}
constexpr std::string_view to_string(race_policy policy) { return proxy::word_of(policy); }

// What may win: any first token, or only one that a person would see (reasoning does not win). With finish a first
// token is held while a running attempt is predicted to have its whole answer sooner.
enum class win_on { any, visible, finish };
constexpr auto words_of(win_on) {
  using enum win_on;
  return proxy::enum_words<win_on, 3>{{{any, "any"}, {visible, "visible"}, {finish, "finish"}}};
}
constexpr std::string_view to_string(win_on wins) { return proxy::word_of(wins); }

// What becomes of those that run when another has won.
enum class losers {
  cancelled,  // at once
  observed,   // after their first token, so that their TTFT is known; within the race's limits
};

// What becomes of a request whose answer its provider is to keep (`store: true`): each attempt of a race would be kept.
enum class stored_answers {
  fallback,    // one attempt at a time, whatever the policy
  refuse,      // not run at all
  by_default,  // as fallback, and a request of Responses that does not say `store` is left to the API's default: kept
};
constexpr auto words_of(stored_answers) {
  using enum stored_answers;
  return proxy::enum_words<stored_answers, 3>{{{fallback, "fallback"}, {refuse, "refuse"}, {by_default, "default"}}};
}

// Whether what a target still has of a conversation counts in time and cost.
enum class prompt_caches { follow, ignore };
constexpr auto words_of(prompt_caches) {
  using enum prompt_caches;
  return proxy::enum_words<prompt_caches, 2>{{{follow, "follow"}, {ignore, "ignore"}}};
}
constexpr std::string_view to_string(prompt_caches use) { return proxy::word_of(use); }

// What becomes of a winner that is slower than min_tokens_per_second.
enum class on_crawl {
  report,  // it is counted, and answers
  cut,     // its answer ends with an error
};
constexpr auto words_of(on_crawl) {
  return proxy::enum_words<on_crawl, 2>{{{on_crawl::report, "report"}, {on_crawl::cut, "cut"}}};
}

// What becomes of a stream whose winner breaks off.
enum class on_break {
  error,          // it ends with one
  continue_text,  // where it is plain text, another target that takes a prefill goes on with it
};
constexpr auto words_of(on_break) {
  return proxy::enum_words<on_break, 2>{{{on_break::error, "error"}, {on_break::continue_text, "continue"}}};
}

// The speed below which a winner's answer crawls, and the reaction to it.
struct crawl_settings {
  std::optional<std::size_t> min_tokens_per_second;  // of the winner's text, over `window`; none: any speed
  std::chrono::milliseconds window{10'000};
  bool counts_reasoning = false;  // reasoning is watched as text is
  on_crawl action = on_crawl::report;

  bool operator==(const crawl_settings&) const = default;
};

// What a race makes of prompt caches.
struct cache_race_settings {
  std::optional<prompt_caches> prompt_cache;  // none: follow with adaptive, else ignore
  bool twin_hedges = true;     // with follow: a hedge may be a second request to the same target
  bool finish_prefill = true;  // with follow: a cold loser whose input is billed runs to its first token

  bool operator==(const cache_race_settings&) const = default;
};

// The `race` section of a route, with its defaults. Defaults: the users' contract in docs/configuration.md.
struct race_settings : cache_race_settings {
  std::optional<race_policy> policy;  // a route with several targets must have one, its own or the default
  std::size_t max_parallel = 3;       // attempts running at once, in every policy
  std::optional<std::size_t> max_attempts;  // in total; none: every target
  std::chrono::milliseconds hedge_delay{300};
  bool is_hedge_delay_auto = false;   // from the first target's figures, once there are any
  std::optional<target_sort> sort;    // none: ttft with adaptive, else listed
  double max_extra_cost = 0.1;        // adaptive: what losers may add, as a share of what winners cost
  std::optional<std::chrono::milliseconds> deadline;  // adaptive: for what `sort` names; more start at once to meet it
  std::optional<win_on> wins;         // none: any, or finish for whole answers where `sort` is finish
  stored_answers stored = stored_answers::fallback;
  double observe_losers = 0;          // the share of races, 0..1, whose losers run to their first token
  std::chrono::milliseconds race_timeout{280'000};  // request to first token, over all attempts
  std::optional<std::chrono::milliseconds> first_token_timeout;  // one attempt; none: see first_token_limit()
  std::chrono::milliseconds stall_timeout{240'000};        // the winner silent so long while we are reading
  std::chrono::milliseconds client_stall_timeout{60'000};  // the client takes no byte so long
  crawl_settings crawl;
  on_break breaking = on_break::error;
  std::chrono::milliseconds keep_runner_up{0};  // behind the decision, to answer where the winner fails; 0: never
  std::chrono::milliseconds keepalive_after{0};            // 0: never. Else answer 200 then, and send comments
  std::chrono::milliseconds total_timeout{1'800'000};

  bool operator==(const race_settings&) const = default;
};

// One race's plan. Targets are known by their index here; who they are is the caller's business. With the policy
// adaptive the same target may be planned twice: what follows `rescue_only_from` is its second round.
struct race_plan {
  std::size_t target_count = 0;  // targets to try, in order; at least 1
  race_policy policy = race_policy::all;
  std::size_t max_parallel = 3;
  std::size_t max_attempts = 1;
  win_on wins = win_on::any;
  losers disposition = losers::cancelled;
  std::chrono::milliseconds hedge_delay{300};
  std::chrono::milliseconds race_timeout{280'000};
  std::chrono::milliseconds first_token_timeout{280'000};
  std::chrono::milliseconds answer_timeout{1'800'000};  // from the race's beginning to an answer in one piece
  std::chrono::milliseconds keep_runner_up{0};  // so long one of the losers runs on; 0: none does

  // For the policy adaptive.
  static constexpr std::size_t max_hedges = 2;
  static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);
  std::size_t at_once = 1;              // the first targets, which start together
  std::optional<std::size_t> probe;     // one of them: when another wins it is observed, for its figures
  std::size_t hedge_count = 0;          // the targets behind those, each at its delay from the race's beginning
  std::array<std::chrono::milliseconds, max_hedges> hedge_after{};
  std::chrono::milliseconds rescue_after{0};  // silence since the last start: the next starts; 0: never
  std::size_t rescue_only_from = no_limit;    // from this target on, a failure starts nothing
  bool is_hedge_twin = false;   // the first hedge is a second attempt at target 0, unless the first one has failed
  bool is_rescue_twin = false;  // the first rescue is such an attempt
  std::uint64_t finishes_prefill = 0;  // targets, as bits: losers there run to their first token, prefill_limit at most

  std::size_t twins() const { return is_hedge_twin || is_rescue_twin ? 1 : 0; }
};

// So long a loser may finish the prefill of its prompt.
inline constexpr std::chrono::seconds prefill_limit{15};

// What a race of these settings goes by. The route's own policy counts, also where a request lowers it.
target_sort sort_of(const race_settings& settings);

// Whether its plans follow prompt caches: matches are looked up and passed on only then.
bool follows_cache(const race_settings& settings);

// What wins. `is_whole`: its client waits for the whole answer.
win_on wins_of(const race_settings& settings, bool is_whole);

// Whether its plans need what is known of its targets' speed.
bool needs_speed(const race_settings& settings);

// One attempt's limit: its own setting, else race_timeout, shared out among the targets in fallback.
std::chrono::milliseconds first_token_limit(const race_settings& settings, race_policy policy,
                                            std::size_t target_count);

}  // namespace photofinish::racing
