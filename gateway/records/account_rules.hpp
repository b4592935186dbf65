// Decides how a finished request is counted: the result and the cost of each attempt, and what each attempt shows about
// its target. [pure]
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

// Returns all figures of the attempt with this index, except its price. `target` is the series of metrics that counts
// the attempt.
metrics::attempt_observation observe_attempt(const race_account& record, std::size_t index,
                                             metrics::target_series& target);
metrics::attempt_observation observe_skipped(racing::skip_reason why, metrics::target_series& target);

// Returns true if the provider bills an attempt that did not win.
bool was_paid_for(const racing::attempt_report& attempt);

// Returns the tokens that the provider may bill for a cancelled attempt: its prompt, and the part of an answer that is
// still billed. The best estimate of both is the winner's usage. Without this usage, the estimate is based on the
// prompt's bytes.
metrics::lost_token_count lost_tokens(const race_account& record, const racing::attempt_report& attempt);

// Returns true if an attempt may have cost money. An attempt counts as free if it was rejected, or if it broke off for
// an unknown reason.
bool may_have_cost(const racing::attempt_report& attempt, const metrics::attempt_observation& seen);

// Returns the price tier that the provider reports, or the requested tier if the provider reports none.
proxy::price_tier tier_of(const race_account& record, const racing::attempt_report& attempt);

// Sets the attempt's cost. `prices` are the prices of the attempt's tier; null if they are unknown.
void observe_price(const race_account& record, std::size_t index, const proxy::model_prices* prices,
                   std::chrono::sys_seconds now, metrics::attempt_observation& seen);

// Returns the token counts of the winner: the provider's counts, or the gateway's estimate if the provider reports
// none. The race must have a winner.
estimated_tokens tokens_of_winner(const race_account& record);

// Returns the figures of the winner with OpenTelemetry's names. The race must have a winner. `winner` is the result of
// observe_attempt().
metrics::gen_ai_observation observe_gen_ai(const race_account& record, const metrics::attempt_observation& winner);

// Returns the time from the arrival of a streamed request until the gateway wrote the first token to the client. Empty
// if the winner did not stream, because this time would include the whole answer.
std::optional<metrics::seconds> ttft_of(const race_account& record);

// Returns the time that the gateway itself added to a streamed request. One part is the time from the request's end to
// the first attempt's start. The other part is the time from reading the winner's first token to writing its first
// byte.
std::optional<metrics::seconds> overhead_of(const race_account& record);

// Returns the time between the winner's first token and the runner-up's first token. Empty if no loser was observed
// until its first token.
std::optional<metrics::seconds> margin_of(const race_account& record);

// Returns the result of an attempt whose tokens the race held back, and of a loser that ran on. Empty if there was no
// such attempt.
std::optional<metrics::hold_observation> hold_of(const race_account& record);
std::optional<metrics::runner_up_end> runner_up_of(const race_account& record);

// Returns the data about an attempt for the scoreboard and the statistics. `target_name` is the target's name in the
// metrics.
attempt_evidence note_of(const race_account& record, std::size_t index, const metrics::attempt_observation& seen,
                         std::string target_name);

// Says if the winner found the prompt in its prompt cache, and why or why not. The cost is left out. Empty if the race
// does not follow prompt caches, or if the provider does not report cached tokens.
std::optional<racing::raced_prompt> prompt_for_advice(const race_account& record);

// Returns the data about a race from which advice is computed, without the attempts. Returns null if the request ran no
// race, if its answer was not streamed, or if its route is not configured or has only one target.
std::unique_ptr<racing::raced_request> race_for_advice(const race_account& record);
// Returns the data about the attempt with this index from which advice is computed. `evidence` is the result of
// note_of() for the same attempt.
racing::raced_attempt attempt_for_advice(const race_account& record, std::size_t index,
                                         const attempt_evidence& evidence);

}  // namespace photofinish::gateway
