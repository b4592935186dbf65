// What one race decided and why, for who asks behind it: plain values, no prompt, no answer, no key. [pure]
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

// What a target was expected to have of the prompt in its prompt cache. Tokens are estimated.
struct receipt_prefix {
  double matched_tokens = 0;    // that an earlier request had there; 0: none
  double age = 0;               // seconds since then
  double hit_chance = 0;
  double expected_tokens = 0;   // cached, expected
  std::optional<double> saved;  // USD: an uncached prompt costs so much more; none: its price is not known
};

// A target as its race's plan saw it.
struct receipt_candidate {
  std::string target;
  racing::target_state state = racing::target_state::ready;
  double usual = 0, late = 0;  // seconds to its first token: median and 99th percentile, for prompts of this size
  double errors = 0, hangs = 0;
  double in_flight = 0;
  double tokens_per_second = 0;
  double finish = 0;          // seconds to the end of an answer of the expected length
  double level = 0;           // seconds: the usual first token of a short prompt at the usual load
  double shift = 0;           // ln: it counts as slower than that now, because attempts are silent
  double spread = 0;          // ln: half the distance of the 16 % and 84 % points
  bool has_headroom = true;   // of its key's rate limits
  std::uint64_t samples = 0;
  double win_cost = 0, loss_cost = 0;  // expected
  std::optional<receipt_prefix> prefix;  // of a race that follows prompt caches
};

struct receipt_attempt {
  std::string target;
  racing::start_reason why = racing::start_reason::first;
  double started = 0;  // seconds from the race's beginning
  double ended = 0;    // its token, failure, or cancelling
  racing::attempt_end end = racing::attempt_end::lost;
  std::optional<double> first_token;  // likewise
  std::string failed;  // the kind of failure; empty: none
  bool was_observed = false;
  bool was_kept = false;      // ran on to answer where the winner fails
  bool is_prefill_finished = false;  // ran on so that its target has the prompt in its cache
  std::optional<std::uint64_t> cached_tokens;  // of its prompt, as its provider reports
  bool is_running = false;    // in a race that is not over: `end` and `ended` say nothing yet
  std::optional<double> usd;  // what it cost, where its price is known
};

// A winner that was slower than its route's limit.
struct receipt_crawl {
  std::string target;
  double tokens_per_second = 0, limit = 0;
  double seconds = 0;    // of the answer, that it was measured over
  std::string_view end;  // a literal
};

// A race for the rest of an answer that broke off.
struct receipt_continuation {
  std::string target;     // that went on with it; empty: none could
  double began = 0;       // seconds from the race's beginning
  std::string_view because;  // why it broke off; a literal
  std::string_view end;      // continued, broken, cancelled, or failed where no target could. A literal
};

// With `win_on: finish`: the last attempt whose tokens were held.
struct receipt_hold {
  std::string target;
  double began = 0, ended = 0;  // seconds from the race's beginning
  racing::hold_end why = racing::hold_end::race_over;
};

struct receipt_skipped {
  std::string target;
  racing::skip_reason reason = racing::skip_reason::no_key;
  std::string detail = {};  // the parameter, or the fact; empty: none
};

// Of a race that went by speed.
struct receipt_choice {
  racing::adaptive_choice made;  // rows are `candidates`
  double price = 0, fill = 0, usual_cost = 0;
  bool is_money = false;
  double won_cost = 0, hedge_cost = 0, trial_cost = 0, rescue_cost = 0;
  std::uint64_t held_back = 0;  // hedges, by the budget
  std::string_view deadline;  // met, missed, unlikely; empty: it had none. A literal
  std::optional<double> predicted_p50, predicted_p90, predicted_p99;  // seconds to the first token
  double turns = 0;  // answers of the model in the conversation
};

// How the request was answered.
struct receipt_answer {
  int status = 0;
  std::string_view outcome = "ok";  // a literal
  double seconds = 0;               // from the race's beginning to the answer's end
  std::optional<std::uint64_t> output_tokens;
  std::optional<double> tokens_per_second;  // where it can be measured
  std::optional<double> queue, prompt;      // seconds, as its provider says
};

// What the requests of a session or of a project have used, those of the race's caller, up to this one.
struct receipt_total {
  used_amounts amounts;
  std::chrono::sys_time<std::chrono::milliseconds> since{};
};

// The request, as its client and the configuration name it.
struct receipt_request {
  std::string route;
  std::string rule, task, project, session;  // empty: none
  std::string_view work;                     // its class; static
};

// How the race was planned, and from which knowledge.
struct receipt_plan {
  racing::race_policy policy = racing::race_policy::all;
  racing::target_sort sort = racing::target_sort::listed;
  racing::win_on wins = racing::win_on::any;
  catalogue_id catalogue{};  // of the list of prices; zeros: not known
  std::uint64_t board = 0;  // the number of the forecast
  double board_age = 0;     // seconds
  double input_tokens = 0, output_tokens = 0;  // expected
  std::vector<receipt_candidate> candidates;   // if the plan went by speed
  std::vector<receipt_skipped> skipped;
};

struct race_receipt {
  std::string id;  // ours: a client's x-request-id need not be the only one of its kind
  racing::caller_id caller = 0;
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  receipt_request request;
  receipt_plan plan;
  std::vector<receipt_attempt> attempts;
  std::optional<std::size_t> winner;  // of attempts
  std::optional<receipt_choice> choice;
  std::optional<receipt_hold> hold;
  std::vector<receipt_crawl> crawls;
  std::vector<receipt_continuation> continued;
  double age = 0;                        // seconds from the race's beginning to `at`
  std::optional<double> predicted_end;   // seconds from the race's beginning, of the winner's answer
  std::optional<double> margin;          // seconds from the winner's first token to the runner-up's, where it was seen
  std::optional<receipt_answer> answer;  // none while the race runs
  used_amounts used;                     // by the request, once it is answered
  std::optional<receipt_total> session_total, project_total;  // from where receipts are kept

  bool is_summed() const { return answer && !(request.session.empty() && request.project.empty()); }
  std::size_t bytes() const;  // what it holds, about
};

std::string_view to_string(racing::target_state state);
std::string_view to_string(racing::probe_cause cause);

// One line for people: who was first and why, when the hedge was due, what came of it.
std::string sentence_of(const race_receipt& receipt);

// A race in a list, or on the live page: {"id","begun_ms","route","policy","winner","attempts",…}. `winner` is its
// place among the attempts; "answer" is there once it is over.
std::string race_row(const race_receipt& receipt);

// As GET /v1/races answers.
std::string races_page(std::span<const std::shared_ptr<const race_receipt>> newest_first);

// As GET /v1/races/{id} answers.
std::string receipt_page(const race_receipt& receipt);

}  // namespace photofinish::gateway
