// The decisions of one race and their reasons, for people who ask later: plain values, no prompt, no answer, no key.
// [pure]
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

// The part of the prompt that a target was expected to have in its prompt cache. Tokens are estimated.
struct receipt_prefix {
  double matched_tokens = 0;    // tokens that an earlier request had there; 0: none
  double age = 0;               // seconds since that request
  double hit_chance = 0;
  double expected_tokens = 0;   // the expected number of cached tokens
  std::optional<double> saved;  // USD: the extra cost of an uncached prompt; empty: its price is unknown
};

// The plan's figures for one target.
struct receipt_candidate {
  std::string target;
  racing::target_state state = racing::target_state::ready;
  // Seconds to the target's first token: median and 99th percentile, for prompts of this size.
  double usual = 0, late = 0;
  double errors = 0, hangs = 0;
  double in_flight = 0;
  double tokens_per_second = 0;
  double finish = 0;          // seconds to the end of an answer of the expected length
  double level = 0;           // seconds to the usual first token of a short prompt at the usual load
  double shift = 0;           // natural logarithm: how much slower the target counts now, because attempts are silent
  double spread = 0;          // natural logarithm: half the distance between the 16 % and 84 % points
  bool has_headroom = true;   // true if its key's rate limits have room
  std::uint64_t samples = 0;
  double win_cost = 0, loss_cost = 0;  // expected cost if the target wins, and if it loses
  std::optional<receipt_prefix> prefix;  // set for a race that follows prompt caches
};

struct receipt_attempt {
  std::string target;
  racing::start_reason why = racing::start_reason::first;
  double started = 0;  // the start, in seconds from the race's start
  double ended = 0;    // time of its first token, failure, or cancellation
  racing::attempt_end end = racing::attempt_end::lost;
  std::optional<double> first_token;  // seconds from the race's start to its first token
  std::string failed;  // the kind of failure; empty: no failure
  bool was_observed = false;
  bool was_kept = false;      // true if it ran on as runner-up
  bool is_prefill_finished = false;  // true if it ran on so that its target has the prompt in its cache
  std::optional<std::uint64_t> cached_tokens;  // cached tokens of its prompt, as its provider reports
  bool is_running = false;    // true in a running race: `end` and `ended` are not valid yet
  std::optional<double> usd;  // its cost, if its price is known
};

// A winner that was slower than its route's limit.
struct receipt_crawl {
  std::string target;
  double tokens_per_second = 0, limit = 0;
  double seconds = 0;    // length of the measured part of the answer
  std::string_view end;  // a string literal
};

// A race for the rest of a broken answer.
struct receipt_continuation {
  std::string target;     // the target that continued the answer; empty: no target could
  double began = 0;       // the start, in seconds from the race's start
  std::string_view because;  // the reason of the break; a string literal
  std::string_view end;      // continued, broken, cancelled, or failed if no target could continue. A string literal
};

// The last attempt whose tokens were held, with `win_on: finish`.
struct receipt_hold {
  std::string target;
  double began = 0, ended = 0;  // seconds from the race's start to the begin and the end of the hold
  racing::hold_end why = racing::hold_end::race_over;
};

struct receipt_skipped {
  std::string target;
  racing::skip_reason reason = racing::skip_reason::no_key;
  std::string detail = {};  // the name of the parameter or the fact; empty: none
};

// The choices of a race that was planned by speed.
struct receipt_choice {
  racing::adaptive_choice made;  // the choice; its rows are indices of `candidates`
  double price = 0, fill = 0, usual_cost = 0;
  bool is_money = false;
  double won_cost = 0, hedge_cost = 0, trial_cost = 0, rescue_cost = 0;
  std::uint64_t held_back = 0;  // number of hedges that the budget did not grant
  std::string_view deadline;  // met, missed, unlikely; empty: no deadline. A string literal
  std::optional<double> predicted_p50, predicted_p90, predicted_p99;  // predicted seconds to the first token
  double turns = 0;  // number of the model's answers in the conversation
};

// How the request was answered.
struct receipt_answer {
  int status = 0;
  std::string_view outcome = "ok";  // a string literal
  double seconds = 0;               // seconds from the race's start to the answer's end
  std::optional<std::uint64_t> output_tokens;
  std::optional<double> tokens_per_second;  // set if the speed can be measured
  std::optional<double> queue, prompt;      // seconds of queueing and prompt reading, as its provider reports
};

// The total usage of a session's or a project's requests by the race's caller, including this request.
struct receipt_total {
  used_amounts amounts;
  std::chrono::sys_time<std::chrono::milliseconds> since{};
};

// Names of the request from its client and the configuration.
struct receipt_request {
  std::string route;
  std::string rule, task, project, session;  // names; an empty name means that there is none
  std::string_view work;                     // its class of work; a string literal
};

// How the race was planned, and the data that the plan used.
struct receipt_plan {
  racing::race_policy policy = racing::race_policy::all;
  racing::target_sort sort = racing::target_sort::listed;
  racing::win_on wins = racing::win_on::any;
  catalogue_id catalogue{};  // version of the list of prices; zeros: unknown
  std::uint64_t board = 0;  // number of the forecast
  double board_age = 0;     // age of the forecast in seconds
  double input_tokens = 0, output_tokens = 0;  // expected tokens
  std::vector<receipt_candidate> candidates;   // set if the plan was made by speed
  std::vector<receipt_skipped> skipped;
};

struct race_receipt {
  std::string id;  // this gateway's own id, because a client's x-request-id may be repeated
  racing::caller_id caller = 0;
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  receipt_request request;
  receipt_plan plan;
  std::vector<receipt_attempt> attempts;
  std::optional<std::size_t> winner;  // index in `attempts`
  std::optional<receipt_choice> choice;
  std::optional<receipt_hold> hold;
  std::vector<receipt_crawl> crawls;
  std::vector<receipt_continuation> continued;
  double age = 0;                        // seconds from the race's start to `at`
  std::optional<double> predicted_end;   // end of the winner's answer, in seconds from the race's start
  std::optional<double> margin;  // seconds from the winner's first token to the runner-up's, if that was observed
  std::optional<receipt_answer> answer;  // empty while the race runs
  used_amounts used;                     // usage of the request, after its answer
  std::optional<receipt_total> session_total, project_total;  // set when the receipt is stored

  bool is_summed() const { return answer && !(request.session.empty() && request.project.empty()); }
  std::size_t bytes() const;  // approximate memory in bytes
};

std::string_view to_string(racing::target_state state);
std::string_view to_string(racing::probe_cause cause);

// One sentence for people: the first target and the reason, the time of the hedge, and the result.
std::string sentence_of(const race_receipt& receipt);

// A race in a list, or on the live page: {"id","begun_ms","route","policy","winner","attempts",…}. `winner` is its
// index in the attempts; "answer" is present after the end of the race.
std::string race_row(const race_receipt& receipt);

// The answer to GET /v1/races.
std::string races_page(std::span<const std::shared_ptr<const race_receipt>> newest_first);

// The answer to GET /v1/races/{id}.
std::string receipt_page(const race_receipt& receipt);

}  // namespace photofinish::gateway
