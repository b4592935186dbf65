// How a request that has ended counts: what each of its attempts came to, what it cost, and what it says about its
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

// All that is counted of the attempt with that index but its price. `target`: the series that it counts for.
metrics::attempt_observation observe_attempt(const race_account& record, std::size_t index,
                                             metrics::target_series& target);
metrics::attempt_observation observe_skipped(racing::skip_reason why, metrics::target_series& target);

// Whether an attempt that did not win is paid for all the same.
bool was_paid_for(const racing::attempt_report& attempt);

// What a cancelled attempt may cost: its prompt, and as much of an answer as its provider goes on to bill.
// The winner's usage is the best guess at both; without one the prompt's bytes are.
metrics::lost_token_count lost_tokens(const race_account& record, const racing::attempt_report& attempt);

// Whether an attempt may have cost something: one that was refused, or broke before it is known why, counts as free.
bool may_have_cost(const racing::attempt_report& attempt, const metrics::attempt_observation& seen);

// The tier that the provider reports, else the tier that it was asked for.
proxy::price_tier tier_of(const race_account& record, const racing::attempt_report& attempt);

// Its cost; `prices` null: unknown. They are those of its tier.
void observe_price(const race_account& record, std::size_t index, const proxy::model_prices* prices,
                   std::chrono::sys_seconds now, metrics::attempt_observation& seen);

// As it reports them, or as far as they are known. The race has a winner.
estimated_tokens tokens_of_winner(const race_account& record);

// The winner in OpenTelemetry's words; the race has one. `winner`: what observe_attempt() made of it.
metrics::gen_ai_observation observe_gen_ai(const race_account& record, const metrics::attempt_observation& winner);

// Of streamed requests: request received to its first token written. None where the winner was not streamed: that is
// the time of its whole answer.
std::optional<metrics::seconds> ttft_of(const race_account& record);

// Of streamed requests: request read to the first attempt's start, plus the winner's first token read to its first byte
// written.
std::optional<metrics::seconds> overhead_of(const race_account& record);

// Runner-up's first token minus the winner's, where losers were observed until then.
std::optional<metrics::seconds> margin_of(const race_account& record);

// What a hold, and a loser that ran on, came to; none where there was none.
std::optional<metrics::hold_observation> hold_of(const race_account& record);
std::optional<metrics::runner_up_end> runner_up_of(const race_account& record);

// For the scoreboard and the statistics. `target_name`: the target's, as the metrics show it.
attempt_evidence note_of(const race_account& record, std::size_t index, const metrics::attempt_observation& seen,
                         std::string target_name);

// For advice, without its attempts. Null: it raced no configured route of several targets, or came to no race, or its
// answer was not streamed.
std::unique_ptr<racing::raced_request> race_for_advice(const race_account& record);
// Of the attempt with that index, which `evidence` was made of.
racing::raced_attempt attempt_for_advice(const race_account& record, std::size_t index,
                                         const attempt_evidence& evidence);

}  // namespace photofinish::gateway
