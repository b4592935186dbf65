#include "proxy/loop/timer_alarms.hpp"

#include "tests/support/network/net_fixture.hpp"

#include <string>
#include <thread>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::stopwatch;

struct TimerAlarmsTest : testing::net_fixture {};

TEST_F(TimerAlarmsTest, AlarmsStrikeAtTheirTimesWhateverTheOrderOfArming) {
  std::vector<std::string> struck;
  const stopwatch watch;
  alarm late(clock, [&] { struck.push_back("late"); });
  alarm early(clock, [&] { struck.push_back("early"); });
  late.arm(clock.now() + 10min);
  early.arm(clock.now() + 10ms);
  run_until([&] { return !struck.empty(); });
  EXPECT_GE(watch.elapsed_ms(), 9.9);
  EXPECT_EQ(struck, std::vector<std::string>{"early"});
  late.arm(clock.now() + 20ms);
  run_until([&] { return struck.size() == 2; });
  EXPECT_GE(watch.elapsed_ms(), 29.9);
  EXPECT_EQ(struck, (std::vector<std::string>{"early", "late"}));
}

TEST_F(TimerAlarmsTest, ADeadlinePushedBackStrikesOnceAtItsLastTime) {
  int strikes = 0;
  alarm deadline(clock, [&] { ++strikes; });
  const stopwatch watch;
  for (int push = 0; push <= 4; ++push) deadline.arm(clock.now() + 10ms + push * 5ms);
  run_until([&] { return strikes > 0; });
  EXPECT_GE(watch.elapsed_ms(), 29.9);
  run_for(20ms);
  EXPECT_EQ(strikes, 1);
}

TEST_F(TimerAlarmsTest, NothingStrikesAfterStopAndTheLoopRunsDry) {
  int strikes = 0;
  alarm deadline(clock, [&] { ++strikes; });
  deadline.arm(clock.now() + 5ms);
  clock.stop();
  deadline.arm(clock.now() + 1ms);
  EXPECT_FALSE(clock.is_idle());
  loop.run();  // returns only when no handler is left
  EXPECT_TRUE(clock.is_idle());
  EXPECT_EQ(strikes, 0);
}

TEST_F(TimerAlarmsTest, AStrikeMayStopTheClock) {
  int strikes = 0;
  alarm first(clock, [&] { ++strikes, clock.stop(); });
  alarm second(clock, [&] { ++strikes; });
  alarm third(clock, [&] { ++strikes; });
  first.arm(clock.now() + 1ms);
  second.arm(clock.now() + 2ms);
  third.arm(clock.now() + 20ms);
  std::this_thread::sleep_for(3ms);  // the first two are due at once
  loop.run();
  EXPECT_EQ(strikes, 1);
  EXPECT_TRUE(clock.is_idle());
}

}  // namespace
}  // namespace photofinish::proxy
