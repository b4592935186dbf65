// One raced request as metrics, scoreboards and statistics see it: the race it ran, and how that ended. [pure]
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

// What guardrails said, and what they took of the request's time.
struct guardrail_note {
  metrics::guardrail_verdict verdict = metrics::guardrail_verdict::pass;
  std::string by;  // whose that is; of one that passes: the first's
  std::chrono::nanoseconds held_before{0};      // before the race
  std::optional<proxy::instant> released_at{};  // in its course
};

// One target that ran: who it is, and how scoreboards know it.
struct planned_attempt {
  target_name target;
  racing::candidate_id id;
  bool is_callers_key = false;
  proxy::cancel_billing billing = proxy::cancel_billing::unknown;
  proxy::price_tier tier = proxy::price_tier::standard;  // the tier that was asked for
  metrics::target_series* series = nullptr;  // where it was counted as running; null: it has not run
  metrics::by<metrics::repeat_reason, bool> repeated{};  // asked once more, without what it had refused
  bool is_usage_cut = false;  // it reported more than can be
  std::optional<double> expected_share{};  // of the prompt, in the target's cache; none: the race follows no caches
  bool reports_cached = true;  // its provider reports the tokens that it found in its prompt cache
  std::size_t concurrency = 1;  // attempts of this gateway in flight at the target when it started, itself among them
};

// A winner that was slower than its route's limit.
struct noted_crawl {
  std::size_t attempt = 0;
  double tokens_per_second = 0;
  metrics::seconds watched{};  // the part of the answer that it was measured over
  double limit = 0;            // in tokens a second
  metrics::crawl_end end = metrics::crawl_end::reported;
};

struct left_out_target {
  target_name target;
  racing::skip_reason reason = racing::skip_reason::no_key;
  std::string detail = {};  // the parameter, or the fact
};

// How the request was raced.
struct account_terms {
  racing::race_policy policy = racing::race_policy::all;
  bool has_rule = false;         // by one of the route's rules
  bool is_continuation = false;  // for the rest of an answer that another race's winner began
  std::optional<metrics::cache_result> cache;  // none: the route has no cache, or it was refused
};

// The sender of the request.
struct account_caller {
  std::string_view client = "_none";  // the label of metrics; an access key's name lives as long as `settings`
  racing::caller_id id = 0;           // as cooldowns, receipts and the advice tell callers apart
  std::string_view team = "_none";    // the label of metrics, with the same lifetime
  std::shared_ptr<const access_key> subject;  // of a sealed key: `team` is its own; null: it was none
  std::string project;  // of the configuration's, as the request names it; empty: none
  std::string session;  // an agent's, as its client says it; empty: none

  std::string_view name() const { return subject ? std::string_view(subject->name) : client; }
};

struct account_prompt {
  std::size_t bytes = 0;
  request_extent extent;    // bounds what a provider may report
  std::uint64_t print = 0;  // tells a repetition
};

struct account_times {
  proxy::instant received_at;
  proxy::instant ended_at;
  std::optional<proxy::instant> decided_by_read_at;  // when the winner's first token that may win was read
  std::optional<proxy::instant> first_written_at;
  std::chrono::nanoseconds client_stalled{0};  // while decoding
};

struct account_winner {
  std::optional<counted_tokens> counted;
  proxy::maybe_failure broken;  // after its first token
  std::vector<noted_crawl> crawls;  // the runner-up's crawl follows the first winner's
  std::uint64_t unreported_output = 0;  // the most tokens that it may still write after the request, unreported
  std::optional<std::chrono::nanoseconds> cancelled_after;  // from the client's leaving to our close
};

// The notes of the request's observers.
struct account_notes {
  std::shared_ptr<race_receipt> receipt;       // null: none is kept
  std::shared_ptr<const request_trace> trace;  // null: no tracing. Shared, because rooms above know its type
  std::unique_ptr<const proxy::trace_parent> answered_by;  // the span whose answer this request got; null: its own
  std::shared_ptr<const guardrail_note> guardrail;  // null: no guardrail judges the request
};

struct race_account;

// The races for the rest of an answer that broke off.
struct account_continuation {
  std::vector<std::unique_ptr<race_account>> races;  // in their order; each stays where it is
  std::size_t first_span = 0;  // in such a race: the number of attempts of the races before it
};

struct race_account {
  std::string id;
  metrics::endpoint endpoint = metrics::endpoint::other;  // of the API that was called
  answer_form form = answer_form::whole;
  metrics::request_outcome outcome = metrics::request_outcome::gateway_error;
  int status = 0;  // of the answer
  account_terms terms;
  std::string route = "_none";  // metrics' label
  account_caller caller;
  account_prompt prompt;
  account_times times;
  std::shared_ptr<const config> settings;  // those it began with: its prices

  // Of a request that came to a race.
  std::vector<planned_attempt> planned;  // the plan's targets, in its order
  std::vector<left_out_target> skipped;
  racing::race_report race;
  std::optional<metrics::speculation_observation> speculation;  // of an adaptive race
  account_winner winner;
  account_notes notes;
  account_continuation continuation;
};

// It ended in the middle of its answer, and its targets are not to blame: its client left, or drain_timeout cut it.
inline bool was_abandoned(const race_account& record) {
  using enum metrics::request_outcome;
  return record.outcome == client_cancelled || record.outcome == drained;
}

// When its own winner had no more to say: the end of the answer, or where another target went on with it.
inline proxy::instant winner_ended_at(const race_account& record) {
  return record.continuation.races.empty() ? record.times.ended_at : record.continuation.races.front()->race.begun_at;
}

}  // namespace photofinish::gateway
