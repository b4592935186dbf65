// Decides how a finished request is counted. Determines the result and the cost of each attempt, and what the attempt
// shows about its target. [pure]
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

// Returns all figures of the attempt with this index, except its price. `target` contains the metrics of the attempt's
// target.
metrics::attempt_observation observe_attempt(const race_account& record, std::size_t index,
                                             metrics::target_series& target);
metrics::attempt_observation observe_skipped(racing::skip_reason why, metrics::target_series& target);

// Returns true if the provider bills an attempt that did not win.
bool was_paid_for(const racing::attempt_report& attempt);

// Returns the tokens that the provider may bill for a cancelled attempt: the prompt, and the billed part of the answer.
// The estimate uses the winner's usage. If the winner's usage is unknown, the estimate uses the size of the prompt in
// bytes.
metrics::lost_token_count lost_tokens(const race_account& record, const racing::attempt_report& attempt);

// Returns true if an attempt may have cost money. An attempt that was rejected, or that broke off for an unknown
// reason, is assumed to be free.
bool may_have_cost(const racing::attempt_report& attempt, const metrics::attempt_observation& seen);

// Returns the price tier that the provider reports, or the requested tier if the provider reports none.
proxy::price_tier tier_of(const race_account& record, const racing::attempt_report& attempt);

// Sets the attempt's cost. `prices` are the prices in the attempt's price tier, or null if they are unknown.
void observe_price(const race_account& record, std::size_t index, const proxy::model_prices* prices,
                   std::chrono::sys_seconds now, metrics::attempt_observation& seen);

// Returns the token counts of the winner: the provider's counts, or the gateway's estimate if the provider reports
// none. The race must have a winner.
estimated_tokens tokens_of_winner(const race_account& record);

// Returns the winner's figures with the names that OpenTelemetry uses. The race must have a winner. `winner` is the
// result of observe_attempt().
metrics::gen_ai_observation observe_gen_ai(const race_account& record, const metrics::attempt_observation& winner);

// Returns the time from the arrival of a streamed request until the gateway wrote the first token to the client.
// Returns nothing if the winner did not stream, because the time would then include the whole answer.
std::optional<metrics::seconds> ttft_of(const race_account& record);

// Returns the time that the gateway itself added to a streamed request. This is the sum of two times. The first is the
// time from the arrival of the request until the first attempt starts. The second is the time from reading the winner's
// first token until writing the first byte to the client.
std::optional<metrics::seconds> overhead_of(const race_account& record);

// Returns the time between the winner's first token and the runner-up's first token. Returns nothing if no losing
// attempt was observed until its first token.
std::optional<metrics::seconds> margin_of(const race_account& record);

// hold_of() returns the result of an attempt whose tokens the race held back. runner_up_of() returns the result of a
// loser that continued after the race. Both return nothing if there was no such attempt.
std::optional<metrics::hold_observation> hold_of(const race_account& record);
std::optional<metrics::runner_up_end> runner_up_of(const race_account& record);

// Returns the data about an attempt for the scoreboard and the statistics. `target_name` is the name of the target in
// metrics.
attempt_evidence note_of(const race_account& record, std::size_t index, const metrics::attempt_observation& seen,
                         std::string target_name);

// Returns whether the winner's target had the prompt in its prompt cache, and if not, the reason. The costs in the
// result are not set. Returns nothing if the race ignores prompt caches, or if the provider does not report cached
// tokens.
std::optional<racing::raced_prompt> prompt_for_advice(const race_account& record);

// Returns the data about a race from which advice is computed. The data does not include the attempts. Returns null if
// the request ran no race, or if its answer was not streamed. Also returns null if its route is not configured or has
// only one target.
std::unique_ptr<racing::raced_request> race_for_advice(const race_account& record);
// Returns the data about one attempt from which advice is computed. `evidence` is the result of note_of() for this
// attempt.
racing::raced_attempt attempt_for_advice(const race_account& record, std::size_t index,
                                         const attempt_evidence& evidence);

}  // namespace photofinish::gateway
