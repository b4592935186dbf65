// Tests clocks that jump. The statistics must not lose their content when a clock jumps.
#include "racing/statistics/wall_clock_filter.hpp"

#include "racing/statistics/stats_codec.hpp"
#include "racing/statistics/stats_window.hpp"

#include <gtest/gtest.h>

#include <random>
#include <variant>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

const wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};

// A machine with two clocks that the test sets, and a gateway that reads both clocks every second.
struct machine {
  wall_time wall = noon;
  instant counted{1'000h};
  wall_clock_filter clock;
  stats_window window;
  wall_time now = clock.read(wall, counted).now;
  int jumps = 0;

  void pass(std::chrono::milliseconds time, std::chrono::milliseconds step = 1s) {
    for (; time > 0ms; time -= step) {
      wall += step, counted += step;
      look();
    }
  }
  void look() {
    const wall_reading read = clock.read(wall, counted);
    if (read.jumped != 0ms) ++jumps;
    if (read.shift != 0ms) window.shift(read.shift);
    now = read.now;
    window.expire(now);
  }
  void note() { window.add({"p/m", 10, 1, 0.2, std::nullopt, 100.0}, now); }
  std::uint64_t answers() const {
    std::uint64_t count = 0;
    for (const auto& [key, series] : window.series())
      for (const stats_slot& slot : series.coarse)
        for (const auto& bin : slot.figures.speed.bins()) count += bin.count;
    return count;
  }
};

// A machine whose statistics contain one answer in each of the last 71 hours.
machine with_history() {
  machine it;
  for (int hour = 0; hour < 71; ++hour) {
    it.note();
    it.pass(1h, 1min);
  }
  return it;
}

TEST(SteadyWall, FollowsAClockThatRuns) {
  machine it;
  it.pass(1h);
  EXPECT_EQ(it.now, noon + 1h);
  EXPECT_EQ(it.jumps, 0);
}

TEST(SteadyWall, FollowsAClockThatIsSetRightBitByBit) {
  machine it;
  for (int i = 0; i < 100; ++i) {
    it.wall += 20ms;
    it.pass(1s);
  }
  EXPECT_EQ(it.now, it.wall);
  EXPECT_EQ(it.jumps, 0);
}

TEST(SteadyWall, AJumpThatIsTakenBackLosesNothing) {
  for (const auto by : {std::chrono::milliseconds(100h), std::chrono::milliseconds(-100h), std::chrono::milliseconds(31s)}) {
    machine it = with_history();
    const std::uint64_t before = it.answers();
    it.wall += by;
    it.pass(10min);
    EXPECT_EQ(it.jumps, 1) << "said once";
    it.wall -= by;
    it.pass(1min);
    EXPECT_EQ(it.answers(), before);
    EXPECT_EQ(it.now, it.wall);
  }
}

TEST(SteadyWall, AJumpThatStaysMovesWhatIsKeptAndItsAges) {
  for (const auto by : {100h, -100h, 24h * 365 * 56, -24h * 365 * 56}) {
    machine it = with_history();
    const std::uint64_t before = it.answers();
    it.wall += by;
    it.pass(20min);
    EXPECT_EQ(it.now, it.wall) << "the new time is taken for true";
    EXPECT_EQ(it.answers(), before) << by.count() << " h";
    it.note();
    it.pass(60h, 1min);
    EXPECT_LT(it.answers(), before) << "what is old goes, by the new clock";
    EXPECT_GT(it.answers(), 5u);
    it.pass(14h, 1min);
    EXPECT_EQ(it.answers(), 0u);
  }
}

TEST(SteadyWall, AMachineThatSleptIsNotAClockThatJumped) {
  machine it = with_history();
  it.wall += 80h, it.counted += 80h;
  it.look();
  EXPECT_EQ(it.jumps, 0);
  EXPECT_EQ(it.answers(), 0u) << "it is all too old now";
}

TEST(SteadyWall, AClockThatJumpsAllTheTimeIsNeverFollowed) {
  machine it = with_history();
  std::mt19937 random(7);
  const std::uint64_t before = it.answers();
  const wall_time start = it.now;
  for (int i = 0; i < 1'000; ++i) {
    it.wall = noon + std::chrono::hours(random() % 10'000);
    it.pass(3s);
  }
  EXPECT_EQ(it.now, start + 3'000s);
  EXPECT_GE(it.answers() + 1, before) << "an hour at most has passed";
}

TEST(SteadyWall, WhatASecondReadingLosesBelowAMillisecondIsNotLost) {
  wall_clock_filter clock;
  instant counted{};
  clock.read(noon, counted);
  wall_time now = noon;
  for (int i = 0; i < 1'000; ++i) {
    counted += 500us;
    now = clock.read(noon + 50h, counted).now;
  }
  EXPECT_EQ(now, noon + 500ms);
}

TEST(StatsWindow, MovedBeforeNineteenSeventyItIsStillWrittenAndRead) {
  machine it = with_history();
  it.window.shift(wall_time{} + 5min - it.now);
  const auto read = decode_stats(encode(it.window));
  ASSERT_TRUE(std::holds_alternative<stats_window>(read)) << std::get<std::string>(read);
  EXPECT_EQ(std::get<stats_window>(read).series(), it.window.series());
  it.window.expire(wall_time{} + 5min);
  EXPECT_GE(it.answers(), 70u);
}

TEST(StatsWindow, NewestIsTheStartOfTheNewestSlot) {
  stats_window window;
  EXPECT_EQ(window.newest(), std::nullopt);
  window.add({"p/m", 10, 1, 0.2, std::nullopt, 100.0}, noon + 90s);
  EXPECT_EQ(window.newest(), noon + 1min);
}

}  // namespace
}  // namespace photofinish::racing
