// Tests that the gateway lowers a usage report that is impossible for its request, and leaves a plausible report unchanged.
#include "gateway/limits/bounds/usage_bounds.hpp"

#include "gateway/limits/bounds/cut_reports.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

proxy::target_facts nothing_known() { return {}; }

std::optional<cut_usage> cut(proxy::token_usage usage, const request_extent& request, std::uint64_t text_bytes = 5) {
  return cut_if_impossible(usage, request, text_bytes, nothing_known);
}

TEST(UsageBounds, ABillionTokensOfFiveLettersAreNotBelieved) {
  const request_extent hello{.bytes = 80, .is_text_alone = true};
  const auto seen = cut({.input_tokens = 1'000'000'000, .output_tokens = 1'000'000'000}, hello);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->reported.output_tokens, 1'000'000'000u);
  EXPECT_LE(seen->counted.input_tokens, 70'000u);
  EXPECT_LE(seen->counted.output_tokens, 140'000u);
}

TEST(UsageBounds, HonestUsageIsNeverCut) {
  struct {
    const char* name;
    request_extent request;
    std::uint64_t text_bytes;
    proxy::token_usage usage;
  } const cases[] = {
      {"a byte a token", {.bytes = 500'000, .is_text_alone = true}, 100'000, {500'000, 100'000}},
      {"a model that searches by itself", {.bytes = 90, .is_text_alone = true}, 4'000, {60'000, 1'200}},
      {"hidden reasoning", {.bytes = 90, .is_text_alone = true}, 3, {20, 128'000, 127'999}},
      {"a picture by its address", {.bytes = 200}, 40, {48'000, 12}},
      {"a film by its address", {.bytes = 200}, 40, {1'040'000, 12}},
      {"a stored conversation", {.bytes = 60}, 40, {200'000, 12}},
      {"ten searches, each of which reads the context", {.bytes = 60}, 4'000, {3'000'000, 9'000}},
      {"twenty answers", {.bytes = 90, .answers = 20, .is_text_alone = true}, 80, {20, 2'000'000}},
      {"a longer answer than is usual, as it was asked for",
       {.bytes = 90, .most_output = 500'000, .is_text_alone = true}, 5, {20, 500'000}},
      {"no usage at all", {}, 0, {}},
  };
  for (const auto& each : cases) EXPECT_FALSE(cut(each.usage, each.request, each.text_bytes)) << each.name;
}

TEST(UsageBounds, WhatIsKnownOfATargetRaisesThem) {
  const auto known = [] { return proxy::target_facts{.context = 10'000'000, .max_output = 400'000}; };
  proxy::token_usage usage{.input_tokens = 9'000'000, .output_tokens = 400'000};
  EXPECT_TRUE(cut(usage, {}));
  EXPECT_FALSE(cut_if_impossible(usage, {}, 5, known));
}

TEST(UsageBounds, APartIsNeverMoreThanItsWhole) {
  proxy::token_usage usage{.input_tokens = 100,
                           .output_tokens = 10,
                           .reasoning_tokens = 11,
                           .cached_input_tokens = 90,
                           .written_input_tokens = 90,
                           .written_for_hour_tokens = 90};
  EXPECT_FALSE(cut_if_impossible(usage, {}, 5, nothing_known)) << "what is counted is possible";
  EXPECT_EQ(usage.reasoning_tokens, 10u);
  EXPECT_EQ(usage.cached_input_tokens, 90u);
  EXPECT_EQ(usage.written_input_tokens, 10u);
  EXPECT_EQ(usage.written_for_hour_tokens, 10u);
}

TEST(UsageBounds, NoNumberLeadsOutOfThem) {
  const request_extent most{.bytes = UINT64_MAX, .answers = UINT64_MAX, .most_output = UINT64_MAX};
  const auto known = [] { return proxy::target_facts{.context = UINT64_MAX, .max_output = UINT64_MAX}; };
  proxy::token_usage usage{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  ASSERT_TRUE(cut_if_impossible(usage, most, UINT64_MAX, known));
  EXPECT_LE(usage.input_tokens, 10'000'000'000'000u);
  EXPECT_LE(usage.output_tokens, 10'000'000'000'000u);
  proxy::token_usage of_one{.output_tokens = UINT64_MAX};
  ASSERT_TRUE(cut_if_impossible(of_one, {.most_output = UINT64_MAX}, 5, nothing_known));
  EXPECT_LE(of_one.output_tokens, 1'100'000u) << "a client's own number does not open them";
}

TEST(CutReports, ATargetHasALineOnceInAWhileAndEachReportIsCounted) {
  cut_reports cuts;
  const proxy::instant start{100h};
  EXPECT_EQ(cuts.note("a/m", start), 1u);
  for (int each = 0; each < 50; ++each) EXPECT_FALSE(cuts.note("a/m", start + 9min));
  EXPECT_EQ(cuts.note("b/m", start + 9min), 1u) << "another target's are its own";
  EXPECT_EQ(cuts.note("a/m", start + 10min), 51u);
  EXPECT_FALSE(cuts.note("a/m", start + 11min));
}

TEST(CutReports, NamesThatCallersMakeUpDoNotPileUp) {
  cut_reports cuts;
  for (int each = 0; each < 100'000; ++each) EXPECT_TRUE(cuts.note("a/" + std::to_string(each), proxy::instant{100h}));
}

}  // namespace
}  // namespace photofinish::gateway
