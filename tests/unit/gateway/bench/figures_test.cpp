#include "gateway/bench/goodput.hpp"
#include "gateway/bench/request_figures.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <variant>

namespace photofinish::gateway::bench {
namespace {

using std::chrono::milliseconds;

const proxy::instant origin{std::chrono::hours(1)};
proxy::instant at(int ms) { return origin + milliseconds(ms); }

// A request that was due at 0 ms and was sent at 5 ms. The first token arrived at 100 ms, followed by one chunk every 10 ms. There are 21
// chunks of 4 bytes each, which count as 21 tokens.
request_record streamed() {
  request_record record;
  record.due_at = at(0);
  record.started_at = at(5);
  record.status = 200;
  for (int i = 0; i <= 20; ++i) record.chunks_at.push_back(at(100 + 10 * i));
  record.second_chunk_at = at(110);
  record.first_visible_at = at(100);
  record.ended_at = at(300);
  record.seen.first_token_at = at(100);
  record.seen.last_token_at = at(300);
  record.seen.text_bytes = 84;
  record.seen.first_text_bytes = 4;
  record.seen.token_events = 21;
  record.seen.usage = proxy::token_usage{.input_tokens = 50, .output_tokens = 21};
  return record;
}

TEST(BenchFigures, CountFromTheDueTime) {
  const request_figures request = figures_of(streamed());
  EXPECT_DOUBLE_EQ(*request.value(figure_id::time_to_first_token), 100);
  EXPECT_DOUBLE_EQ(*request.value(figure_id::request_latency), 300);
  EXPECT_DOUBLE_EQ(*request.value(figure_id::credit_to_start_latency), 5);
  EXPECT_DOUBLE_EQ(*request.value(figure_id::time_to_second_token), 10);
  EXPECT_EQ(request.chunk_gaps_ms, std::vector<double>(20, 10.0));
}

TEST(BenchFigures, SpeedLeavesTheFirstChunkOut) {
  const request_figures one_by_one = figures_of(streamed());
  EXPECT_DOUBLE_EQ(*one_by_one.value(figure_id::inter_token_latency), 10);
  EXPECT_DOUBLE_EQ(*one_by_one.value(figure_id::output_token_throughput_per_user), 100);

  // The first chunk contains one third of the text. The other 14 of the 21 tokens arrive in the 200 ms after this chunk.
  request_record bundled = streamed();
  bundled.seen.first_text_bytes = 28;
  EXPECT_DOUBLE_EQ(*figures_of(bundled).value(figure_id::output_token_throughput_per_user), 70);
}

TEST(BenchFigures, NoSpeedWhereItWouldBeNoise) {
  request_record few = streamed();
  few.seen.usage->output_tokens = 15;
  EXPECT_TRUE(figures_of(few).value(figure_id::inter_token_latency));
  EXPECT_FALSE(figures_of(few).value(figure_id::output_token_throughput_per_user));

  request_record burst = streamed();
  burst.seen.first_text_bytes = burst.seen.text_bytes;
  EXPECT_FALSE(figures_of(burst).value(figure_id::inter_token_latency));
  EXPECT_FALSE(figures_of(burst).value(figure_id::output_token_throughput_per_user));
}

TEST(BenchFigures, WithoutUsageNothingThatNeedsTokensIsSaid) {
  request_record silent = streamed();
  silent.seen.usage.reset();
  const request_figures request = figures_of(silent);
  EXPECT_EQ(request.source, token_source::none);
  EXPECT_TRUE(request.value(figure_id::time_to_first_token));
  EXPECT_FALSE(request.value(figure_id::output_sequence_length));
  EXPECT_FALSE(request.value(figure_id::inter_token_latency));
  EXPECT_FALSE(request.value(figure_id::output_token_throughput_per_user));
}

TEST(BenchFigures, ATokenizersCountStandsInForMissingUsage) {
  request_record silent = streamed();
  silent.seen.usage.reset();
  silent.counted_tokens = 21;
  const request_figures request = figures_of(silent);
  EXPECT_EQ(request.source, token_source::tokenizer);
  EXPECT_DOUBLE_EQ(*request.value(figure_id::output_token_throughput_per_user), 100);
  EXPECT_FALSE(request.value(figure_id::input_sequence_length));
}

TEST(BenchFigures, ReasoningThatWasNeverStreamedIsNotCounted) {
  request_record hidden = streamed();
  hidden.seen.usage->output_tokens = 121;
  hidden.seen.usage->reasoning_tokens = 100;
  EXPECT_DOUBLE_EQ(*figures_of(hidden).value(figure_id::output_sequence_length), 21);
}

TEST(BenchFigures, AWholeAnswerHasLatencyAndTokensOnly) {
  request_record whole;
  whole.due_at = whole.started_at = at(0);
  whole.ended_at = at(250);
  whole.seen.usage = proxy::token_usage{.input_tokens = 5, .output_tokens = 9};
  const request_figures request = figures_of(whole);
  EXPECT_DOUBLE_EQ(*request.value(figure_id::request_latency), 250);
  EXPECT_DOUBLE_EQ(*request.value(figure_id::output_sequence_length), 9);
  EXPECT_FALSE(request.value(figure_id::time_to_first_token));
}

bool keeps(const char* limits, const request_record& record) {
  return is_good(figures_of(record), std::get<std::vector<goodput_limit>>(parse_goodput(limits)));
}

TEST(Goodput, EveryLimitMustBeKept) {
  EXPECT_TRUE(keeps("time_to_first_token:100 inter_token_latency:10", streamed()));
  EXPECT_FALSE(keeps("time_to_first_token:99.9 inter_token_latency:10", streamed()));
  EXPECT_FALSE(keeps("time_to_first_token:100 inter_token_latency:9.9", streamed()));
}

TEST(Goodput, ASpeedIsALowerLimit) {
  EXPECT_TRUE(keeps("output_token_throughput_per_user:100", streamed()));
  EXPECT_FALSE(keeps("output_token_throughput_per_user:101", streamed()));
}

TEST(Goodput, AMissingFigureKeepsNoLimit) {
  request_record silent = streamed();
  silent.seen.usage.reset();
  EXPECT_FALSE(keeps("inter_token_latency:1000", silent));
}

}  // namespace
}  // namespace photofinish::gateway::bench
