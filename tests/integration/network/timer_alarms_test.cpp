#include "proxy/loop/timer_alarms.hpp"

#include "proxy/loop/large_reads.hpp"
#include "proxy/loop/next_turn.hpp"
#include "proxy/loop/wakeup.hpp"
#include "tests/support/network/net_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/eventfd.h>

#include <deque>
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
  loop.run();  // the loop's run() returns only when no handler is left
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
  std::this_thread::sleep_for(3ms);  // waits until the first two alarms are due
  loop.run();
  EXPECT_EQ(strikes, 1);
  EXPECT_TRUE(clock.is_idle());
}

// Peers whose next byte must arrive within a time limit.
class watched_peers {
 public:
  watched_peers(boost::asio::io_context& loop, alarms& clock, int count, instant deadline) {
    for (int each = 0; each < count; ++each) {
      peer& added = all_.emplace_back(loop, clock, cut_);
      added.silence.arm(deadline);
      added.wire.async_wait(descriptor::wait_read, [&added, this](const boost::system::error_code&) {
        added.silence.disarm();
        ++heard_;
      });
    }
  }
  void send() {
    for (peer& each : all_) eventfd_write(each.wire.native_handle(), 1);
  }
  int heard() const { return heard_; }
  int cut() const { return cut_; }

 private:
  using descriptor = boost::asio::posix::stream_descriptor;
  struct peer {
    peer(boost::asio::io_context& loop, alarms& clock, int& cut)
        : wire(loop, ::eventfd(0, EFD_CLOEXEC)), silence(clock, [&] { ++cut; }) {}
    descriptor wire;
    alarm silence;
  };
  std::deque<peer> all_;
  int heard_ = 0, cut_ = 0;
};

// There are more than 128 sockets, because the reactor returns at most 128 in one poll.
constexpr int many = 400;

TEST_F(TimerAlarmsTest, WhatCameWhileTheLoopStoodStillIsReadBeforeAnAlarmStrikes) {
  watched_peers peers(loop, clock, many, clock.now() - 1s);
  peers.send();
  run_until([&] { return peers.heard() + peers.cut() == many; });
  EXPECT_EQ(peers.heard(), many);
  EXPECT_EQ(peers.cut(), 0);
}

// The reader behaves like an HTTP/2 stream, which gets its bytes after its connection has read them. The reader becomes ready after all
// other readers.
TEST_F(TimerAlarmsTest, WhatAConnectionHasReadReachesItsStreamsBeforeAnAlarmStrikes) {
  using descriptor = boost::asio::posix::stream_descriptor;
  watched_peers crowd(loop, clock, many, clock.now() - 1s);
  crowd.send();
  wakeup has_bytes(loop);
  int heard = 0, cut = 0;
  alarm silence(clock, [&] { ++cut; });
  silence.arm(clock.now() - 1s);
  const auto stream = [&]() -> boost::asio::awaitable<void> {
    co_await has_bytes.wait();
    silence.disarm();
    ++heard;
  };
  boost::asio::co_spawn(loop, stream(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
  descriptor connection(loop, ::eventfd(1, EFD_CLOEXEC));
  connection.async_wait(descriptor::wait_read, [&](const boost::system::error_code&) { has_bytes.wake(); });
  run_until([&] { return heard > 0; });
  EXPECT_EQ(cut, 0);
  EXPECT_EQ(crowd.heard(), many);
}

TEST_F(TimerAlarmsTest, WhatWaitedForItsTurnWhileTheLoopStoodStillIsReadToo) {
  int heard = 0, cut = 0, strikes = 0;
  alarm other(clock, [&] { ++strikes; });
  other.arm(clock.now() - 3s);
  const auto stream = [&]() -> boost::asio::awaitable<void> {
    alarm silence(clock, [&] { ++cut; });
    silence.arm(clock.now() - 3s);
    co_await next_turn(loop.get_executor());
    co_await large_reads::wait(loop.get_executor(), large_reads::peer::provider);
    silence.disarm();
    ++heard;
  };
  for (int each = 0; each < many; ++each)
    boost::asio::co_spawn(loop, stream(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
  run_until([&] { return strikes == 1; });
  EXPECT_EQ(heard, many);
  EXPECT_EQ(cut, 0);
  // After the alarm has fired, the number of large reads is limited again: at first, only some of the waiting reads run.
  heard = 0;
  const auto later = [&]() -> boost::asio::awaitable<void> {
    co_await large_reads::wait(loop.get_executor(), large_reads::peer::provider);
    ++heard;
  };
  for (int each = 0; each < many; ++each)
    boost::asio::co_spawn(loop, later(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
  loop.restart();
  for (int each = 0; each < many; ++each) loop.poll_one();
  EXPECT_GT(heard, 0);
  EXPECT_LT(heard, many / 2);
  run_until([&] { return heard == many; });
}

TEST_F(TimerAlarmsTest, ThoseThatSentNothingMeanwhileAreCutAllTheSame) {
  watched_peers silent(loop, clock, 3, clock.now() - 1s), talking(loop, clock, many, clock.now() - 1s);
  talking.send();
  run_until([&] { return silent.cut() == 3; });
  EXPECT_EQ(talking.heard(), many);
}

TEST_F(TimerAlarmsTest, AnAlarmArmedWhileTheLoopCatchesUpStrikesToo) {
  int strikes = 0;
  alarm second(clock, [&] { ++strikes; });
  alarm first(clock, [&] { second.arm(clock.now() + 1ms); });
  first.arm(clock.now() - 1s);
  alarm third(clock, [&] { ++strikes; });
  boost::asio::post(loop, [&] { third.arm(clock.now() - 2s); });
  run_until([&] { return strikes == 2; });
}

TEST_F(TimerAlarmsTest, NothingStrikesWhereTheClockIsStoppedWhileTheLoopCatchesUp) {
  int strikes = 0;
  alarm late(clock, [&] { ++strikes; });
  late.arm(clock.now() - 1s);
  loop.run_one();  // this call runs only the handler of the timer
  EXPECT_EQ(strikes, 0);
  clock.stop();
  EXPECT_FALSE(clock.is_idle());
  loop.run();
  EXPECT_TRUE(clock.is_idle());
  EXPECT_EQ(strikes, 0);
}

}  // namespace
}  // namespace photofinish::proxy
