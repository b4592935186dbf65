// Tests the settings of a simulated provider. Each setting is parsed. An invalid setting is refused with an error that names it. Each step
// of a simulated answer has an exact time.
#include "gateway/simulator/plan/behaviour.hpp"
#include "gateway/simulator/plan/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace photofinish::gateway::simulator {
namespace {

using namespace std::chrono_literals;

// Returns a behaviour without randomness: every answer takes the same time.
sim_behaviour exact() {
  sim_behaviour behaviour;
  behaviour.ttft = 50ms;
  behaviour.ttft_sigma = 0;
  behaviour.stall_share = 0;
  behaviour.tokens_per_second = 100;
  behaviour.output_tokens = 8;
  return behaviour;
}

sim_schedule draw(const sim_behaviour& behaviour, const sim_params& params = {}) {
  sim_engine engine(7);
  return draw_schedule(behaviour, engine, params);
}

std::vector<step_kind> kinds(const sim_schedule& schedule) {
  std::vector<step_kind> all;
  for (const sim_step& step : schedule.steps) all.push_back(step.kind);
  return all;
}

std::size_t words(const std::string& text) {
  return 1 + static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char each) {
           return each == ' ' || each == ',' || each == '.';
         }));
}

TEST(SimSettings, ModelNameWithoutSettingsKeepsTheDefaults) {
  const auto parsed = parse_model("sim-model", exact());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->name, "sim-model");
  EXPECT_EQ(parsed->behaviour, exact());
}

TEST(SimSettings, ModelNameOverridesEveryKindOfSetting) {
  const auto parsed = parse_model(
      "org/m;ttft=50ms;ttft_sigma=0;tps=200.5;tokens=32;chunk=4;reasoning=10;tools=1;role_delay=500us;"
      "no_usage;retry_after=2s;status=429;hang=0;seed=9;stall_after=3;reset_after=5",
      {});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  sim_behaviour expected;
  expected.ttft = 50ms;
  expected.ttft_sigma = 0;
  expected.tokens_per_second = 200.5;
  expected.output_tokens = 32;
  expected.tokens_per_chunk = 4;
  expected.reasoning_tokens = 10;
  expected.is_tool_call = true;
  expected.role_delay = 500us;
  expected.usage = usage_mode::never;
  expected.faults.retry_after = 2s;
  expected.faults.status = 429;
  expected.seed = 9;
  expected.faults.cut = sim_cut{cut_kind::reset, 5};  // if several `cut` settings are given, only the last one takes effect
  EXPECT_EQ(parsed->name, "org/m");
  EXPECT_EQ(parsed->behaviour, expected);
}

TEST(SimSettings, DurationsTakeEveryUnit) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, microseconds>>{
           {"500us", 500us}, {"300ms", 300ms}, {"2s", 2s}, {"10m", 10min}, {"60m", 60min}, {"0ms", 0ms}}) {
    sim_behaviour behaviour;
    ASSERT_TRUE(apply_setting(behaviour, "ttft", text)) << text;
    EXPECT_EQ(behaviour.ttft, expected) << text;
  }
}

TEST(SimSettings, ErrorEventWithoutANumberComesFirst) {
  const auto parsed = parse_model("m;error_event", {});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->behaviour.faults.cut, (sim_cut{cut_kind::error_event, 0}));
}

TEST(SimSettings, ModelNameSetsThePromptCache) {
  const auto parsed = parse_model(
      "m;prompt_cache;cache_marks=needed;cache_ttl=2s;cache_minimum=64;cache_step=16;cache_miss_share=0.03;cache_evict=20m;"
      "cache_entries=100;cache_replicas=4;cache_hint=x-session-affinity;cache_reported=late;cache_writes;ttft_uncached=35ms;"
      "ttft_cached=2ms",
      {});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  sim_behaviour expected;
  expected.cache = {.is_on = true,
                    .needs_marks = true,
                    .ttl = 2s,
                    .minimum = 64,
                    .step = 16,
                    .miss_share = 0.03,
                    .evict = 20min,
                    .entries = 100,
                    .replicas = 4,
                    .hint = "x-session-affinity",
                    .reported = cache_report::late,
                    .reports_writes = true};
  expected.prompt_times.uncached = 35ms;
  expected.prompt_times.cached = 2ms;
  EXPECT_EQ(parsed->behaviour, expected);
  const auto off = parse_model("m;prompt_cache=0;cache_marks=none;cache_hint=none;cache_reported=usual", parsed->behaviour);
  ASSERT_TRUE(off) << off.error().detail;
  EXPECT_FALSE(off->behaviour.cache.is_on || off->behaviour.cache.needs_marks);
  EXPECT_EQ(off->behaviour.cache.hint, "");
  EXPECT_EQ(off->behaviour.cache.reported, cache_report::usual);
}

TEST(SimSettings, MedianTtftCountsUncachedAndCachedTokens) {
  sim_behaviour behaviour = exact();
  EXPECT_EQ(median_ttft(behaviour, 150'000, 0), 50ms);
  behaviour.prompt_times.uncached = 40ms;
  behaviour.prompt_times.cached = 2ms;
  EXPECT_EQ(median_ttft(behaviour, 100'500, 0), 50ms + 4020ms);
  EXPECT_EQ(median_ttft(behaviour, 500, 100'000), 50ms + 20ms + 200ms);
  behaviour.prompt_times.uncached = 1h;
  EXPECT_EQ(median_ttft(behaviour, 16'000'000, 0), 1h);
}

struct bad_setting {
  std::string name;
  std::string setting;
};

class SimBadSettings : public testing::TestWithParam<bad_setting> {};

TEST_P(SimBadSettings, AreRefusedAndNamed) {
  const auto parsed = parse_model("m;" + GetParam().setting, {});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().status, 400);
  EXPECT_EQ(parsed.error().param, "model");
  const std::string named = "`" + GetParam().setting.substr(0, GetParam().setting.find('=')) + "`";
  EXPECT_NE(parsed.error().detail.find(named), std::string::npos) << parsed.error().detail;
}

INSTANTIATE_TEST_SUITE_P(
    All, SimBadSettings,
    testing::Values(bad_setting{"unknown", "speed=4"}, bad_setting{"no_unit", "ttft=50"},
                    bad_setting{"negative", "ttft=-5ms"}, bad_setting{"over_an_hour", "ttft=61m"},
                    bad_setting{"overflow", "ttft=18446744073709551615m"}, bad_setting{"no_value", "tokens"},
                    bad_setting{"empty_value", "tokens="}, bad_setting{"rest", "tokens=4x"},
                    bad_setting{"too_many", "tokens=1000001"}, bad_setting{"zero_chunk", "chunk=0"},
                    bad_setting{"share", "stall_share=1.5"}, bad_setting{"nan", "tps=nan"},
                    bad_setting{"infinite", "tps=inf"}, bad_setting{"status", "status=200"},
                    bad_setting{"switch_value", "hang=yes"}, bad_setting{"usage", "usage=often"},
                    bad_setting{"cache_switch", "prompt_cache=auto"}, bad_setting{"cache_marks", "cache_marks=1"},
                    bad_setting{"cache_ttl", "cache_ttl=2h"}, bad_setting{"cache_step", "cache_step=0"},
                    bad_setting{"cache_entries", "cache_entries=65537"}, bad_setting{"cache_replicas", "cache_replicas=0"},
                    bad_setting{"cache_hint", "cache_hint=a b"}, bad_setting{"cache_no_hint", "cache_hint="},
                    bad_setting{"cache_reported", "cache_reported=end"}),
    [](const auto& tested) { return tested.param.name; });

TEST(SimSettings, EveryListedSettingIsKnown) {
  for (const sim_setting& setting : sim_settings()) {
    sim_behaviour behaviour;
    const auto applied = apply_setting(behaviour, setting.name, "certainly no value");
    ASSERT_FALSE(applied) << setting.name;
    EXPECT_EQ(applied.error().detail.find("unknown"), std::string::npos) << setting.name;
  }
}

TEST(SimSchedule, SpeedCountsBehindTheFirstChunk) {
  const sim_schedule schedule = draw(exact());
  ASSERT_EQ(schedule.steps.size(), 11u);  // the steps are the role, 8 chunks of text, the finish reason and [DONE]
  EXPECT_EQ(schedule.steps[0].at, 50ms);
  for (std::size_t token = 0; token < 8; ++token)
    EXPECT_EQ(schedule.steps[1 + token].at, 50ms + token * 10ms) << token;
  EXPECT_EQ(schedule.steps.back().at, 120ms);
}

TEST(SimSchedule, ChunksOfSeveralTokensKeepTheSpeed) {
  sim_behaviour behaviour = exact();
  behaviour.tokens_per_chunk = 3;
  const sim_schedule schedule = draw(behaviour);
  ASSERT_EQ(schedule.steps.size(), 6u);
  EXPECT_EQ(schedule.steps[1].tokens, 3u);
  EXPECT_EQ(schedule.steps[2].at, 50ms + 30ms);
  EXPECT_EQ(schedule.steps[3].tokens, 2u);
  EXPECT_EQ(schedule.steps[3].at, 50ms + 50ms);
}

TEST(SimSchedule, WithoutASpeedEverythingIsDueAtOnce) {
  sim_behaviour behaviour = exact();
  behaviour.tokens_per_second = 0;
  for (const sim_step& step : draw(behaviour).steps) EXPECT_EQ(step.at, 50ms);
}

TEST(SimSchedule, EveryTokenIsAWordOrAMark) {
  sim_behaviour behaviour = exact();
  behaviour.output_tokens = 1000;  // the answer is longer than the stored text, so the text is repeated
  behaviour.tokens_per_chunk = 7;
  const sim_schedule schedule = draw(behaviour);
  EXPECT_EQ(schedule.tokens_sent(), 1000u);
  EXPECT_EQ(words(schedule.text), 1000u);
  EXPECT_EQ(schedule.text_of(step_kind::content), schedule.text);
  EXPECT_NE(schedule.text.front(), ' ');
}

TEST(SimSchedule, RoleGoesOutEarlyWhenTold) {
  sim_behaviour behaviour = exact();
  behaviour.role_delay = 5ms;
  const sim_schedule schedule = draw(behaviour);
  EXPECT_EQ(schedule.steps[0].at, 5ms);
  EXPECT_EQ(schedule.steps[1].at, 50ms);
}

TEST(SimSchedule, RoleNeverComesAfterTheFirstToken) {
  sim_behaviour behaviour = exact();
  behaviour.role_delay = 5s;
  EXPECT_EQ(draw(behaviour).steps[0].at, 50ms);
}

TEST(SimSchedule, ReasoningComesFirstAndCountsForTheSpeed) {
  sim_behaviour behaviour = exact();
  behaviour.reasoning_tokens = 2;
  behaviour.output_tokens = 1;
  const sim_schedule schedule = draw(behaviour);
  EXPECT_EQ(kinds(schedule), (std::vector{step_kind::role, step_kind::reasoning, step_kind::reasoning,
                                          step_kind::content, step_kind::finish, step_kind::done}));
  EXPECT_EQ(schedule.steps[3].at, 70ms);
}

TEST(SimSchedule, ToolCallOpensWithItsNameAndMakesJson) {
  sim_behaviour behaviour = exact();
  behaviour.is_tool_call = true;
  behaviour.output_tokens = 2;
  const sim_schedule schedule = draw(behaviour);
  EXPECT_EQ(kinds(schedule), (std::vector{step_kind::role, step_kind::tool_name, step_kind::arguments,
                                          step_kind::arguments, step_kind::finish, step_kind::done}));
  EXPECT_EQ(schedule.finish_reason, "tool_calls");
  EXPECT_TRUE(schedule.text.starts_with(R"({"text":")"));
  EXPECT_TRUE(schedule.text.ends_with(R"("})"));
}

TEST(SimSchedule, MaxTokensCapsReasoningAndOutputTogether) {
  sim_behaviour behaviour = exact();
  behaviour.reasoning_tokens = 3;
  const sim_schedule schedule = draw(behaviour, {.max_tokens = 5});
  EXPECT_EQ(schedule.reasoning_tokens, 3u);
  EXPECT_EQ(schedule.output_tokens, 2u);
  EXPECT_EQ(schedule.finish_reason, "length");
}

TEST(SimSchedule, MaxTokensOfTheExactLengthCapsNothing) {
  EXPECT_EQ(draw(exact(), {.max_tokens = 8}).finish_reason, "stop");
}

TEST(SimSchedule, UsageChunkComesAsTheModeSays) {
  const auto has_usage = [](usage_mode mode, bool is_asked) {
    sim_behaviour behaviour = exact();
    behaviour.usage = mode;
    const auto all = kinds(draw(behaviour, {.max_tokens = {}, .include_usage = is_asked}));
    return std::count(all.begin(), all.end(), step_kind::usage) == 1;
  };
  EXPECT_TRUE(has_usage(usage_mode::asked, true));
  EXPECT_FALSE(has_usage(usage_mode::asked, false));
  EXPECT_TRUE(has_usage(usage_mode::always, false));
  EXPECT_FALSE(has_usage(usage_mode::never, true));
}

struct cut_case {
  std::string name;
  cut_kind kind;
  step_kind last;
};

class SimCuts : public testing::TestWithParam<cut_case> {};

TEST_P(SimCuts, ComeAfterExactlyThatManyTokens) {
  sim_behaviour behaviour = exact();
  behaviour.tokens_per_chunk = 4;
  behaviour.faults.cut = sim_cut{GetParam().kind, 5};
  const sim_schedule schedule = draw(behaviour);
  EXPECT_EQ(kinds(schedule),
            (std::vector{step_kind::role, step_kind::content, step_kind::content, GetParam().last}));
  EXPECT_EQ(schedule.tokens_sent(), 5u);
  EXPECT_EQ(schedule.output_tokens, 8u);
}

INSTANTIATE_TEST_SUITE_P(All, SimCuts,
                         testing::Values(cut_case{"stall", cut_kind::stall, step_kind::silence},
                                         cut_case{"reset", cut_kind::reset, step_kind::reset},
                                         cut_case{"close", cut_kind::close, step_kind::close},
                                         cut_case{"error", cut_kind::error_event, step_kind::error_event}),
                         [](const auto& tested) { return tested.param.name; });

TEST(SimSchedule, CutBehindTheAnswersEndStillLeavesItUnfinished) {
  sim_behaviour behaviour = exact();
  behaviour.faults.cut = sim_cut{cut_kind::stall, 100};
  const sim_schedule schedule = draw(behaviour);
  EXPECT_EQ(schedule.tokens_sent(), 8u);
  EXPECT_EQ(schedule.steps.back().kind, step_kind::silence);
}

TEST(SimSchedule, ErrorEventAfterNoTokenIsTheFirstEvent) {
  sim_behaviour behaviour = exact();
  behaviour.faults.cut = sim_cut{cut_kind::error_event, 0};
  EXPECT_EQ(kinds(draw(behaviour)), std::vector{step_kind::error_event});
}

TEST(SimSchedule, EmptyAnswerTakesItsTtftAndStops) {
  sim_behaviour behaviour = exact();
  behaviour.output_tokens = 0;
  behaviour.role_delay = 1ms;
  const sim_schedule schedule = draw(behaviour);
  EXPECT_EQ(kinds(schedule), (std::vector{step_kind::role, step_kind::finish, step_kind::done}));
  EXPECT_EQ(schedule.steps[1].at, 50ms);
  EXPECT_EQ(schedule.finish_reason, "stop");
}

TEST(SimSchedule, FaultShareIsTheShareOfFaultyAnswers) {
  sim_behaviour behaviour = exact();
  behaviour.faults.status = 503;
  behaviour.faults.share = 0.25;
  sim_engine engine(11);
  int refused = 0;
  for (int i = 0; i < 10'000; ++i)
    refused += draw_schedule(behaviour, engine).steps.front().kind == step_kind::refuse;
  EXPECT_NEAR(refused, 2'500, 200);
}

TEST(SimSchedule, SameSeedGivesTheSameTruth) {
  sim_behaviour behaviour = exact();
  behaviour.ttft_sigma = 0.5;
  const auto first = draw(behaviour), second = draw(behaviour);
  EXPECT_EQ(first.ttft, second.ttft);
  EXPECT_EQ(first.text, second.text);
}

TEST(SimSchedule, AnotherSettingDoesNotShiftTheChances) {
  sim_behaviour spread = exact();
  spread.ttft_sigma = 0.5;
  sim_behaviour cut = spread;
  cut.reasoning_tokens = 4;
  cut.faults.cut = sim_cut{cut_kind::reset, 3};
  EXPECT_EQ(draw(spread).ttft, draw(cut).ttft);
}

std::vector<double> sorted_ttfts_ms(const sim_behaviour& behaviour, std::size_t count) {
  sim_engine engine(3);
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(static_cast<double>(draw_schedule(behaviour, engine).ttft.count()) / 1e3);
  std::sort(all.begin(), all.end());
  return all;
}

TEST(SimSchedule, TtftBodyIsLognormal) {
  sim_behaviour behaviour = exact();
  behaviour.ttft = 200ms;
  behaviour.ttft_sigma = 0.3;
  behaviour.output_tokens = 1;
  const auto all = sorted_ttfts_ms(behaviour, 10'000);
  EXPECT_NEAR(all[5'000], 200, 4);     // the median
  EXPECT_NEAR(all[8'413], 270, 8);     // one standard deviation above the median: 200 x e^0.3
  EXPECT_NEAR(all[1'587], 148.2, 5);   // one standard deviation below the median
}

TEST(SimSchedule, StallsAreAModeOfTheirOwn) {
  sim_behaviour behaviour = exact();
  behaviour.ttft = 100ms;
  behaviour.stall_share = 0.1;
  behaviour.stall_sigma = 0;
  behaviour.output_tokens = 1;
  const auto all = sorted_ttfts_ms(behaviour, 10'000);
  const auto stalls = std::count(all.begin(), all.end(), 600.0);  // six medians
  EXPECT_NEAR(static_cast<double>(stalls), 1'000, 120);
  EXPECT_EQ(std::count(all.begin(), all.end(), 100.0) + stalls, 10'000);
}

}  // namespace
}  // namespace photofinish::gateway::simulator
