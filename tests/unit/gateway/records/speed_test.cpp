// Tests the speed of an answer, computed from the provider's token count and from the gateway's. If the speed is unknown, the result states
// the reason.
#include "gateway/records/speed.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using metrics::token_source;
using metrics::unmeasurable_reason;

constexpr proxy::instant t0{1h};

// An answer that took one second. The provider counts 101 tokens. The gateway counts 210 tokens, 10 of them in the first chunk.
struct answer {
  answer() {
    summary.first_token_at = t0;
    summary.last_token_at = t0 + 1s;
    summary.text_bytes = 404;
    summary.first_text_bytes = 4;
    summary.usage = proxy::token_usage{10, 101, 0};
  }

  measured_speed measure() const { return measure_speed(summary, counted, client_stalled); }
  std::uint64_t tokens_by(token_source source) const { return measure().samples[source].value().tokens; }
  unmeasurable_reason reason() const {
    EXPECT_FALSE(measure().samples[token_source::tokenizer]);
    return measure().unmeasurable.value();
  }

  proxy::stream_summary summary;
  std::optional<counted_tokens> counted = counted_tokens{.all = 210, .first = 10};
  std::chrono::nanoseconds client_stalled{0};
};

TEST(Speed, OurCountLeavesTheFirstChunksTokensOut) {
  const auto sample = answer().measure().samples[token_source::tokenizer].value();
  EXPECT_EQ(sample.tokens, 200u);
  EXPECT_EQ(sample.duration, metrics::seconds(1));
}

TEST(Speed, OfTheProvidersCountTheFirstChunkHasItsShareOfOurs) {
  EXPECT_EQ(answer().tokens_by(token_source::usage), 96u);  // 101 * 200 / 210
}

TEST(Speed, WithoutOurCountTheFirstChunkHasItsShareOfTheText) {
  answer said;
  said.counted.reset();
  EXPECT_EQ(said.tokens_by(token_source::usage), 100u);
  EXPECT_EQ(said.reason(), unmeasurable_reason::not_counted);
}

TEST(Speed, ReasoningThatWasNeverStreamedDoesNotCount) {
  answer said;
  said.summary.usage->output_tokens = 1101;
  said.summary.usage->reasoning_tokens = 1000;
  EXPECT_EQ(said.tokens_by(token_source::usage), 96u);
}

TEST(Speed, ReasoningThatWasStreamedCounts) {
  answer said;
  said.summary.usage->reasoning_tokens = 50;
  said.summary.reasoning_bytes = 200;
  EXPECT_EQ(said.tokens_by(token_source::usage), 96u);
}

TEST(Speed, WithoutUsageThereIsOurCountAlone) {
  answer said;
  said.summary.usage.reset();
  EXPECT_FALSE(said.measure().samples[token_source::usage]);
  EXPECT_FALSE(said.measure().unmeasurable);
  EXPECT_EQ(said.tokens_by(token_source::tokenizer), 200u);
}

TEST(Speed, FifteenTokensAreTooFewByEachCountOnItsOwn) {
  answer said;
  said.counted = counted_tokens{.all = 15, .first = 1};
  EXPECT_EQ(said.reason(), unmeasurable_reason::too_few_tokens);
  EXPECT_TRUE(said.measure().samples[token_source::usage]);
  said = {};
  said.summary.usage->output_tokens = 15;
  EXPECT_FALSE(said.measure().samples[token_source::usage]);
  EXPECT_FALSE(said.measure().unmeasurable);
}

TEST(Speed, FortyNineMillisecondsAreTooShort) {
  answer said;
  said.summary.last_token_at = t0 + 49ms;
  EXPECT_EQ(said.reason(), unmeasurable_reason::too_short);
  EXPECT_FALSE(said.measure().samples[token_source::usage]);
}

TEST(Speed, OneBurstHasNoSpeed) {
  answer said;
  said.counted->first = said.counted->all;
  EXPECT_EQ(said.reason(), unmeasurable_reason::one_burst);
  EXPECT_FALSE(said.measure().samples[token_source::usage]);
}

TEST(Speed, AClientThatHeldUsUpHidesTheProvidersSpeed) {
  answer said;
  said.client_stalled = 51ms;
  EXPECT_EQ(said.reason(), unmeasurable_reason::client_slow);
  said.client_stalled = 49ms;
  EXPECT_EQ(said.tokens_by(token_source::tokenizer), 200u);
}

TEST(Speed, AnAnswerWithoutTokensIsNoSampleAtAll) {
  const measured_speed nothing = measure_speed({}, counted_tokens{}, 0ns);
  EXPECT_FALSE(nothing.unmeasurable);
  EXPECT_FALSE(nothing.samples[token_source::tokenizer]);
}

}  // namespace
}  // namespace photofinish::gateway
