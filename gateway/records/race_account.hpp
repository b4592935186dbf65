// Holds the facts about one raced request that metrics, scoreboards and statistics need: its race, and how the race
// ended. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/config/config.hpp"
#include "gateway/limits/bounds/usage_bounds.hpp"
#include "gateway/records/counted_tokens.hpp"
#include "gateway/records/race_receipt.hpp"
#include "metrics/observations.hpp"
#include "metrics/outcomes.hpp"
#include "proxy/http/trace_context.hpp"
#include "racing/planner.hpp"
#include "racing/race_report.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::metrics {
struct target_series;
}

namespace photofinish::gateway {

struct request_trace;

// The verdict of the guardrails, and the time that they added to the request.
struct guardrail_note {
  metrics::guardrail_verdict verdict = metrics::guardrail_verdict::pass;
  std::string by;  // the guardrail that gave the verdict; if the request passed, the first guardrail
  std::chrono::nanoseconds held_before{0};      // the time that the guardrails added before the race
  std::optional<proxy::instant> released_at{};  // the time when the verdicts had arrived and the answer could be sent
};

// A target of the race's plan: its name, and its id in scoreboards.
struct planned_attempt {
  target_name target;
  racing::candidate_id id;
  bool is_callers_key = false;
  proxy::cancel_billing billing = proxy::cancel_billing::unknown;
  proxy::price_tier tier = proxy::price_tier::standard;  // the price tier that the attempt requests
  // The metrics series that counts the attempt as running; null if the attempt has not run.
  metrics::target_series* series = nullptr;
  // True for each part of the request that a repetition of the attempt left out, because the target had rejected this
  // part.
  metrics::by<metrics::repeat_reason, bool> repeated{};
  // True if the target reported more tokens than are possible, and the gateway reduced the number.
  bool is_usage_cut = false;
  // The share of the prompt that is expected in the target's prompt cache. Empty if the race does not follow prompt
  // caches.
  std::optional<double> expected_share{};
  bool reports_cached = true;  // true if the provider reports cached tokens
  // This gateway's running attempts at the target when the attempt started, including the attempt itself.
  std::size_t concurrency = 1;
};

// A winner whose answer was slower than its route allows.
struct noted_crawl {
  std::size_t attempt = 0;
  double tokens_per_second = 0;
  metrics::seconds watched{};  // the time of the answer over which the speed was measured
  double limit = 0;            // the lowest speed that the route allows, in tokens per second
  metrics::crawl_end end = metrics::crawl_end::reported;
};

struct left_out_target {
  target_name target;
  racing::skip_reason reason = racing::skip_reason::no_key;
  std::string detail = {};  // the name of the parameter or the fact that excluded the target
};

// The rules that applied to the race of the request.
struct account_terms {
  racing::race_policy policy = racing::race_policy::all;
  bool has_rule = false;         // true if one of the route's rules applied to the request
  bool is_continuation = false;  // true if the request asks for the rest of another winner's answer
  // The result of the search in the response cache. Empty if the route has no cache, or if the request was refused.
  std::optional<metrics::cache_result> cache;
};

// The caller that sent the request.
struct account_caller {
  // The client's label in metrics; the name of an access key lives as long as `settings`.
  std::string_view client = "_none";
  racing::caller_id id = 0;           // a fingerprint of the caller for cooldowns, receipts and the advice
  std::string_view team = "_none";    // the team's label in metrics; it lives as long as the client's label
  // The sealed key of the caller, which names its own team; null for any other key.
  std::shared_ptr<const access_key> subject;
  std::string project;  // the configured project that the request names; empty if it names none
  std::string session;  // the session that the client names, for example an agent's; empty if there is none

  std::string_view name() const { return subject ? std::string_view(subject->name) : client; }
};

// The longest prefix of a conversation's prompt that any target had in its prompt cache before the race. Only races
// that follow prompt caches record this prefix.
struct known_prompt {
  double held_share = 0;      // the length of the longest cached prefix, as a share of the prompt from 0 to 1
  bool is_expired = false;    // true if the time to live of the cached prefix had passed
  bool is_continued = false;  // true if the conversation contains an earlier answer of the model
  bool has_moved = false;     // true if the race did not begin at the target that had cached this prefix
};

struct account_prompt {
  std::size_t bytes = 0;
  request_extent extent;    // the facts about the request that limit its possible usage
  std::uint64_t print = 0;  // a fingerprint of the prompt, which detects a repeated prompt
  std::optional<known_prompt> known;
};

struct account_times {
  proxy::instant received_at;
  proxy::instant ended_at;
  // The time when the gateway read the token that decided the race.
  std::optional<proxy::instant> decided_by_read_at;
  std::optional<proxy::instant> first_written_at;
  // The time in which the client did not read while the winner wrote its answer.
  std::chrono::nanoseconds client_stalled{0};
};

struct account_winner {
  std::optional<counted_tokens> counted;
  proxy::maybe_failure broken;  // the failure of a winner that broke off after its first token
  std::vector<noted_crawl> crawls;  // the winners that were too slow: first the winner, then the runner-up
  // The largest number of tokens that the winner may still write after the request has ended, without a report to the
  // gateway.
  std::uint64_t unreported_output = 0;
  // The time from the client's departure until the gateway closed its connection to the winner.
  std::optional<std::chrono::nanoseconds> cancelled_after;
};

// The data that a request's observers add to its account.
struct account_notes {
  std::shared_ptr<race_receipt> receipt;       // the receipt of the race; null if the gateway stores no receipt
  // The trace of the request; null if there is none. A shared pointer, because this header does not know the type of
  // a trace.
  std::shared_ptr<const request_trace> trace;
  // The span of the request whose answer this request shares. Null if the request has its own answer.
  std::unique_ptr<const proxy::trace_parent> answered_by;
  std::shared_ptr<const guardrail_note> guardrail;  // the guardrails' verdict; null if no guardrail judges the request
};

struct race_account;

// The races for the rest of an answer that broke off.
struct account_continuation {
  std::vector<std::unique_ptr<race_account>> races;  // the races in their order; their addresses do not change
  std::size_t first_span = 0;  // the number of attempts in all earlier races of the request
};

struct race_account {
  std::string id;
  metrics::endpoint endpoint = metrics::endpoint::other;  // the endpoint of the API that the client called
  answer_form form = answer_form::whole;
  metrics::request_outcome outcome = metrics::request_outcome::gateway_error;
  int status = 0;  // the HTTP status of the answer
  account_terms terms;
  std::string route = "_none";  // the route's label in metrics
  account_caller caller;
  account_prompt prompt;
  account_times times;
  std::shared_ptr<const config> settings;  // the configuration when the request began, which includes the prices

  // Only a request that ran a race has values in the following members.
  std::vector<planned_attempt> planned;  // the plan's targets, in the plan's order
  std::vector<left_out_target> skipped;
  racing::race_report race;
  // The race's use of the route's budget, only for an adaptive race.
  std::optional<metrics::speculation_observation> speculation;
  account_winner winner;
  account_notes notes;
  account_continuation continuation;
};

// Returns true if the request ended in the middle of its answer, but its targets did not cause this. Either the client
// left, or the time limit drain_timeout ended the request.
inline bool was_abandoned(const race_account& record) {
  using enum metrics::request_outcome;
  return record.outcome == client_cancelled || record.outcome == drained;
}

// Returns the time of the last text from the race's own winner. This is the end of the answer, or the time when another
// target continued the answer.
inline proxy::instant winner_ended_at(const race_account& record) {
  return record.continuation.races.empty() ? record.times.ended_at : record.continuation.races.front()->race.begun_at;
}

}  // namespace photofinish::gateway
