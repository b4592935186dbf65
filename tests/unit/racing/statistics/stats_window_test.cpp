// Tests the statistics of the last 72 hours in virtual time, and the limits on their size.
#include "racing/statistics/stats_window.hpp"

#include "racing/statistics/stats_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

const wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};

target_sample sample(std::string target, double ttft, double speed = 100, std::uint64_t tokens = 10,
                     std::size_t concurrency = 1) {
  return {std::move(target), tokens, concurrency, ttft, std::nullopt, speed};
}

TEST(InputClasses, AreStepsOfFourFromSixtyFourOn) {
  EXPECT_EQ(input_class_of(0), 0);
  EXPECT_EQ(input_class_of(63), 0);
  for (std::size_t index = 1; index < input_classes; ++index) {
    const value_class range = input_class(index);
    EXPECT_EQ(range.from, std::uint64_t{16} << (2 * index));
    EXPECT_EQ(input_class_of(range.from), index);
    EXPECT_EQ(input_class_of(range.from - 1), index - 1);
  }
  EXPECT_EQ(input_class(input_classes - 1).to, std::nullopt);
  EXPECT_EQ(input_class_of(~std::uint64_t{0}), input_classes - 1);
}

TEST(ConcurrencyClasses, AreStepsOfTwoFromOneOn) {
  for (std::size_t index = 0; index < concurrency_classes; ++index) {
    const value_class range = concurrency_class(index);
    EXPECT_EQ(concurrency_class_of(range.from), index);
    if (index > 0) {
      EXPECT_EQ(concurrency_class_of(range.from - 1), index - 1);
    }
  }
  EXPECT_EQ(concurrency_class_of(0), 0);
  EXPECT_EQ(concurrency_class_of(100'000), concurrency_classes - 1);
}

TEST(StatsWindow, ReportsEachTargetByInputAndByConcurrency) {
  stats_window window;
  for (int i = 0; i < 100; ++i) {
    window.add(sample("groq/m", 0.2, 400, 10, 1), noon);
    window.add(sample("groq/m", 0.8, 200, 2'000, 5), noon);
    window.add(sample("xai/m", 0.5), noon);
  }
  const stats_report report = make_stats_report(window, noon);
  ASSERT_EQ(report.targets.size(), 2u);
  EXPECT_EQ(report.window, 72h);
  const target_report& groq = *report.find("groq/m");
  EXPECT_EQ(groq.all.speed.count, 200u);
  ASSERT_EQ(groq.by_input.size(), 2u);
  EXPECT_EQ(groq.by_input[1].range.from, 1024u);
  EXPECT_NEAR(groq.by_input[1].figures.ttft.p50.seconds, 0.8, 0.008);
  ASSERT_EQ(groq.by_concurrency.size(), 2u);
  EXPECT_EQ(groq.by_concurrency[1].range.from, 4u);
  EXPECT_NEAR(groq.by_concurrency[0].figures.speed.p50, 400, 4);
  EXPECT_NEAR(groq.by_concurrency[1].figures.speed.p50, 200, 2);
  EXPECT_EQ(report.find("no-such/m"), nullptr);
}

TEST(StatsWindow, LetsGoOfWhatIsOlderThanSeventyTwoHours) {
  stats_window window;
  window.add(sample("a/m", 1), noon);
  window.expire(noon + 71h);
  EXPECT_FALSE(window.empty());
  window.expire(noon + 72h);
  EXPECT_TRUE(window.empty());
  EXPECT_EQ(window.bin_count(), 0u);
}

TEST(StatsWindow, KeepsMinutesOnlyAsLongAsTheyAreRecent) {
  stats_window window;
  window.add(sample("a/m", 1), noon);
  window.expire(noon + 1h);
  EXPECT_TRUE(window.series().begin()->second.fine.empty());
  EXPECT_EQ(window.series().begin()->second.coarse.size(), 1u);
}

TEST(StatsWindow, RecentIsTheLastMinutesOverAllClasses) {
  stats_window window;
  window.add(sample("a/m", 1, 100, 10, 1), noon - 20min);
  window.add(sample("a/m", 1, 100, 10'000, 1), noon - 5min);
  window.add(sample("a/m", 1, 100, 10, 9), noon);
  EXPECT_EQ(window.recent(noon, 15min).at("a/m").speed.count(), 2u);
  EXPECT_EQ(window.recent(noon, 25min).at("a/m").speed.count(), 3u);
}

TEST(StatsWindow, AClockSetBackLeavesNothingThatWouldStayForEver) {
  stats_window window;
  window.add(sample("a/m", 1), noon + 24h);
  window.add(sample("a/m", 1), noon);
  window.expire(noon);
  EXPECT_EQ(make_stats_report(window, noon).find("a/m")->all.speed.count, 1u);
}

TEST(StatsWindow, MoreKeysThanAllowedCountForOther) {
  stats_window window({}, {.keys = 100, .bins = 1'000'000});
  for (std::size_t i = 0; i < 5'000; ++i) window.add(sample("p/" + std::to_string(i), 1, 100, 1, 1 + i % 200), noon);
  EXPECT_LE(window.series().size(), 100 + input_classes * concurrency_classes);
  EXPECT_EQ(make_stats_report(window, noon).find("_other/_other")->all.speed.count, 4'900u);
}

TEST(StatsWindow, TheOldestHoursGoWhenTheBinsAreUsedUp) {
  stats_window window({}, {.keys = 2'000, .bins = 20'000});
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> draw(-6, 11);
  for (int hour = 0; hour < 72; ++hour)
    for (int i = 0; i < 2'000; ++i) {
      window.add(sample("a/m", std::exp(draw(engine)), std::exp(draw(engine)), 1, 1), noon + hour * 1h);
      ASSERT_LE(window.bin_count(), 20'000u);
    }
  const auto& coarse = window.series().begin()->second.coarse;
  ASSERT_FALSE(coarse.empty());
  const auto last_hour = std::chrono::floor<std::chrono::hours>((noon + 71h).time_since_epoch()).count();
  EXPECT_EQ(coarse.back().number, last_hour);
}

// The memory limit from docs/decisions/0007: 8 bytes per bin, 64 reserved bytes per sketch, and 80 bytes per slot.
TEST(StatsWindow, MemoryIsBoundedByBinsAndSlots) {
  stats_window window;
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> draw(-7, 12);
  for (int minute = 0; minute < 72 * 60; ++minute) {
    for (int i = 0; i < 50; ++i)
      window.add(sample("a/m", std::exp(draw(engine)), std::exp(draw(engine))), noon + minute * 1min);
    window.expire(noon + minute * 1min);
  }
  const std::size_t slots = 72 + 30;
  EXPECT_LE(window.bin_count(), slots * 2 * sketch::bucket_count());
  EXPECT_LE(window.memory_bytes(), window.bin_count() * 8 + 2 * slots * (80 + 2 * 64) + 1'000);
}

TEST(StatsWindow, AUsualKeyTakesLessThanAQuarterOfAMegabyte) {
  stats_window window;
  std::mt19937 engine(2);
  std::lognormal_distribution<double> ttft(std::log(0.4), 0.5), speed(std::log(120), 0.2);
  for (int minute = 0; minute < 72 * 60; ++minute) {
    for (int i = 0; i < 20; ++i) window.add(sample("a/m", ttft(engine), speed(engine)), noon + minute * 1min);
    window.expire(noon + minute * 1min);
  }
  EXPECT_LT(window.memory_bytes(), 256u << 10) << window.bin_count() << " bins";
  RecordProperty("bytes", std::to_string(window.memory_bytes()));
}

}  // namespace
}  // namespace photofinish::racing
