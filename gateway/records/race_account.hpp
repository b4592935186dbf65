// Holds one raced request with the facts for metrics, scoreboards and statistics: its race, and how the race ended.
// [pure]
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
  std::string by;  // the guardrail that gave the verdict; for a pass, the first guardrail
  std::chrono::nanoseconds held_before{0};      // the time that the guardrails added before the race
  std::optional<proxy::instant> released_at{};  // the time when the guardrails released the answer during the race
};

// A target that ran: its name, and its id in scoreboards.
struct planned_attempt {
  target_name target;
  racing::candidate_id id;
  bool is_callers_key = false;
  proxy::cancel_billing billing = proxy::cancel_billing::unknown;
  proxy::price_tier tier = proxy::price_tier::standard;  // the tier that the attempt requests
  metrics::target_series* series = nullptr;  // the series that counts the attempt as running; null if it has not run
  // True for each part without which the attempt was repeated, because its target had rejected the part.
  metrics::by<metrics::repeat_reason, bool> repeated{};
  bool is_usage_cut = false;  // true if the target reported more tokens than are possible
  // The expected share of the prompt in the target's cache. Empty if the race does not follow caches.
  std::optional<double> expected_share{};
  bool reports_cached = true;  // true if the provider reports cached tokens
  std::size_t concurrency = 1;  // this gateway's attempts in flight at the target at the start, including this attempt
};

// A winner that was slower than the limit of its route.
struct noted_crawl {
  std::size_t attempt = 0;
  double tokens_per_second = 0;
  metrics::seconds watched{};  // the part of the answer over which the speed was measured
  double limit = 0;            // the lower limit of the speed, in tokens per second
  metrics::crawl_end end = metrics::crawl_end::reported;
};

struct left_out_target {
  target_name target;
  racing::skip_reason reason = racing::skip_reason::no_key;
  std::string detail = {};  // the name of the parameter or the fact that excluded the target
};

// The rules by which the gateway raced the request.
struct account_terms {
  racing::race_policy policy = racing::race_policy::all;
  bool has_rule = false;         // true if one of the route's rules set the policy
  bool is_continuation = false;  // true if the request asks for the rest of another winner's answer
  // The result of the cache; empty if the route has no cache, or the request was refused.
  std::optional<metrics::cache_result> cache;
};

// The sender of the request.
struct account_caller {
  std::string_view client = "_none";  // the client's label in metrics; an access key's name lives as long as `settings`
  racing::caller_id id = 0;           // the fingerprint that cooldowns, receipts and the advice use
  std::string_view team = "_none";    // the team's label in metrics; it lives as long as the client's label
  std::shared_ptr<const access_key> subject;  // a sealed key, which has its own `team`; null for any other key
  std::string project;  // a configured project that the request names; empty if it names none
  std::string session;  // the session of an agent, named by its client; empty if there is none

  std::string_view name() const { return subject ? std::string_view(subject->name) : client; }
};

// The longest prefix of a conversation's prompt that a target had cached before the race. Only races that follow prompt
// caches have it.
struct known_prompt {
  double held_share = 0;      // the share of the prompt in the longest prefix that a target had cached, 0 to 1
  bool is_expired = false;    // true if the cache's time to live had passed
  bool is_continued = false;  // true if the conversation already contains an answer of the model
  bool has_moved = false;     // true if the race did not begin at the target with this prefix
};

struct account_prompt {
  std::size_t bytes = 0;
  request_extent extent;    // the limits of the usage that a provider may report
  std::uint64_t print = 0;  // a fingerprint that detects a repeated prompt
  std::optional<known_prompt> known;
};

struct account_times {
  proxy::instant received_at;
  proxy::instant ended_at;
  // The time when the gateway read the winner's first token that may win the race.
  std::optional<proxy::instant> decided_by_read_at;
  std::optional<proxy::instant> first_written_at;
  std::chrono::nanoseconds client_stalled{0};  // the time during decoding in which the client did not read
};

struct account_winner {
  std::optional<counted_tokens> counted;
  proxy::maybe_failure broken;  // the failure of a winner that broke after its first token
  std::vector<noted_crawl> crawls;  // the winners that were too slow: the first winner, then the runner-up
  // The largest number of tokens that the winner may still write after the request, without a report.
  std::uint64_t unreported_output = 0;
  // The time from the client's departure until the gateway closed its connection to the winner.
  std::optional<std::chrono::nanoseconds> cancelled_after;
};

// The notes of the observers of a request.
struct account_notes {
  std::shared_ptr<race_receipt> receipt;       // the receipt of the race; null if no receipt is stored
  // The trace of the request; null if there is none. The pointer is shared, because only rooms above this room know its
  // type.
  std::shared_ptr<const request_trace> trace;
  // The span of the request whose answer was used. Null if the request has its own answer.
  std::unique_ptr<const proxy::trace_parent> answered_by;
  std::shared_ptr<const guardrail_note> guardrail;  // the guardrails' verdict; null if no guardrail judges the request
};

struct race_account;

// The races for the rest of a broken answer.
struct account_continuation {
  std::vector<std::unique_ptr<race_account>> races;  // the races in their order; their addresses do not change
  std::size_t first_span = 0;  // the number of attempts of all races before this continuation
};

struct race_account {
  std::string id;
  metrics::endpoint endpoint = metrics::endpoint::other;  // the endpoint of the API that was called
  answer_form form = answer_form::whole;
  metrics::request_outcome outcome = metrics::request_outcome::gateway_error;
  int status = 0;  // the HTTP status of the answer
  account_terms terms;
  std::string route = "_none";  // the route's label in metrics
  account_caller caller;
  account_prompt prompt;
  account_times times;
  std::shared_ptr<const config> settings;  // the configuration at the request's start, which includes the prices

  // Only a request that ran a race has the following members.
  std::vector<planned_attempt> planned;  // the plan's targets, in the plan's order
  std::vector<left_out_target> skipped;
  racing::race_report race;
  std::optional<metrics::speculation_observation> speculation;  // the use of the budget, only for an adaptive race
  account_winner winner;
  account_notes notes;
  account_continuation continuation;
};

// Returns true if the request ended in the middle of its answer and its targets are not the cause. Either its client
// left, or drain_timeout cut it.
inline bool was_abandoned(const race_account& record) {
  using enum metrics::request_outcome;
  return record.outcome == client_cancelled || record.outcome == drained;
}

// Returns the time at which the race's own winner had no more text. This is the end of the answer, or the time when
// another target continued the answer.
inline proxy::instant winner_ended_at(const race_account& record) {
  return record.continuation.races.empty() ? record.times.ended_at : record.continuation.races.front()->race.begun_at;
}

}  // namespace photofinish::gateway
