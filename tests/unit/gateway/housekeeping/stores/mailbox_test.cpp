// Tests the mailbox that passes values from workers to the housekeeper's event loop.
#include "gateway/housekeeping/stores/mailbox.hpp"

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace photofinish::gateway {
namespace {

TEST(Mailbox, OneWakeTakesTheValuesOfAllWorkers) {
  boost::asio::io_context loop;
  std::vector<int> received;
  mailbox<int, 4, 2> box(loop, 2, [&] { box.take([&](int value) { received.push_back(value); }); });
  EXPECT_TRUE(box.put(1, 1));
  EXPECT_EQ(loop.run(), 0u) << "a ring that is not urgent waits for the next tick";
  loop.restart();
  EXPECT_TRUE(box.put(0, 2));
  EXPECT_TRUE(box.put(0, 3));
  EXPECT_TRUE(box.put(0, 4));
  EXPECT_EQ(loop.run(), 1u);
  EXPECT_EQ(received, (std::vector<int>{2, 3, 4, 1}));
}

TEST(Mailbox, AFullRingLeavesTheValueWithItsCaller) {
  boost::asio::io_context loop;
  mailbox<std::unique_ptr<int>, 1, 1> box(loop, 1, [] {});
  EXPECT_TRUE(box.put(0, std::make_unique<int>(1)));
  auto late = std::make_unique<int>(2);
  EXPECT_FALSE(box.put(0, std::move(late)));
  ASSERT_TRUE(late);
  EXPECT_EQ(*late, 2);
}

// In this test, no periodic tick wakes the event loop. Therefore each added value must wake it.
TEST(Mailbox, NoWakeIsLostBetweenTwoThreads) {
  constexpr std::size_t count = 20'000;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  boost::asio::io_context loop;
  auto work = boost::asio::make_work_guard(loop);
  std::size_t received = 0;
  mailbox<std::size_t, 512, 1> box(loop, 1, [&] {
    box.take([&](std::size_t) { ++received; });
    if (received == count) work.reset();
  });
  std::jthread producer([&] {
    for (std::size_t value = 0; value < count && std::chrono::steady_clock::now() < deadline;) {
      if (box.put(0, value)) ++value;
      else std::this_thread::yield();
    }
  });
  loop.run_until(deadline);
  EXPECT_EQ(received, count);
}

}  // namespace
}  // namespace photofinish::gateway
