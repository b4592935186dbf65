// Decides how a request that has ended is counted: the result and the cost of each attempt, and the evidence about its
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

// Returns all figures of the attempt with this index, except its price. `target` is the series that counts the attempt.
metrics::attempt_observation observe_attempt(const race_account& record, std::size_t index,
                                             metrics::target_series& target);
metrics::attempt_observation observe_skipped(racing::skip_reason why, metrics::target_series& target);

// Returns true if an attempt that did not win must be paid for nevertheless.
bool was_paid_for(const racing::attempt_report& attempt);

// Returns the tokens that a cancelled attempt may cost: its prompt, and the part of an answer that its provider still
// bills. The best estimate of both is the winner's usage. Without usage, the estimate is based on the prompt's bytes.
metrics::lost_token_count lost_tokens(const race_account& record, const racing::attempt_report& attempt);

// Returns true if an attempt may have cost money. A refused attempt, or an attempt that broke for an unknown reason,
// counts as free.
bool may_have_cost(const racing::attempt_report& attempt, const metrics::attempt_observation& seen);

// Returns the tier that the provider reports, or the requested tier if the provider reports none.
proxy::price_tier tier_of(const race_account& record, const racing::attempt_report& attempt);

// Sets the attempt's cost. `prices` are the prices of its tier; null if they are unknown.
void observe_price(const race_account& record, std::size_t index, const proxy::model_prices* prices,
                   std::chrono::sys_seconds now, metrics::attempt_observation& seen);

// Returns the tokens that the provider reports, or the gateway's estimate if it reports none. The race must have a
// winner.
estimated_tokens tokens_of_winner(const race_account& record);

// Returns the winner's figures with OpenTelemetry's names. The race must have a winner. `winner` is the result of
// observe_attempt().
metrics::gen_ai_observation observe_gen_ai(const race_account& record, const metrics::attempt_observation& winner);

// Returns the time from a streamed request's arrival until its first token was written. Empty if the winner did not
// stream, because that time would include its whole answer.
std::optional<metrics::seconds> ttft_of(const race_account& record);

// Returns the gateway's own time in a streamed request. One part is the time from the request's end to the first
// attempt's start. The other part is the time from reading the winner's first token to writing its first byte.
std::optional<metrics::seconds> overhead_of(const race_account& record);

// Returns the time between the winner's first token and the runner-up's first token. Empty if the losers were not
// observed that long.
std::optional<metrics::seconds> margin_of(const race_account& record);

// Returns the result of a held attempt, and of a loser that ran on. Empty if there was neither.
std::optional<metrics::hold_observation> hold_of(const race_account& record);
std::optional<metrics::runner_up_end> runner_up_of(const race_account& record);

// Returns the evidence for the scoreboard and the statistics. `target_name` is the target's name in the metrics.
attempt_evidence note_of(const race_account& record, std::size_t index, const metrics::attempt_observation& seen,
                         std::string target_name);

// Says why the winner did or did not read its prompt from its prompt cache, without the cost. Empty if the race follows
// no caches, or if the provider does not report cached tokens.
std::optional<racing::raced_prompt> prompt_for_advice(const race_account& record);

// Returns the data about the race for the advice, without the attempts. Returns null if the request ran no race, or if
// its answer was not streamed. Also returns null if its route is not configured or has only one target.
std::unique_ptr<racing::raced_request> race_for_advice(const race_account& record);
// Returns the data for the advice about the attempt with this index. `evidence` is made from the same attempt.
racing::raced_attempt attempt_for_advice(const race_account& record, std::size_t index,
                                         const attempt_evidence& evidence);

}  // namespace photofinish::gateway
