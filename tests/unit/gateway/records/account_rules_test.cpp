// Tests how the results and the cost of a finished request are counted. Each rule is tested with plain values.
#include "gateway/records/account_rules.hpp"

#include "metrics/shard.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using metrics::attempt_outcome;
using metrics::attempt_reason;
using racing::attempt_end;

proxy::failure failed(proxy::failure_kind kind, proxy::failure_origin origin = proxy::failure_origin::provider) {
  proxy::failure why;
  why.kind = kind;
  why.origin = origin;
  return why;
}

// A race with two attempts. `groq/m` won after 200 ms, and `openai/m` was then cancelled.
class account_rules : public testing::Test {
 protected:
  account_rules() {
    record.caller.client = "ci";
    record.prompt.bytes = 400;
    record.outcome = metrics::request_outcome::ok;
    record.form = answer_form::stream;
    record.times.received_at = start;
    record.times.ended_at = start + 1200ms;
    record.planned = {{.target = {"groq", "m"}, .id = "groq/m", .billing = proxy::cancel_billing::stops},
                      {.target = {"openai", "m"}, .id = "openai/m", .billing = proxy::cancel_billing::full}};
    record.race.begun_at = start + 1ms;
    record.race.winner = 0;
    record.race.attempts = {attempt(0, attempt_end::won), attempt(1, attempt_end::lost)};
    winner().summary.first_token_at = start + 200ms;
    winner().summary.text_bytes = 80;
    loser().cancel_duration = 50us;
  }

  racing::attempt_report attempt(std::size_t target, attempt_end end) const {
    racing::attempt_report report;
    report.target = target;
    report.end = end;
    report.started_at = start;
    report.ended_at = start + 200ms;
    report.summary.connection = proxy::connection_used::fresh;
    return report;
  }

  racing::attempt_report& winner() { return record.race.attempts[0]; }
  racing::attempt_report& loser() { return record.race.attempts[1]; }
  metrics::attempt_observation seen(std::size_t index) { return observe_attempt(record, index, series); }
  attempt_evidence noted(std::size_t index) { return note_of(record, index, seen(index), "groq/m"); }

  const proxy::instant start{1h};
  race_account record;
  metrics::series_budget budget;
  metrics::shard shard{budget};
  metrics::target_series& series = shard.target("groq", "m");
};

TEST_F(account_rules, AnAttemptsOutcomeIsItsEndInTheRace) {
  EXPECT_EQ(seen(0).outcome, attempt_outcome::won);
  EXPECT_EQ(seen(1).outcome, attempt_outcome::lost);
  loser().end = attempt_end::failed;
  loser().why = failed(proxy::failure_kind::dns);
  EXPECT_EQ(seen(1).outcome, attempt_outcome::failed);
  EXPECT_EQ(seen(1).reason, attempt_reason::dns);
}

TEST_F(account_rules, OneThatWasNeverSentCountsAsSkipped) {
  loser().end = attempt_end::failed;
  loser().why = failed(proxy::failure_kind::busy);
  EXPECT_EQ(seen(1).outcome, attempt_outcome::skipped);
}

TEST_F(account_rules, AWinnerThatBrokeIsBrokenForTheReasonThatBrokeIt) {
  record.winner.broken = failed(proxy::failure_kind::stall);
  EXPECT_EQ(seen(0).outcome, attempt_outcome::broken);
  EXPECT_EQ(seen(0).reason, attempt_reason::stall);
  EXPECT_EQ(seen(0).unmeasurable, metrics::unmeasurable_reason::broken);
}

TEST_F(account_rules, AWinnerWhoseClientLeftIsCancelled) {
  record.outcome = metrics::request_outcome::client_cancelled;
  record.winner.cancelled_after = 70us;
  EXPECT_EQ(seen(0).outcome, attempt_outcome::cancelled);
  EXPECT_EQ(seen(0).cancel, metrics::seconds(70us));
}

TEST_F(account_rules, ACancelledLoserIsBilledWhatTheWinnerUsed) {
  winner().summary.usage = proxy::token_usage{.input_tokens = 120, .output_tokens = 30};
  ASSERT_TRUE(seen(1).lost);
  EXPECT_EQ(seen(1).lost->input_tokens, 120u);
  EXPECT_EQ(seen(1).lost->output_tokens, 30u);
  EXPECT_FALSE(seen(0).lost);
}

TEST_F(account_rules, ALoserWhoseProviderStopsBillingPaysForItsOwnTextAlone) {
  winner().summary.usage = proxy::token_usage{.input_tokens = 120, .output_tokens = 30};
  record.planned[1].billing = proxy::cancel_billing::stops;
  loser().summary.text_bytes = 8;
  EXPECT_EQ(seen(1).lost->input_tokens, 120u);
  EXPECT_EQ(seen(1).lost->output_tokens, 2u);
}

TEST_F(account_rules, WithoutUsageALosersTokensAreOurOwnCount) {
  EXPECT_EQ(seen(1).lost->input_tokens, 100u);   // the token count is estimated from the prompt's size of 400 bytes
  EXPECT_EQ(seen(1).lost->output_tokens, 20u);   // the token count is estimated from the size of the winner's answer, 80 bytes
  record.winner.counted = counted_tokens{.all = 17, .first = 1};
  EXPECT_EQ(seen(1).lost->output_tokens, 17u);
}

TEST_F(account_rules, ALoserThatWasNotSentOrWasRefusedLostNothing) {
  loser().summary.connection = proxy::connection_used::none;
  EXPECT_FALSE(may_have_cost(loser(), seen(1)));
  loser().summary.connection = proxy::connection_used::fresh;
  EXPECT_TRUE(may_have_cost(loser(), seen(1)));
  loser().was_observed = true;
  loser().why = failed(proxy::failure_kind::rate_limited);
  EXPECT_FALSE(may_have_cost(loser(), seen(1)));
}

TEST_F(account_rules, WhatHasNoPriceIsUnpriced) {
  auto observed = seen(0);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(observed.price));
  observe_price(record, 0, nullptr, {}, observed);
  EXPECT_TRUE(std::holds_alternative<metrics::unpriced>(observed.price));
}

TEST_F(account_rules, AnExpectedPrefixIsFoundMissedOrNotReported) {
  using metrics::expected_prefix;
  using metrics::found_prefix;
  winner().summary.usage = proxy::token_usage{.input_tokens = 1'000, .cached_input_tokens = 900};
  EXPECT_FALSE(seen(0).prompt_cache.expected) << "the race follows no prompt cache";
  record.planned[0].expected_share = 0.9;
  EXPECT_EQ(seen(0).prompt_cache.expected, expected_prefix::warm);
  EXPECT_EQ(seen(0).prompt_cache.found, found_prefix::warm);
  winner().summary.usage->cached_input_tokens = 100;
  EXPECT_EQ(seen(0).prompt_cache.found, found_prefix::cold);
  record.planned[0].reports_cached = false;
  EXPECT_EQ(seen(0).prompt_cache.found, found_prefix::unknown) << "0 cached tokens say nothing";
  record.planned[0].expected_share = 0.2;
  EXPECT_EQ(seen(0).prompt_cache.expected, expected_prefix::cold);
}

TEST_F(account_rules, AdviceKnowsWhyAPromptWasReadAgain) {
  using enum racing::prompt_cause;
  const auto cause = [this](known_prompt known, double expected, std::uint64_t cached) {
    record.prompt.known = known;
    record.planned[0].expected_share = expected;
    winner().summary.usage = proxy::token_usage{.input_tokens = 1'000, .cached_input_tokens = cached};
    return prompt_for_advice(record)->cause;
  };
  const known_prompt held{.held_share = 0.9, .is_continued = true};
  EXPECT_EQ(cause(held, 0.85, 900), found);
  EXPECT_EQ(cause(held, 0.85, 0), missed);
  EXPECT_EQ(cause({.held_share = 0.1}, 0.1, 0), first);
  EXPECT_EQ(cause({.held_share = 0.1, .is_continued = true}, 0.1, 0), changed);
  EXPECT_EQ(cause({.held_share = 0.9, .is_expired = true}, 0.05, 0), expired);
  EXPECT_EQ(cause({.held_share = 0.9, .has_moved = true}, 0.5, 0), moved);
  EXPECT_EQ(cause(held, 0, 0), moved) << "a hedge won at a target without the prompt";
  record.planned[0].reports_cached = false;
  EXPECT_FALSE(prompt_for_advice(record));
  record.planned[0].reports_cached = true;
  winner().summary.usage.reset();
  EXPECT_FALSE(prompt_for_advice(record));
}

TEST_F(account_rules, AVerdictIsOnWinnersAndOnProvidersThatFailed) {
  ASSERT_TRUE(noted(0).verdict);
  EXPECT_FALSE(noted(0).verdict->failed);
  EXPECT_FALSE(noted(1).verdict);  // a cancelled attempt counts neither as success nor as failure
  loser().end = attempt_end::failed;
  loser().why = failed(proxy::failure_kind::rate_limited);
  loser().why->retry_after = 3s;
  ASSERT_TRUE(noted(1).verdict);
  EXPECT_EQ(noted(1).verdict->id, "openai/m");
  EXPECT_EQ(noted(1).verdict->failed, proxy::failure_kind::rate_limited);
  EXPECT_EQ(noted(1).verdict->retry_after, 3s);
}

TEST_F(account_rules, ALimitThatOnlyProseTellsIsAVerdictOfCallersWithAKey) {
  loser().end = attempt_end::failed;
  loser().why = failed(proxy::failure_kind::quota);
  loser().why->scope = proxy::failure_scope::caller;
  record.caller.client = "alice";
  ASSERT_TRUE(noted(1).verdict);
  EXPECT_EQ(noted(1).verdict->scope, proxy::failure_scope::caller);
  record.caller.client = "_none";
  EXPECT_FALSE(noted(1).verdict) << "without keys all callers are one";
  loser().why->scope = proxy::failure_scope::target;
  EXPECT_TRUE(noted(1).verdict);
}

TEST_F(account_rules, AFaultOfTheGatewaysIsNoVerdictOnItsProvider) {
  loser().end = attempt_end::failed;
  loser().why = failed(proxy::failure_kind::bad_stream, proxy::failure_origin::gateway);
  EXPECT_FALSE(noted(1).verdict);
  record.winner.broken = failed(proxy::failure_kind::bad_stream, proxy::failure_origin::gateway);
  EXPECT_FALSE(noted(0).verdict);
}

TEST_F(account_rules, ALoserThatWasCutOffSaysThatItWouldHaveTakenLonger) {
  EXPECT_EQ(noted(0).measured.ttft_seconds, 0.2);
  EXPECT_FALSE(noted(1).measured.ttft_seconds);
  EXPECT_EQ(noted(1).measured.ttft_at_least_seconds, 0.2);
  loser().end = attempt_end::failed;
  loser().why = failed(proxy::failure_kind::server_error);
  EXPECT_FALSE(noted(1).measured.says_something());
  loser().why = failed(proxy::failure_kind::timeout);
  EXPECT_EQ(noted(1).measured.ttft_at_least_seconds, 0.2);
}

TEST_F(account_rules, OverheadIsOursBeforeTheRaceAndBehindTheToken) {
  record.times.decided_by_read_at = start + 200ms;
  record.times.first_written_at = start + 202ms;
  EXPECT_EQ(overhead_of(record), metrics::seconds(3ms));
  record.form = answer_form::whole;
  EXPECT_FALSE(overhead_of(record));
}

TEST_F(account_rules, TheMarginIsToTheNextObservedFirstToken) {
  EXPECT_FALSE(margin_of(record));
  loser().was_observed = true;
  loser().summary.first_token_at = start + 260ms;
  EXPECT_EQ(margin_of(record), metrics::seconds(60ms));
}

TEST_F(account_rules, GenAiTokensAreBilledOnesOrNone) {
  EXPECT_FALSE(observe_gen_ai(record, seen(0)).output_tokens);
  winner().summary.usage = proxy::token_usage{.input_tokens = 120, .output_tokens = 30};
  const auto reported = observe_gen_ai(record, seen(0));
  EXPECT_EQ(reported.output_tokens, 30u);
  EXPECT_EQ(reported.duration, metrics::seconds(1200ms));
}

// All of a non-streamed answer arrives at the same time. If this time counted as the time to the first token, the target would look slow.
TEST_F(account_rules, AnAnswerThatWasNotStreamedHasNoTimesOfAFirstToken) {
  record.times.first_written_at = start + 900ms;
  EXPECT_TRUE(ttft_of(record));
  winner().summary.first_token_at.reset();
  winner().summary.first_byte_at = start + 800ms;
  winner().summary.is_unstreamed = true;
  winner().summary.usage = proxy::token_usage{.input_tokens = 7, .output_tokens = 40, .times = {.queue = 250ms, .prompt = {}}};
  record.winner.counted = counted_tokens{.all = 40};
  const metrics::attempt_observation of = seen(0);
  EXPECT_FALSE(of.ttft);
  EXPECT_FALSE(of.first_byte);
  EXPECT_FALSE(ttft_of(record));
  EXPECT_EQ(of.unmeasurable, metrics::unmeasurable_reason::not_streamed);
  EXPECT_EQ(of.output[metrics::token_source::tokenizer], 40u);
  EXPECT_EQ(of.output[metrics::token_source::usage], 40u);
  EXPECT_EQ(of.reported[metrics::reported_stage::queue], std::chrono::duration<double>(0.25));
  EXPECT_FALSE(of.reported[metrics::reported_stage::prompt]);
  EXPECT_FALSE(noted(0).measured.says_something());
  EXPECT_TRUE(noted(0).verdict);
}

TEST_F(account_rules, ALoserThatWasNotToBeStreamedSaysNothingOfItsFirstToken) {
  EXPECT_TRUE(seen(1).abandoned_after);
  loser().summary.is_unstreamed = true;
  EXPECT_FALSE(seen(1).abandoned_after);
  EXPECT_FALSE(noted(1).measured.says_something());
  loser().end = attempt_end::failed;
  loser().why = failed(proxy::failure_kind::timeout);
  EXPECT_FALSE(noted(1).measured.says_something());
  EXPECT_EQ(noted(1).verdict->failed, proxy::failure_kind::timeout);
}

}  // namespace
}  // namespace photofinish::gateway
