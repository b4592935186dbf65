// Tests in virtual time how long the gateway waits until a client accepts its bytes.
#include "gateway/http/stall_timer.hpp"

#include "tests/support/manual_alarms.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

TEST(StallTimer, EachWaitHasTheWholeTimeout) {
  tests::manual_alarms alarms;
  int stalls = 0;
  stall_timer timer(alarms, [&stalls] { ++stalls; });
  timer.set_timeout(10s);
  timer.begin_wait(alarms.now());
  alarms.advance(9s);
  timer.begin_wait(alarms.now());
  alarms.advance(9s);
  EXPECT_EQ(stalls, 0);
  alarms.advance(1s);
  EXPECT_EQ(stalls, 1);
}

TEST(StallTimer, NoWaitIsLongerThanTheEndOfTheAnswer) {
  tests::manual_alarms alarms;
  int stalls = 0;
  stall_timer timer(alarms, [&stalls] { ++stalls; });
  timer.set_timeout(10s);
  timer.set_end(alarms.now() + 2s);
  timer.begin_wait(alarms.now());
  alarms.advance(2s);
  EXPECT_EQ(stalls, 1);
}

TEST(StallTimer, AWriteThatEndedIsCountedAndStallsNoMore) {
  tests::manual_alarms alarms;
  int stalls = 0;
  stall_timer timer(alarms, [&stalls] { ++stalls; });
  timer.set_timeout(10s);
  timer.begin_wait(alarms.now());
  timer.end_write(3s);
  timer.end_write(4s);
  alarms.advance(20s);
  EXPECT_EQ(stalls, 0);
  EXPECT_EQ(timer.time_stalled(), 7s);
}

}  // namespace
}  // namespace photofinish::gateway
