#include "gateway/records/account_rules.hpp"

#include "gateway/records/speed.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace photofinish::gateway {

using metrics::attempt_outcome;
using metrics::attempt_reason;

namespace {

// The assumed number of bytes per token, for texts whose tokens were not counted.
constexpr std::uint64_t bytes_per_token = 4;

attempt_reason reason_of(proxy::failure_kind kind) {
  switch (kind) {
    case proxy::failure_kind::dns: return attempt_reason::dns;
    case proxy::failure_kind::connect: return attempt_reason::connect;
    case proxy::failure_kind::tls: return attempt_reason::tls;
    case proxy::failure_kind::timeout: return attempt_reason::timeout;
    case proxy::failure_kind::rate_limited: return attempt_reason::rate_limited;
    case proxy::failure_kind::quota: return attempt_reason::quota;
    case proxy::failure_kind::auth: return attempt_reason::auth;
    case proxy::failure_kind::bad_request: return attempt_reason::bad_request;
    case proxy::failure_kind::server_error: return attempt_reason::server_error;
    case proxy::failure_kind::bad_stream: return attempt_reason::bad_stream;
    case proxy::failure_kind::stall: return attempt_reason::stall;
    case proxy::failure_kind::crawl: return attempt_reason::crawl;
    case proxy::failure_kind::cancelled: return attempt_reason::none;
    case proxy::failure_kind::busy: return attempt_reason::busy;
  }
  return attempt_reason::none;
}

attempt_reason reason_of(racing::skip_reason reason) {
  switch (reason) {
    case racing::skip_reason::no_key: return attempt_reason::no_key;
    case racing::skip_reason::unsupported: return attempt_reason::unsupported;
    case racing::skip_reason::cooldown: return attempt_reason::cooldown;
    case racing::skip_reason::busy: return attempt_reason::busy;
    case racing::skip_reason::required: return attempt_reason::required;
    case racing::skip_reason::too_long: return attempt_reason::too_long;
    case racing::skip_reason::unpriced: return attempt_reason::unpriced;
  }
  return attempt_reason::no_key;
}

metrics::billing billing_of(proxy::cancel_billing billing) {
  switch (billing) {
    case proxy::cancel_billing::stops: return metrics::billing::stops;
    case proxy::cancel_billing::full: return metrics::billing::full;
    case proxy::cancel_billing::unknown: return metrics::billing::unknown;
  }
  return metrics::billing::unknown;
}

attempt_outcome outcome_of(const race_account& record, std::size_t index) {
  if (was_turned_away(record.race.attempts[index])) return attempt_outcome::skipped;
  switch (record.race.attempts[index].end) {
    case racing::attempt_end::won:
      if (record.winner.broken) return attempt_outcome::broken;
      if (was_abandoned(record)) return attempt_outcome::cancelled;
      return record.terms.is_continuation ? attempt_outcome::continued : attempt_outcome::won;
    case racing::attempt_end::lost: return attempt_outcome::lost;
    case racing::attempt_end::failed: return attempt_outcome::failed;
    case racing::attempt_end::cancelled: return attempt_outcome::cancelled;
  }
  return attempt_outcome::failed;
}

metrics::by<metrics::prompt_part, std::uint64_t> prompt_of(const proxy::token_usage& usage) {
  using enum metrics::prompt_part;
  metrics::by<metrics::prompt_part, std::uint64_t> made{};
  made[read] = std::min(usage.cached_input_tokens, usage.input_tokens);
  made[written] = std::min(usage.written_input_tokens, usage.input_tokens - made[read]);
  made[uncached] = usage.input_tokens - made[read] - made[written];
  return made;
}

// Records whether the prompt is expected in the target's prompt cache, and whether it was found there. The prompt
// counts as found if its cached share is at least half of the expected share, and at least a quarter of the prompt.
void observe_prefix(const race_account& record, const racing::attempt_report& attempt,
                    metrics::attempt_observation& seen) {
  const std::optional<double>& expected = record.planned[attempt.target].expected_share;
  if (!expected) return;
  constexpr double most = 0.5;
  seen.prompt_cache.expected = *expected >= most ? metrics::expected_prefix::warm : metrics::expected_prefix::cold;
  const auto& usage = attempt.summary.usage;
  if (!usage || usage->input_tokens == 0 || !record.planned[attempt.target].reports_cached) return;
  const double found = static_cast<double>(usage->cached_input_tokens) / static_cast<double>(usage->input_tokens);
  const bool is_warm = found >= most * std::max(*expected, most);
  seen.prompt_cache.found = is_warm ? metrics::found_prefix::warm : metrics::found_prefix::cold;
}

void observe_winner(const race_account& record, const racing::attempt_report& attempt,
                    metrics::attempt_observation& seen) {
  if (attempt.summary.first_token_at) seen.ttft = *attempt.summary.first_token_at - attempt.started_at;
  if (const auto& at = attempt.summary.first_visible_at) seen.first_visible = *at - attempt.started_at;
  if (record.winner.counted) seen.output[metrics::token_source::tokenizer] = record.winner.counted->all;
  if (attempt.summary.usage) {
    seen.output[metrics::token_source::usage] = attempt.summary.usage->output_tokens;
    seen.reasoning_tokens = attempt.summary.usage->reasoning_tokens;
    seen.prompt_cache.tokens = prompt_of(*attempt.summary.usage);
    seen.reported[metrics::reported_stage::queue] = attempt.summary.usage->times.queue;
    seen.reported[metrics::reported_stage::prompt] = attempt.summary.usage->times.prompt;
  }
  if (seen.outcome == attempt_outcome::broken || seen.outcome == attempt_outcome::cancelled) {
    seen.unmeasurable = metrics::unmeasurable_reason::broken;
    return;
  }
  if (attempt.summary.is_unstreamed) {
    seen.unmeasurable = metrics::unmeasurable_reason::not_streamed;
    return;
  }
  const measured_speed speed = measure_speed(attempt.summary, record.winner.counted, record.times.client_stalled);
  seen.speed = speed.samples;
  seen.unmeasurable = speed.unmeasurable;
}

// Counts the tokens of an attempt that continues another target's answer. The speed of such an attempt is not measured,
// because it is not typical of its target.
void observe_continuation(const racing::attempt_report& attempt, metrics::attempt_observation& seen) {
  if (!attempt.summary.usage) return;
  seen.output[metrics::token_source::usage] = attempt.summary.usage->output_tokens;
  seen.reasoning_tokens = attempt.summary.usage->reasoning_tokens;
}

// Returns true if a loser was rejected or broke off while the gateway still observed it after the race.
bool was_refused(const racing::attempt_report& attempt) { return attempt.was_observed && attempt.why; }

// Records the time of a loser's first token. This time is known in two cases. Either the gateway observed the loser
// until this token, or the loser sent a token that could not win the race.
void observe_loser(const racing::attempt_report& attempt, metrics::attempt_observation& seen) {
  if (attempt.summary.is_unstreamed) return;  // if an answer is not streamed, its first token arrives only at its end
  if (attempt.summary.first_token_at) {
    seen.ttft = *attempt.summary.first_token_at - attempt.started_at;
    seen.sample = metrics::ttft_sample::observed;
  } else if (attempt.cancel_duration) {
    seen.abandoned_after = attempt.ended_at - attempt.started_at;
  }
}

// Returns true if the failure is the client's fault and the client cannot be identified. Without access keys, all
// clients count as one caller, so one client's failures would count against all of them.
bool may_not_count(const racing::attempt_sample& verdict, const race_account& record) {
  const bool is_anonymous = !record.caller.subject && record.caller.client == "_none";
  return is_anonymous && verdict.failed &&
         racing::blame_for(*verdict.failed, verdict.status, verdict.scope) == racing::blame::caller;
}

// Returns the attempt's result for the scoreboard. Returns nothing for a losing attempt, or if the client disconnected,
// because the attempt has then neither succeeded nor failed.
std::optional<racing::attempt_sample> verdict_on(const race_account& record, const racing::attempt_report& attempt) {
  racing::attempt_sample verdict{.id = record.planned[attempt.target].id};
  // A failure of the gateway itself says nothing about the target.
  if (attempt.why && attempt.why->origin == proxy::failure_origin::gateway) return std::nullopt;
  if (record.winner.broken && record.winner.broken->origin == proxy::failure_origin::gateway) return std::nullopt;
  if (attempt.end == racing::attempt_end::failed || was_refused(attempt)) {
    verdict.failed = attempt.why->kind;
    verdict.retry_after = attempt.why->retry_after;
    verdict.status = attempt.why->status;
    verdict.scope = attempt.why->scope;
  } else if (attempt.end != racing::attempt_end::won) {
    return std::nullopt;
  } else if (record.winner.broken) {
    verdict.scope = record.winner.broken->scope;
    // The failure occurred in the winner's stream after the first token.
    verdict.failed = record.winner.broken->kind;
  }
  verdict.caller = record.caller.id;
  verdict.prompt = record.prompt.print;
  if (may_not_count(verdict, record)) return std::nullopt;
  return verdict;
}

// Returns the speed of an answer for the statistics. The speed is based on the gateway's own token count, so that
// providers can be compared.
std::optional<double> speed_of(const metrics::attempt_observation& seen) {
  const auto& decoded = seen.speed[metrics::token_source::tokenizer];
  if (!decoded) return std::nullopt;
  return static_cast<double>(decoded->tokens) / decoded->duration.count();
}

// Returns the times of an attempt for the statistics. If the gateway, the client or a limit ended the attempt before
// its first token, the time is only a lower bound. Returns no time for an attempt that failed or did not stream.
racing::target_sample measure(const race_account& record, const racing::attempt_report& attempt,
                              const metrics::attempt_observation& seen) {
  racing::target_sample sample;
  sample.input_tokens = record.prompt.bytes / bytes_per_token;
  sample.concurrency = record.planned[attempt.target].concurrency;
  if (attempt.summary.is_unstreamed) return sample;
  sample.tokens_per_second = speed_of(seen);
  const bool has_timed_out = attempt.why && attempt.why->kind == proxy::failure_kind::timeout;
  const bool was_cut_off = attempt.cancel_duration && (attempt.end != racing::attempt_end::failed || has_timed_out);
  if (attempt.summary.first_token_at)
    sample.ttft_seconds = metrics::seconds(*attempt.summary.first_token_at - attempt.started_at).count();
  else if (was_cut_off)
    sample.ttft_at_least_seconds = metrics::seconds(attempt.ended_at - attempt.started_at).count();
  return sample;
}

}  // namespace

metrics::lost_token_count lost_tokens(const race_account& record, const racing::attempt_report& attempt) {
  metrics::lost_token_count lost;
  lost.billed = billing_of(record.planned[attempt.target].billing);
  lost.input_tokens = record.prompt.bytes / bytes_per_token;
  lost.output_tokens = attempt.summary.text_bytes / bytes_per_token;
  if (!record.race.winner) return lost;
  const proxy::stream_summary& winner = record.race.attempts[*record.race.winner].summary;
  if (winner.usage) lost.input_tokens = winner.usage->input_tokens;
  if (lost.billed == metrics::billing::stops) return lost;
  if (winner.usage) lost.output_tokens = winner.usage->output_tokens;
  else lost.output_tokens = record.winner.counted ? record.winner.counted->all : winner.text_bytes / bytes_per_token;
  return lost;
}

bool was_paid_for(const racing::attempt_report& attempt) {
  const bool was_sent = attempt.summary.connection != proxy::connection_used::none;
  const bool was_cut_off = attempt.end == racing::attempt_end::lost || attempt.end == racing::attempt_end::cancelled;
  const bool has_spoken = attempt.end == racing::attempt_end::failed && attempt.summary.first_token_at;
  return was_sent && (was_cut_off || has_spoken) && !was_refused(attempt);
}

metrics::attempt_observation observe_attempt(const race_account& record, std::size_t index,
                                             metrics::target_series& target) {
  const racing::attempt_report& attempt = record.race.attempts[index];
  metrics::attempt_observation seen{.target = target};
  seen.outcome = outcome_of(record, index);
  if (attempt.why && attempt.end == racing::attempt_end::failed) seen.reason = reason_of(attempt.why->kind);
  if (seen.outcome == attempt_outcome::broken) seen.reason = reason_of(record.winner.broken->kind);
  if (attempt.summary.connection == proxy::connection_used::fresh) seen.connection = metrics::connection_kind::fresh;
  if (attempt.summary.connection == proxy::connection_used::reused) seen.connection = metrics::connection_kind::reused;
  seen.repeated = record.planned[attempt.target].repeated;
  if (attempt.summary.first_byte_at && !attempt.summary.is_unstreamed)
    seen.first_byte = *attempt.summary.first_byte_at - attempt.started_at;
  if (attempt.end == racing::attempt_end::won && record.terms.is_continuation) observe_continuation(attempt, seen);
  else if (attempt.end == racing::attempt_end::won) {
    observe_winner(record, attempt, seen);
    observe_prefix(record, attempt, seen);
  }
  seen.prompt_cache.is_prefill_finished = attempt.is_prefill_finished;
  if (attempt.end == racing::attempt_end::lost) observe_loser(attempt, seen);
  const bool was_cancelled = attempt.cancel_duration && attempt.end != racing::attempt_end::failed;
  if (was_cancelled && !attempt.was_observed) seen.cancel = *attempt.cancel_duration;
  if (attempt.end == racing::attempt_end::won && seen.outcome == attempt_outcome::cancelled &&
      record.winner.cancelled_after)
    seen.cancel = *record.winner.cancelled_after;
  if (was_paid_for(attempt)) seen.lost = lost_tokens(record, attempt);
  for (const noted_crawl& each : record.winner.crawls)
    if (each.attempt == index) seen.crawl = each.end;
  return seen;
}

metrics::attempt_observation observe_skipped(racing::skip_reason why, metrics::target_series& target) {
  metrics::attempt_observation seen{.target = target};
  seen.outcome = attempt_outcome::skipped;
  seen.reason = reason_of(why);
  return seen;
}

bool may_have_cost(const racing::attempt_report& attempt, const metrics::attempt_observation& seen) {
  return attempt.end == racing::attempt_end::won || seen.lost;
}

proxy::price_tier tier_of(const race_account& record, const racing::attempt_report& attempt) {
  const auto& usage = attempt.summary.usage;
  return usage && usage->tier ? *usage->tier : record.planned[attempt.target].tier;
}

void observe_price(const race_account& record, std::size_t index, const proxy::model_prices* prices,
                   std::chrono::sys_seconds now, metrics::attempt_observation& seen) {
  const racing::attempt_report& attempt = record.race.attempts[index];
  if (!prices) {
    seen.price = metrics::unpriced{};
  } else if (attempt.end == racing::attempt_end::won) {
    seen.price = winner_cost(*prices, attempt.summary, tokens_of_winner(record), now);
  } else {
    seen.price = loser_cost(*prices, *seen.lost, now);
  }
}

estimated_tokens tokens_of_winner(const race_account& record) {
  const proxy::stream_summary& summary = record.race.attempts[*record.race.winner].summary;
  if (summary.usage) return {summary.usage->input_tokens, summary.usage->output_tokens};
  estimated_tokens estimated{record.prompt.bytes / bytes_per_token, summary.text_bytes / bytes_per_token};
  if (record.winner.counted) estimated.output = record.winner.counted->all;
  estimated.output = std::max(estimated.output, record.winner.unreported_output);
  return estimated;
}

metrics::gen_ai_observation observe_gen_ai(const race_account& record, const metrics::attempt_observation& winner) {
  const proxy::stream_summary& summary = record.race.attempts[*record.race.winner].summary;
  metrics::gen_ai_observation seen{.winner = winner.target};
  seen.error = winner.reason;
  seen.ttft = winner.ttft;
  seen.duration = record.times.ended_at - record.times.received_at;
  // The time per output token is based on the token count that the provider reports, never on the gateway's own count.
  if (const auto& decoded = winner.speed[metrics::token_source::usage])
    seen.time_per_output_token = decoded->duration / static_cast<double>(decoded->tokens);
  if (summary.usage) {
    seen.input_tokens = summary.usage->input_tokens;
    seen.output_tokens = summary.usage->output_tokens;
  }
  return seen;
}

std::optional<metrics::seconds> ttft_of(const race_account& record) {
  if (record.form == answer_form::whole || !record.times.first_written_at) return std::nullopt;
  const auto& winner = record.race.winner;
  if (winner && record.race.attempts[*winner].summary.is_unstreamed) return std::nullopt;
  return *record.times.first_written_at - record.times.received_at;
}

std::optional<metrics::seconds> overhead_of(const race_account& record) {
  if (record.form == answer_form::whole || !record.race.winner || !record.times.first_written_at) return std::nullopt;
  if (!record.times.decided_by_read_at) return std::nullopt;
  proxy::instant decided_by = *record.times.decided_by_read_at;
  std::chrono::nanoseconds judged_before{0};
  // The time that the guardrails took does not count as overhead of the gateway.
  if (record.notes.guardrail) {
    judged_before = record.notes.guardrail->held_before;
    if (record.notes.guardrail->released_at) decided_by = std::max(decided_by, *record.notes.guardrail->released_at);
  }
  return (record.race.begun_at - record.times.received_at - judged_before) +
         (*record.times.first_written_at - decided_by);
}

std::optional<metrics::seconds> margin_of(const race_account& record) {
  if (!record.race.winner) return std::nullopt;
  const auto& won_at = record.race.attempts[*record.race.winner].summary.first_token_at;
  std::optional<metrics::seconds> margin;
  for (const racing::attempt_report& attempt : record.race.attempts) {
    if (!won_at || !attempt.was_observed || !attempt.summary.first_token_at) continue;
    const metrics::seconds behind = *attempt.summary.first_token_at - *won_at;
    if (!margin || behind < *margin) margin = behind;
  }
  return margin;
}

std::optional<metrics::hold_observation> hold_of(const race_account& record) {
  if (!record.race.hold) return std::nullopt;
  const racing::hold_report& hold = *record.race.hold;
  return metrics::hold_observation{static_cast<metrics::hold_why>(hold.why), hold.ended_at - hold.began_at};
}

std::optional<metrics::runner_up_end> runner_up_of(const race_account& record) {
  const auto was_kept = [](const racing::attempt_report& each) { return each.was_kept; };
  if (std::none_of(record.race.attempts.begin(), record.race.attempts.end(), was_kept)) return std::nullopt;
  if (!record.race.replaced) return metrics::runner_up_end::unused;
  return record.race.winner ? metrics::runner_up_end::answered : metrics::runner_up_end::failed;
}

attempt_evidence note_of(const race_account& record, std::size_t index, const metrics::attempt_observation& seen,
                         std::string target_name) {
  const racing::attempt_report& attempt = record.race.attempts[index];
  attempt_evidence evidence{verdict_on(record, attempt), measure(record, attempt, seen)};
  evidence.measured.target = std::move(target_name);
  return evidence;
}

std::optional<racing::raced_prompt> prompt_for_advice(const race_account& record) {
  const racing::attempt_report& winner = record.race.attempts[*record.race.winner];
  const planned_attempt& planned = record.planned[winner.target];
  const std::optional<known_prompt>& known = record.prompt.known;
  const auto& usage = winner.summary.usage;
  if (!known || !planned.reports_cached || !usage || usage->input_tokens == 0) return std::nullopt;
  using enum racing::prompt_cause;
  constexpr double most = 0.5, little = 0.25;
  racing::raced_prompt made{.is_continued = known->is_continued};
  const auto whole = static_cast<double>(usage->input_tokens);
  const bool is_elsewhere = planned.expected_share.value_or(0) < little * known->held_share;
  if (static_cast<double>(usage->cached_input_tokens) >= most * whole) made.cause = found;
  else if (known->held_share < most) made.cause = known->is_continued ? changed : first;
  else if (known->is_expired) made.cause = expired;
  else made.cause = known->has_moved || is_elsewhere ? moved : missed;
  return made;
}

std::unique_ptr<racing::raced_request> race_for_advice(const race_account& record) {
  using std::chrono::duration;
  if (!record.settings || record.race.attempts.empty()) return nullptr;
  const auto route = record.settings->routes.find(record.route);
  if (route == record.settings->routes.end() || route->second.targets.size() < 2) return nullptr;
  // A race to which a rule applied is not used for advice. The rule may have different targets and a different policy
  // than the route.
  if (record.terms.has_rule) return nullptr;
  auto made = std::make_unique<racing::raced_request>();
  made->route = record.route;
  made->caller = record.caller.id;
  made->begun_at = record.race.begun_at;
  made->input_tokens = static_cast<double>(record.prompt.bytes / bytes_per_token);
  const bool has_left = was_abandoned(record);
  if (!record.race.winner) {
    const bool has_waited = has_left || record.race.defeated == racing::defeat::timed_out;
    if (has_waited) made->at_least = duration<double>(record.race.decided_at - record.race.begun_at).count();
    return made;
  }
  const proxy::stream_summary& answer = record.race.attempts[*record.race.winner].summary;
  if (answer.is_unstreamed || !answer.first_token_at) return nullptr;
  made->winner = record.race.winner;
  made->prompt = prompt_for_advice(record);
  made->first_token = duration<double>(*answer.first_token_at - record.race.begun_at).count();
  if (record.winner.broken || has_left) return made;
  made->output_tokens = static_cast<double>(tokens_of_winner(record).output);
  if (answer.last_token_at) made->finish = duration<double>(*answer.last_token_at - record.race.begun_at).count();
  return made;
}

racing::raced_attempt attempt_for_advice(const race_account& record, std::size_t index,
                                         const attempt_evidence& evidence) {
  const racing::attempt_report& attempt = record.race.attempts[index];
  const planned_attempt& planned = record.planned[attempt.target];
  racing::raced_attempt made;
  made.target = planned.target.text();
  made.started_at = attempt.started_at;
  made.at = attempt.ended_at;
  made.in_flight = static_cast<double>(planned.concurrency);
  made.is_lost_and_paid = was_paid_for(attempt);
  made.tokens_per_second = evidence.measured.tokens_per_second;
  const bool may_have_failed = evidence.verdict && evidence.verdict->failed && !planned.is_callers_key;
  const bool has_failed = may_have_failed && racing::counts_against_target(racing::blame_for(
                                                 *evidence.verdict->failed, evidence.verdict->status,
                                                 evidence.verdict->scope));
  if (evidence.measured.ttft_seconds) {
    made.end = racing::attempt_step::spoke;
    made.at = *attempt.summary.first_token_at;
  } else if (evidence.measured.ttft_at_least_seconds) {
    made.end = racing::attempt_step::cut;
  } else if (has_failed) {
    made.end = racing::attempt_step::failed;
  }
  return made;
}

}  // namespace photofinish::gateway
