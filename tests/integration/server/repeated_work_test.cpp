// Tests repeated work and the pauses between its rounds. No test waits for real time: a pause either ends immediately, or it would last an
// hour.
#include "gateway/threads/repeated_work.hpp"

#include "tests/support/gateway/captured_log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <new>

namespace photofinish::gateway {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct RepeatedWorkTest : ::testing::Test {
  repeated_work::rules rules() {
    return {.is_wanted = [this] { return is_wanted; },
            .round = [this] { return round(); },
            .ended = [this] { ++ends; },
            .failure = "nothing was done"};
  }
  void make(repeated_work::rules how) { work = std::make_unique<repeated_work>(loop, std::move(how)); }

  asio::awaitable<repeated_work::instant> round() {
    ++rounds;
    if (has_gate) co_await gate.wait();
    if (throws) throw std::bad_alloc();
    co_return std::chrono::steady_clock::now() + rest;
  }

  // Runs all work that is ready, and does not advance the clock.
  void settle() {
    loop.restart();
    loop.poll();
  }
  void stop() {
    asio::co_spawn(loop, work->stop(), [this](std::exception_ptr bug) { is_stopped = !bug; });
    settle();
  }
  ~RepeatedWorkTest() override {
    if (work && !is_stopped) stop();
    EXPECT_TRUE(!work || is_stopped);
  }

  asio::io_context loop{1};
  std::chrono::milliseconds rest = 1h;
  bool is_wanted = true, has_gate = false, throws = false, is_stopped = false;
  int rounds = 0, ends = 0;
  proxy::signal gate;
  std::unique_ptr<repeated_work> work;
};

TEST_F(RepeatedWorkTest, ItRestsUntilTheNextIsDue) {
  make(rules());
  work->wake();
  settle();
  settle();
  EXPECT_EQ(rounds, 1);
}

TEST_F(RepeatedWorkTest, WithoutARestItGoesOnAndTheLoopHasItsTurns) {
  rest = -1h;
  make(rules());
  work->wake();
  bool had_a_turn = false;
  asio::post(loop, [&] { had_a_turn = true; });
  while (rounds < 5) loop.run_one();
  EXPECT_TRUE(had_a_turn);
}

TEST_F(RepeatedWorkTest, AWakeEndsTheRest) {
  make(rules());
  work->wake();
  settle();
  work->wake();
  settle();
  EXPECT_EQ(rounds, 2);
}

TEST_F(RepeatedWorkTest, AWakeWithinARoundIsFollowedByOneMore) {
  has_gate = true;
  make(rules());
  work->wake();
  settle();
  work->wake();
  work->wake();
  has_gate = false;
  gate.wake();
  settle();
  EXPECT_EQ(rounds, 2);
}

TEST_F(RepeatedWorkTest, RoundsStayApartHoweverOftenItIsWoken) {
  auto how = rules();
  how.apart = 1h;
  make(std::move(how));
  for (int each = 0; each < 10; ++each) {
    work->wake();
    settle();
  }
  EXPECT_EQ(rounds, 1);
}

TEST_F(RepeatedWorkTest, AWakeBetweenRoundsThatStayApartIsNotLost) {
  auto how = rules();
  how.apart = 1ms;
  make(std::move(how));
  work->wake();
  settle();
  work->wake();
  loop.restart();
  while (rounds < 2) loop.run_one();
}

TEST_F(RepeatedWorkTest, ARoundThatThrowsIsLoggedAndNotRepeatedAtOnce) {
  const testing::captured_log log;
  throws = true;
  auto how = rules();
  how.after_failure = 1h;
  make(std::move(how));
  work->wake();
  settle();
  work->wake();
  settle();
  EXPECT_EQ(rounds, 1);
  EXPECT_TRUE(log.logs_once({"nothing was done because of an internal error (std::bad_alloc)"}));
}

TEST_F(RepeatedWorkTest, BehindARoundThatThrewItGoesOn) {
  const testing::captured_log log;
  throws = true;
  auto how = rules();
  how.after_failure = 1ms;
  make(std::move(how));
  work->wake();
  while (rounds < 2) loop.run_one();
  throws = false;
  while (rounds < 3) loop.run_one();
  settle();
  EXPECT_EQ(rounds, 3);
}

TEST_F(RepeatedWorkTest, ItEndsWhenItIsNotWantedAndBeginsAnew) {
  make(rules());
  work->wake();
  settle();
  is_wanted = false;
  work->wake();
  settle();
  EXPECT_EQ(rounds, 1);
  EXPECT_EQ(ends, 1);
  is_wanted = true;
  work->wake();
  settle();
  EXPECT_EQ(rounds, 2);
}

TEST_F(RepeatedWorkTest, StopAwaitsTheRoundAndNoneFollows) {
  has_gate = true;
  make(rules());
  work->wake();
  settle();
  work->wake();
  stop();
  EXPECT_FALSE(is_stopped);
  gate.wake();
  settle();
  EXPECT_TRUE(is_stopped);
  EXPECT_TRUE(work->is_stopping());
  work->wake();
  settle();
  EXPECT_EQ(rounds, 1);
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace photofinish::gateway
