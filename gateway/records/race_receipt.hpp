// Holds the decisions of one race and their reasons, for people who want to understand the race later. Contains plain
// values, but no prompt, no answer and no key. [pure]
#pragma once

#include "gateway/config/catalogue_settings.hpp"
#include "gateway/records/used_amounts.hpp"
#include "racing/adaptive/choice_request.hpp"
#include "racing/planner.hpp"
#include "racing/race_report.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The part of the prompt that a target probably has in its prompt cache. All numbers of tokens are estimates.
struct receipt_prefix {
  // The prompt's tokens that an earlier request also sent to the target; 0 if there was none.
  double matched_tokens = 0;
  double age = 0;               // the seconds since the target got the earlier request
  double hit_chance = 0;
  double expected_tokens = 0;   // the number of tokens that the target probably has cached
  std::optional<double> saved;  // the extra cost in USD if nothing is cached; empty if the price is unknown
};

// The figures about one target that the plan of the race used.
struct receipt_candidate {
  std::string target;
  racing::target_state state = racing::target_state::ready;
  // The predicted seconds to the target's first token for prompts of this size: the median and the 99th percentile.
  double usual = 0, late = 0;
  double errors = 0, hangs = 0;
  double in_flight = 0;
  double tokens_per_second = 0;
  double finish = 0;          // the predicted seconds to the end of an answer of the expected length
  double level = 0;           // the predicted seconds to the first token of a short prompt at the usual load
  // How much slower the target is because of attempts that are still silent, as a natural logarithm.
  double shift = 0;
  // The spread of predicted times: half the distance between the 16 % and 84 % points, as a natural logarithm.
  double spread = 0;
  bool has_headroom = true;   // true if the rate limits of the target's key have room
  std::uint64_t samples = 0;
  double win_cost = 0, loss_cost = 0;  // the expected cost of an attempt at the target, if it wins and if it loses
  std::optional<receipt_prefix> prefix;  // the cached part of the prompt, only if the race follows prompt caches
};

struct receipt_attempt {
  std::string target;
  racing::start_reason why = racing::start_reason::first;
  double started = 0;  // the start of the attempt, in seconds from the race's start
  // The time of the attempt's first token, failure or cancellation, in seconds from the race's start.
  double ended = 0;
  racing::attempt_end end = racing::attempt_end::lost;
  std::optional<double> first_token;  // the seconds from the race's start to the attempt's first token
  std::string failed;  // the kind of the attempt's failure; empty if it did not fail
  bool was_observed = false;
  bool was_kept = false;      // true if the attempt ran on as runner-up
  bool is_prefill_finished = false;  // true if the attempt ran on to bring the prompt into its target's prompt cache
  // The number of the prompt's tokens that came from the cache, as the provider reports it.
  std::optional<std::uint64_t> cached_tokens;
  bool is_running = false;    // true while the attempt runs: `end` and `ended` are not valid yet
  std::optional<double> usd;  // the attempt's cost, if its price is known
};

// A winner whose answer was slower than its route allows.
struct receipt_crawl {
  std::string target;
  double tokens_per_second = 0, limit = 0;
  double seconds = 0;    // the seconds of the answer over which the speed was measured
  std::string_view end;  // a string literal
};

// A race for the rest of an answer that broke off.
struct receipt_continuation {
  std::string target;     // the target that continued the answer; empty if no target could continue it
  double began = 0;       // the start of the continuation, in seconds from the race's start
  std::string_view because;  // the reason why the answer broke off, as a string literal
  // A string literal: continued, broken, cancelled, or failed if no target could continue the answer.
  std::string_view end;
};

// The last attempt whose tokens the race held back because of `win_on: finish`.
struct receipt_hold {
  std::string target;
  // The start and the end of the time in which tokens were held back, in seconds from the race's start.
  double began = 0, ended = 0;
  racing::hold_end why = racing::hold_end::race_over;
};

struct receipt_skipped {
  std::string target;
  racing::skip_reason reason = racing::skip_reason::no_key;
  std::string detail = {};  // the name of the parameter or fact that excluded the target; empty if there is none
};

// The choices that a plan by speed made for the race.
struct receipt_choice {
  racing::adaptive_choice made;  // the choices of the plan, whose rows are indexes of `candidates`
  double price = 0, fill = 0, usual_cost = 0;
  bool is_money = false;
  double won_cost = 0, hedge_cost = 0, trial_cost = 0, rescue_cost = 0;
  std::uint64_t held_back = 0;  // the number of hedges that the budget did not grant
  // The result for the deadline, as a string literal: met, missed or unlikely. Empty if there is no deadline.
  std::string_view deadline;
  std::optional<double> predicted_p50, predicted_p90, predicted_p99;  // the predicted seconds to the first token
  double turns = 0;  // the number of answers that the conversation already contains
};

// Describes how the request was answered.
struct receipt_answer {
  int status = 0;
  std::string_view outcome = "ok";  // a string literal
  double seconds = 0;               // the end of the answer, in seconds from the race's start
  std::optional<std::uint64_t> output_tokens;
  std::optional<double> tokens_per_second;  // the speed of the answer, if it can be measured
  // The seconds that the provider reports for queueing, and for reading the prompt.
  std::optional<double> queue, prompt;
};

// The total usage of a session or a project by the race's caller, including the current request.
struct receipt_total {
  used_amounts amounts;
  std::chrono::sys_time<std::chrono::milliseconds> since{};
};

// The names of the request's rule, task, project and session, and the kind of its work.
struct receipt_request {
  std::string route;
  std::string rule, task, project, session;  // each name is empty if the request has none
  std::string_view work;                     // the kind of the request's work, as a string literal
};

// The plan of the race, and the data that the plan used.
struct receipt_plan {
  racing::race_policy policy = racing::race_policy::all;
  racing::target_sort sort = racing::target_sort::listed;
  racing::win_on wins = racing::win_on::any;
  catalogue_id catalogue{};  // the version of the list of prices; zeros if it is unknown
  std::uint64_t board = 0;  // the number of the forecast that the plan used
  double board_age = 0;     // the age of the forecast when the plan was made, in seconds
  double input_tokens = 0, output_tokens = 0;  // expected tokens
  std::vector<receipt_candidate> candidates;   // the targets whose speeds were compared, only for a plan by speed
  std::vector<receipt_skipped> skipped;
};

struct race_receipt {
  std::string id;  // the gateway's own id of the race, because clients may use the same x-request-id several times
  racing::caller_id caller = 0;
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  receipt_request request;
  receipt_plan plan;
  std::vector<receipt_attempt> attempts;
  std::optional<std::size_t> winner;  // the index of the winner in `attempts`
  std::optional<receipt_choice> choice;
  std::optional<receipt_hold> hold;
  std::vector<receipt_crawl> crawls;
  std::vector<receipt_continuation> continued;
  double age = 0;                        // the seconds from the race's start until the time `at`
  std::optional<double> predicted_end;   // the predicted end of the winner's answer, in seconds from the race's start
  // The seconds from the winner's first token to the runner-up's first token, if this time was observed.
  std::optional<double> margin;
  std::optional<receipt_answer> answer;  // the answer; none while the race runs
  used_amounts used;                     // the usage of the request, after its answer
  // The total usage of the request's session and project, set when the receipt is stored.
  std::optional<receipt_total> session_total, project_total;

  bool is_summed() const { return answer && !(request.session.empty() && request.project.empty()); }
  std::size_t bytes() const;  // returns the approximate memory of the receipt in bytes
};

std::string_view to_string(racing::target_state state);
std::string_view to_string(racing::probe_cause cause);

// Describes the race in one sentence: the first target and the reason for it, the time of the hedge, and the result.
std::string sentence_of(const race_receipt& receipt);

// Returns a race as JSON for a list or for the live page: {"id","begun_ms","route","policy","winner","attempts",…}.
// "winner" is the winner's index in the attempts. "answer" is present only after the end of the race.
std::string race_row(const race_receipt& receipt);

// Returns the answer to GET /v1/races.
std::string races_page(std::span<const std::shared_ptr<const race_receipt>> newest_first);

// Returns the answer to GET /v1/races/{id}.
std::string receipt_page(const race_receipt& receipt);

}  // namespace photofinish::gateway
