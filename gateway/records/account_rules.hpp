// Decides how a request that has ended is counted: the result and cost of each attempt, and the evidence about its
// target. [pure]
#pragma once

#include "gateway/records/attempt_evidence.hpp"
#include "gateway/records/cost.hpp"
#include "gateway/records/race_account.hpp"
#include "metrics/observations.hpp"
#include "proxy/providers/prices.hpp"
#include "racing/advice/raced_request.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

// All figures of the attempt with that index, except its price. `target`: the series that counts it.
metrics::attempt_observation observe_attempt(const race_account& record, std::size_t index,
                                             metrics::target_series& target);
metrics::attempt_observation observe_skipped(racing::skip_reason why, metrics::target_series& target);

// True if an attempt that did not win is paid for nevertheless.
bool was_paid_for(const racing::attempt_report& attempt);

// The tokens that a cancelled attempt may cost: its prompt, and the part of an answer that its provider still bills.
// The best estimate of both is the winner's usage; without usage it is the prompt's bytes.
metrics::lost_token_count lost_tokens(const race_account& record, const racing::attempt_report& attempt);

// True if an attempt may have cost something. An attempt that was refused, or that broke for an unknown reason, counts
// as free.
bool may_have_cost(const racing::attempt_report& attempt, const metrics::attempt_observation& seen);

// The tier that the provider reports, otherwise the requested tier.
proxy::price_tier tier_of(const race_account& record, const racing::attempt_report& attempt);

// Sets the attempt's cost. `prices`: the prices of its tier; null: unknown.
void observe_price(const race_account& record, std::size_t index, const proxy::model_prices* prices,
                   std::chrono::sys_seconds now, metrics::attempt_observation& seen);

// The tokens that the provider reports, otherwise the gateway's estimate. The race must have a winner.
estimated_tokens tokens_of_winner(const race_account& record);

// The winner's figures in OpenTelemetry's terms; the race must have a winner. `winner`: the result of
// observe_attempt().
metrics::gen_ai_observation observe_gen_ai(const race_account& record, const metrics::attempt_observation& winner);

// The time from a streamed request's arrival to its first token written. Empty if the winner did not stream, because
// that time would include its whole answer.
std::optional<metrics::seconds> ttft_of(const race_account& record);

// The gateway's own time in a streamed request: from the request's end to the first attempt's start, plus from the
// winner's first token read to its first byte written.
std::optional<metrics::seconds> overhead_of(const race_account& record);

// Time between the winner's first token and the runner-up's, if losers were observed that long.
std::optional<metrics::seconds> margin_of(const race_account& record);

// The result of a hold, and of a loser that ran on; empty if there was none.
std::optional<metrics::hold_observation> hold_of(const race_account& record);
std::optional<metrics::runner_up_end> runner_up_of(const race_account& record);

// Evidence for the scoreboard and the statistics. `target_name`: the target's name in the metrics.
attempt_evidence note_of(const race_account& record, std::size_t index, const metrics::attempt_observation& seen,
                         std::string target_name);

// Why the winner read its prompt from its prompt cache, or did not; without the cost. Empty if the race follows no
// caches, or if the provider does not report cached tokens.
std::optional<racing::raced_prompt> prompt_for_advice(const race_account& record);

// Advice's data about the race, without its attempts. Null if the request ran no race, its route is not configured or
// has only one target, or its answer was not streamed.
std::unique_ptr<racing::raced_request> race_for_advice(const race_account& record);
// Advice's data about the attempt with that index. `evidence`: made from the same attempt.
racing::raced_attempt attempt_for_advice(const race_account& record, std::size_t index,
                                         const attempt_evidence& evidence);

}  // namespace photofinish::gateway
