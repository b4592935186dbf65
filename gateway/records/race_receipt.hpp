// Holds the decisions of one race and the reasons for them, so that people can understand the race later. It contains
// only plain values, and never a prompt, an answer or a key. [pure]
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

// The part of the prompt that is probably in the target's prompt cache. All token counts are estimates.
struct receipt_prefix {
  // The number of tokens at the start of the prompt that are the same as in an earlier request to this target; 0 if
  // there are none.
  double matched_tokens = 0;
  double age = 0;               // seconds since the target got an earlier request whose prompt began with the same
                                // tokens
  double hit_chance = 0;
  double expected_tokens = 0;   // the estimated number of tokens in the target's cache
  // The extra cost in USD if the expected tokens are not in the cache; empty if the price is unknown.
  std::optional<double> saved;
};

// The figures about one target on which the plan of the race is based.
struct receipt_candidate {
  std::string target;
  racing::target_state state = racing::target_state::ready;
  // The predicted seconds to the target's first token for prompts of this size: the median and the 99th percentile.
  double usual = 0, late = 0;
  double errors = 0, hangs = 0;
  double in_flight = 0;
  double tokens_per_second = 0;
  double finish = 0;          // the predicted seconds until the end of an answer with the expected length
  double level = 0;           // the predicted seconds until the first token of a short prompt, under usual load
  // The natural logarithm of the factor by which the target currently seems slower. It is computed from running
  // attempts that wait unusually long for their first token.
  double shift = 0;
  // The spread of the predicted times: half the distance between the 16th and the 84th percentile, as a natural
  // logarithm.
  double spread = 0;
  bool has_headroom = true;   // true if the rate limits of the target's key allow another attempt
  std::uint64_t samples = 0;
  // The expected cost of an attempt at this target: the cost if the attempt wins, and the cost if it loses.
  double win_cost = 0, loss_cost = 0;
  std::optional<receipt_prefix> prefix;  // the cached part of the prompt; only if the race considers prompt caches
};

struct receipt_attempt {
  std::string target;
  racing::start_reason why = racing::start_reason::first;
  double started = 0;  // the start of the attempt, in seconds from the race's start
  // The seconds from the race's start until the attempt's first token, failure or cancellation.
  double ended = 0;
  racing::attempt_end end = racing::attempt_end::lost;
  std::optional<double> first_token;  // the seconds from the race's start to the attempt's first token
  std::string failed;  // the kind of the failure; empty if the attempt did not fail
  bool was_observed = false;
  bool was_kept = false;      // true if the attempt continued after the race as the runner-up
  // True if the attempt continued after the race only so that its target would cache the prompt.
  bool is_prefill_finished = false;
  // The number of the prompt's tokens that the provider reports as read from its cache.
  std::optional<std::uint64_t> cached_tokens;
  bool is_running = false;    // true while the attempt runs; `end` and `ended` are not valid yet
  std::optional<double> usd;  // the attempt's cost, if its price is known
};

// A winning attempt that was slower than its route allows.
struct receipt_crawl {
  std::string target;
  double tokens_per_second = 0, limit = 0;
  double seconds = 0;    // the length in seconds of the period in which the speed was measured
  std::string_view end;  // a string literal
};

// A race to continue an answer that its target has broken off.
struct receipt_continuation {
  std::string target;     // the target that continued the answer; empty if no target could do this
  double began = 0;       // the start of the continuation, in seconds from the race's start
  std::string_view because;  // the reason why the answer broke off, as a string literal
  // How the continuation ended, as a string literal: continued, broken, cancelled, or failed if no target could
  // continue the answer.
  std::string_view end;
};

// The last attempt whose tokens the race held back. Races with `win_on: finish` can hold back tokens.
struct receipt_hold {
  std::string target;
  // The time when the race began to hold back tokens, and the time when it stopped. Both are in seconds from the race's
  // start.
  double began = 0, ended = 0;
  racing::hold_end why = racing::hold_end::race_over;
};

struct receipt_skipped {
  std::string target;
  racing::skip_reason reason = racing::skip_reason::no_key;
  // The name of the parameter or property that excluded the target; empty if there is none.
  std::string detail = {};
};

// The decisions of a plan that chooses targets by their speed.
struct receipt_choice {
  racing::adaptive_choice made;  // the decisions; their target numbers are indexes of `candidates`
  double price = 0, fill = 0, usual_cost = 0;
  bool is_money = false;
  double won_cost = 0, hedge_cost = 0, trial_cost = 0, rescue_cost = 0;
  std::uint64_t held_back = 0;  // the number of hedges for which the route's budget did not pay
  // Whether the answer met its deadline, as a string literal: met, missed or unlikely. Empty if there is no deadline.
  std::string_view deadline;
  std::optional<double> predicted_p50, predicted_p90, predicted_p99;  // the predicted seconds until the first token
  double turns = 0;  // the number of answers that the conversation contained before this request
};

// Describes the answer to the request.
struct receipt_answer {
  int status = 0;
  std::string_view outcome = "ok";  // a string literal
  double seconds = 0;               // the time of the answer's end, in seconds from the race's start
  std::optional<std::uint64_t> output_tokens;
  std::optional<double> tokens_per_second;  // the speed of the answer; empty if it cannot be measured
  // Times in seconds that the provider reports: how long the request waited in the provider's queue, and how long the
  // provider took to read the prompt.
  std::optional<double> queue, prompt;
};

// The total usage of a session or a project by this client, including the current request.
struct receipt_total {
  used_amounts amounts;
  std::chrono::sys_time<std::chrono::milliseconds> since{};
};

// The names of the request's rule, task, project and session, and the kind of its work.
struct receipt_request {
  std::string route;
  std::string rule, task, project, session;  // each name is empty if the request does not contain it
  // The kind of work for which the client sent the request, as a string literal.
  std::string_view work;
};

// The plan of the race, and the data on which the plan is based.
struct receipt_plan {
  racing::race_policy policy = racing::race_policy::all;
  racing::target_sort sort = racing::target_sort::listed;
  racing::win_on wins = racing::win_on::any;
  catalogue_id catalogue{};  // the version of the price list; all zeros if the version is unknown
  std::uint64_t board = 0;  // the number of the forecast on which the plan is based
  double board_age = 0;     // the age of the forecast when the plan was made, in seconds
  double input_tokens = 0, output_tokens = 0;  // expected tokens
  std::vector<receipt_candidate> candidates;   // the targets with measured speeds; only if the plan uses these speeds
  std::vector<receipt_skipped> skipped;
};

struct race_receipt {
  // The gateway's own id of the race. Clients may use the same x-request-id several times, so x-request-id does not
  // identify a race.
  std::string id;
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
  double age = 0;                        // the time to which this receipt refers, in seconds from the race's start
  std::optional<double> predicted_end;   // the predicted end of the winner's answer, in seconds from the race's start
  // The seconds between the winner's first token and the runner-up's first token. Empty if the gateway did not observe
  // the runner-up's first token.
  std::optional<double> margin;
  std::optional<receipt_answer> answer;  // the answer; empty while the race runs
  used_amounts used;                     // the usage of the request; known after its answer
  // The total usage of the request's session and project. It is set when the receipt is stored.
  std::optional<receipt_total> session_total, project_total;

  bool is_summed() const { return answer && !(request.session.empty() && request.project.empty()); }
  std::size_t bytes() const;  // returns the approximate memory of the receipt in bytes
};

std::string_view to_string(racing::target_state state);
std::string_view to_string(racing::probe_cause cause);

// Describes the race in one sentence: which target was first and why, when a hedge started, and how the race ended.
std::string sentence_of(const race_receipt& receipt);

// Returns a race as JSON for a list or for the live page: {"id","begun_ms","route","policy","winner","attempts",…}. The
// value of "winner" is an index of "attempts". The member "answer" is missing while the race runs.
std::string race_row(const race_receipt& receipt);

// Returns the answer to GET /v1/races.
std::string races_page(std::span<const std::shared_ptr<const race_receipt>> newest_first);

// Returns the answer to GET /v1/races/{id}.
std::string receipt_page(const race_receipt& receipt);

}  // namespace photofinish::gateway
