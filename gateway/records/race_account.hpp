// Holds the facts about one raced request for metrics, scoreboards and statistics: how its race went, and how the
// request ended. [pure]
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

// The verdict of the guardrails on a request, and the time that the guardrails added to the request.
struct guardrail_note {
  metrics::guardrail_verdict verdict = metrics::guardrail_verdict::pass;
  std::string by;  // the guardrail that gave the verdict, or the first guardrail if the request passed all of them
  std::chrono::nanoseconds held_before{0};      // the time that the guardrails added before the race
  // The time when all guardrails had given their verdicts, so that the answer could be sent.
  std::optional<proxy::instant> released_at{};
};

// A planned attempt, with the target's name and the target's id in scoreboards.
struct planned_attempt {
  target_name target;
  racing::candidate_id id;
  bool is_callers_key = false;
  proxy::cancel_billing billing = proxy::cancel_billing::unknown;
  proxy::price_tier tier = proxy::price_tier::standard;  // the price tier that the attempt requests
  // The metrics series that counts the attempt while it runs; null if the attempt has not run.
  metrics::target_series* series = nullptr;
  // The parts of the request that the attempt left out when it was repeated, because the target had rejected them.
  metrics::by<metrics::repeat_reason, bool> repeated{};
  // True if the target reported more tokens than possible, and the gateway reduced the number.
  bool is_usage_cut = false;
  // The share of the prompt that is expected in the target's prompt cache. Empty if the race ignores prompt caches.
  std::optional<double> expected_share{};
  bool reports_cached = true;  // true if the provider reports cached tokens
  // The number of this gateway's running attempts at the target when the attempt started, including this attempt.
  std::size_t concurrency = 1;
};

// A winning attempt that was slower than its route allows.
struct noted_crawl {
  std::size_t attempt = 0;
  double tokens_per_second = 0;
  metrics::seconds watched{};  // the length of the period in which the speed was measured
  double limit = 0;            // the minimum speed that the route allows, in tokens per second
  metrics::crawl_end end = metrics::crawl_end::reported;
};

struct left_out_target {
  target_name target;
  racing::skip_reason reason = racing::skip_reason::no_key;
  std::string detail = {};  // the name of the parameter or property that excluded the target
};

// The policy of a request's race, and other properties of this race.
struct account_terms {
  racing::race_policy policy = racing::race_policy::all;
  bool has_rule = false;         // true if one of the route's rules applied to the request
  bool is_continuation = false;  // true if the race continues an answer that another target began
  // The result of the search in the response cache. Empty if the route has no response cache, or if the request was
  // refused.
  std::optional<metrics::cache_result> cache;
};

// The caller that sent the request.
struct account_caller {
  // The client's name in metrics. The name of an access key is valid as long as `settings`.
  std::string_view client = "_none";
  racing::caller_id id = 0;           // a fingerprint of the caller, used for cooldowns, receipts and advice
  std::string_view team = "_none";    // the team's name in metrics; valid as long as the client's name
  // The caller's sealed key, which names the team itself. Null if the caller uses any other kind of key.
  std::shared_ptr<const access_key> subject;
  std::string project;  // the configured project that the request names; empty if the request names none
  std::string session;  // the name of the session, for example of an agent's session; empty if the client names none

  std::string_view name() const { return subject ? std::string_view(subject->name) : client; }
};

// The longest prefix of a conversation's prompt that any target had in its prompt cache before the race. Recorded only
// if the race considers prompt caches.
struct known_prompt {
  double held_share = 0;      // the length of the longest cached prefix, as a share of the prompt from 0 to 1
  bool is_expired = false;    // true if the cached prefix had exceeded its time to live
  bool is_continued = false;  // true if the prompt contains an earlier answer of the model
  bool has_moved = false;     // true if the race began at a target without the cached prefix
};

struct account_prompt {
  std::size_t bytes = 0;
  request_extent extent;    // the facts about the request that limit how many tokens it can use
  std::uint64_t print = 0;  // a fingerprint of the prompt, used to detect repeated prompts
  std::optional<known_prompt> known;
};

struct account_times {
  proxy::instant received_at;
  proxy::instant ended_at;
  // The time when the gateway read the token that decided the race.
  std::optional<proxy::instant> decided_by_read_at;
  std::optional<proxy::instant> first_written_at;
  // The total time for which the client stopped reading while the winner's answer streamed.
  std::chrono::nanoseconds client_stalled{0};
};

struct account_winner {
  std::optional<counted_tokens> counted;
  proxy::maybe_failure broken;  // the failure of a winner that broke off in the middle of its answer
  // The attempts that were too slow after they had won: the winner, then the runner-up that replaced it.
  std::vector<noted_crawl> crawls;
  // The maximum number of tokens that a background response may still produce after the request has ended. The gateway
  // does not see these tokens.
  std::uint64_t unreported_output = 0;
  // The time between the client's disconnect and the end of the gateway's connection to the winner.
  std::optional<std::chrono::nanoseconds> cancelled_after;
};

// The data that the request's observers add to the request's account.
struct account_notes {
  std::shared_ptr<race_receipt> receipt;       // the receipt of the race; null if the gateway stores no receipt
  // The trace of the request; null if there is none. A shared_ptr is used because, unlike a unique_ptr, it can own a
  // type that is incomplete in this header.
  std::shared_ptr<const request_trace> trace;
  // The trace span of another request whose answer this request shared. Null if the request got its own answer.
  std::unique_ptr<const proxy::trace_parent> answered_by;
  std::shared_ptr<const guardrail_note> guardrail;  // the guardrails' verdict; null if no guardrail checks the request
};

struct race_account;

// The races that continue the request's answer after a target has broken it off.
struct account_continuation {
  // The races in the order in which they ran; the objects never move in memory.
  std::vector<std::unique_ptr<race_account>> races;
  std::size_t first_span = 0;  // the number of attempts in all earlier races of this request
};

struct race_account {
  std::string id;
  metrics::endpoint endpoint = metrics::endpoint::other;  // the API endpoint that the client called
  answer_form form = answer_form::whole;
  metrics::request_outcome outcome = metrics::request_outcome::gateway_error;
  int status = 0;  // the HTTP status of the answer
  account_terms terms;
  std::string route = "_none";  // the route's name in metrics
  account_caller caller;
  account_prompt prompt;
  account_times times;
  std::shared_ptr<const config> settings;  // the configuration at the start of the request; it includes the prices

  // The following members have values only if the request ran a race.
  std::vector<planned_attempt> planned;  // the targets of the plan, in the plan's order
  std::vector<left_out_target> skipped;
  racing::race_report race;
  // The race's use of the route's budget; only for the policy `adaptive`.
  std::optional<metrics::speculation_observation> speculation;
  account_winner winner;
  account_notes notes;
  account_continuation continuation;
};

// Returns true if the answer was cut although no target failed. Either the client disconnected, or drain_timeout passed
// while the gateway was stopping.
inline bool was_abandoned(const race_account& record) {
  using enum metrics::request_outcome;
  return record.outcome == client_cancelled || record.outcome == drained;
}

// Returns the time of the last text from the winner of this race. This is the end of the answer, or the time when
// another target continued the answer.
inline proxy::instant winner_ended_at(const race_account& record) {
  return record.continuation.races.empty() ? record.times.ended_at : record.continuation.races.front()->race.begun_at;
}

}  // namespace photofinish::gateway
