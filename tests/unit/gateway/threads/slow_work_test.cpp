// Tests tasks that hang. The result of such a task is lost, but neither the event loop nor the end of the process is blocked.
#include "gateway/threads/slow_work.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

namespace photofinish::gateway {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Blocks each task that waits for this door until the test opens the door.
struct door {
  std::promise<void> opener;
  std::shared_future<void> opened = opener.get_future().share();
};

std::function<int()> waits_for(const door& it, int value) {
  return [opened = it.opened, value] { return opened.wait(), value; };
}

struct SlowWorkTest : ::testing::Test {
  std::optional<int> run(std::function<int()> what, std::chrono::milliseconds limit) {
    std::optional<int> result;
    const auto ask = [&]() -> asio::awaitable<void> { result = co_await work->run(what, limit); };
    asio::co_spawn(loop, ask(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
    loop.run();
    loop.restart();
    return result;
  }
  ~SlowWorkTest() override {
    while (leavable_thread::is_any_left_behind()) std::this_thread::yield();
  }

  asio::io_context loop{1};
  std::unique_ptr<slow_work> work = std::make_unique<slow_work>(loop.get_executor());
};

TEST_F(SlowWorkTest, ItsResultComesBackToTheLoop) {
  EXPECT_EQ(run([] { return 7; }, 1h), 7);
  EXPECT_EQ(run([] { return 8; }, 1h), 8);
}

TEST_F(SlowWorkTest, TheLoopGoesOnWhileItIsDone) {
  door shut;
  asio::post(loop, [&] { shut.opener.set_value(); });  // the event loop can run this handler only if no task blocks the loop
  EXPECT_EQ(run(waits_for(shut, 1), 1h), 1);
}

TEST_F(SlowWorkTest, WorkThatHangsIsLeftAndNothingIsPiledUpBehindIt) {
  door shut;
  EXPECT_EQ(run(waits_for(shut, 1), 1ms), std::nullopt);
  for (int again = 0; again < 100; ++again) EXPECT_EQ(run([] { return 2; }, 1h), std::nullopt) << "still hanging";
  shut.opener.set_value();
  std::optional<int> result;
  while (!result) result = run([] { return 3; }, 1h);  // after the old tasks have ended, new tasks are accepted again
  EXPECT_EQ(result, 3);
}

TEST_F(SlowWorkTest, ACancelledWaitEndsAtOnce) {
  door shut;
  asio::post(loop, [this] { asio::post(loop, [this] { work->cancel(); }); });
  EXPECT_EQ(run(waits_for(shut, 1), 1h), std::nullopt);
  shut.opener.set_value();
}

TEST_F(SlowWorkTest, WorkMayOutliveItsOwnerAndItsLoop) {
  door shut;
  {
    asio::io_context short_lived{1};
    slow_work owner(short_lived.get_executor());
    const auto ask = [&]() -> asio::awaitable<void> { co_await owner.run(waits_for(shut, 1), 1ms); };
    asio::co_spawn(short_lived, ask(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
    short_lived.run();
  }
  EXPECT_TRUE(leavable_thread::is_any_left_behind());
  shut.opener.set_value();
}

}  // namespace
}  // namespace photofinish::gateway
