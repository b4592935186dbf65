#include "gateway/bench/part_speeds.hpp"

#include "gateway/bench/level_report.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace photofinish::gateway::bench {
namespace {

using std::chrono::milliseconds;

const proxy::instant origin{std::chrono::hours(1)};

// A stream of `tokens` tokens of four bytes each, with `bundle` tokens in each chunk. The first 256 tokens arrive every 10 ms, the tokens
// up to 1,024 every 20 ms, and later tokens every 40 ms.
request_record slowing(std::uint64_t tokens, std::uint64_t bundle = 1) {
  request_record record;
  proxy::instant at = origin;
  for (std::uint64_t come = 0; come < tokens; come += bundle) {
    const int gap = come < 256 ? 10 : come < 1024 ? 20 : 40;
    if (come > 0) at += milliseconds(gap * static_cast<int>(bundle));
    record.chunks_at.push_back(at);
    record.chunk_bytes.push_back(static_cast<std::uint32_t>(4 * bundle));
  }
  record.due_at = record.started_at = origin;
  record.ended_at = at;
  record.seen.first_token_at = origin;
  record.seen.last_token_at = at;
  record.seen.text_bytes = 4 * tokens;
  record.seen.first_text_bytes = 4 * bundle;
  record.seen.usage = proxy::token_usage{.input_tokens = 50, .output_tokens = tokens};
  return record;
}

TEST(PartSpeeds, EachPartHasItsOwn) {
  const auto speeds = part_speeds(slowing(2000), 2000);
  EXPECT_NEAR(*speeds[0], 100, 1);
  EXPECT_NEAR(*speeds[1], 50, 0.5);
  EXPECT_NEAR(*speeds[2], 25, 0.25);
}

TEST(PartSpeeds, BundlesAreSharedByTheirBytes) {
  const auto speeds = part_speeds(slowing(2048, 8), 2048);
  EXPECT_NEAR(*speeds[0], 100, 5);
  EXPECT_NEAR(*speeds[1], 50, 1);
  EXPECT_NEAR(*speeds[2], 25, 1);
}

TEST(PartSpeeds, AShortAnswerHasNone) {
  for (const auto& each : part_speeds(slowing(256), 256)) EXPECT_FALSE(each);
  const auto longer = part_speeds(slowing(300), 300);
  EXPECT_TRUE(longer[0]);
  EXPECT_TRUE(longer[1]);
  EXPECT_FALSE(longer[2]);
  EXPECT_FALSE(part_speeds(slowing(260), 260)[1]) << "four tokens are no measure";
}

TEST(PartSpeeds, OneBurstHasNone) {
  request_record burst = slowing(2000);
  for (proxy::instant& each : burst.chunks_at) each = origin;
  for (const auto& each : part_speeds(burst, 2000)) EXPECT_FALSE(each);
  EXPECT_FALSE(part_speeds({}, 2000)[0]);
}

TEST(PartSpeeds, AreFiguresOfARequest) {
  const request_figures figures = figures_of(slowing(2000));
  EXPECT_NEAR(*figures.value(figure_id::output_speed_first_256), 100, 1);
  EXPECT_NEAR(*figures.value(figure_id::output_speed_beyond_1024), 25, 0.25);
  EXPECT_EQ(find_figure("output_speed_256_to_1024"), &figure_of(figure_id::output_speed_256_to_1024));
}

request_record with_cache(int ttft, std::uint64_t cached) {
  request_record record;
  record.due_at = record.started_at = origin;
  record.seen.first_token_at = origin + milliseconds(ttft);
  record.ended_at = *(record.seen.last_token_at = origin + milliseconds(ttft + 100));
  record.seen.usage = proxy::token_usage{.input_tokens = 100, .output_tokens = 5, .cached_input_tokens = cached};
  return record;
}

TEST(CachedInput, IsToldApart) {
  const std::vector<request_record> records{with_cache(100, 50), with_cache(200, 90), with_cache(500, 49),
                                            with_cache(700, 0)};
  const level_report level = report_of({}, level_end::complete, records, {});
  ASSERT_TRUE(level.cached);
  EXPECT_EQ(level.cached->requests, 2u);
  EXPECT_DOUBLE_EQ(level.cached->tokens, 189);
  EXPECT_DOUBLE_EQ(level.cached->share, 189.0 / 400);
  EXPECT_DOUBLE_EQ(level.cached->ttft->p50, 150);
  EXPECT_DOUBLE_EQ(level.cached->uncached_ttft->p50, 600);
}

TEST(CachedInput, WithoutAnyThereIsNothingToSay) {
  EXPECT_FALSE(report_of({}, level_end::complete, std::vector<request_record>{with_cache(100, 0)}, {}).cached);
}

}  // namespace
}  // namespace photofinish::gateway::bench
