// How fast an answer came, or why that cannot be said.
#include "gateway/speed.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using metrics::unmeasurable_reason;

constexpr proxy::instant t0{1h};

// 101 tokens of 400 bytes, 4 of them in the first chunk, over a second.
proxy::stream_summary answer() {
  proxy::stream_summary summary;
  summary.first_token_at = t0;
  summary.last_token_at = t0 + 1s;
  summary.text_bytes = 404;
  summary.first_text_bytes = 4;
  summary.usage = proxy::token_usage{10, 101, 0};
  return summary;
}

metrics::decode_sample sample_of(const proxy::stream_summary& summary) {
  return std::get<metrics::decode_sample>(measure_speed(summary, 0ns));
}

unmeasurable_reason reason_of(const proxy::stream_summary& summary, std::chrono::nanoseconds stalled = 0ns) {
  return std::get<unmeasurable_reason>(measure_speed(summary, stalled));
}

TEST(Speed, LeavesTheFirstChunksTokensOut) {
  EXPECT_EQ(sample_of(answer()).tokens, 100u);
  EXPECT_EQ(sample_of(answer()).duration, metrics::seconds(1));
}

TEST(Speed, ReasoningThatWasNeverStreamedDoesNotCount) {
  auto summary = answer();
  summary.usage->output_tokens = 1101;
  summary.usage->reasoning_tokens = 1000;
  EXPECT_EQ(sample_of(summary).tokens, 100u);
}

TEST(Speed, ReasoningThatWasStreamedCounts) {
  auto summary = answer();
  summary.usage->reasoning_tokens = 50;
  summary.reasoning_bytes = 200;
  EXPECT_EQ(sample_of(summary).tokens, 100u);
}

TEST(Speed, WithoutUsageNothingIsGuessed) {
  auto summary = answer();
  summary.usage.reset();
  EXPECT_EQ(reason_of(summary), unmeasurable_reason::no_usage);
}

TEST(Speed, FifteenTokensAreTooFew) {
  auto summary = answer();
  summary.usage->output_tokens = 15;
  EXPECT_EQ(reason_of(summary), unmeasurable_reason::too_few_tokens);
}

TEST(Speed, FortyNineMillisecondsAreTooShort) {
  auto summary = answer();
  summary.last_token_at = t0 + 49ms;
  EXPECT_EQ(reason_of(summary), unmeasurable_reason::too_short);
}

TEST(Speed, OneBurstHasNoSpeed) {
  auto summary = answer();
  summary.first_text_bytes = summary.text_bytes;
  EXPECT_EQ(reason_of(summary), unmeasurable_reason::one_burst);
}

TEST(Speed, AClientThatHeldUsUpHidesTheProvidersSpeed) {
  EXPECT_EQ(reason_of(answer(), 51ms), unmeasurable_reason::client_slow);
  EXPECT_EQ(std::get<metrics::decode_sample>(measure_speed(answer(), 49ms)).tokens, 100u);
}

TEST(Speed, AnAnswerWithoutTokensIsNoSampleAtAll) {
  EXPECT_TRUE(std::holds_alternative<std::monostate>(measure_speed({}, 0ns)));
}

}  // namespace
}  // namespace photofinish::gateway
