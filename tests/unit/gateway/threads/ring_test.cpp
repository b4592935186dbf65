// Tests a bounded queue that passes items from one thread to another thread.
#include "gateway/threads/ring.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace photofinish::gateway {
namespace {

TEST(Ring, GivesBackInOrder) {
  ring<std::string, 4> queue;
  EXPECT_TRUE(queue.push("first"));
  EXPECT_TRUE(queue.push("second"));
  EXPECT_EQ(queue.pop(), "first");
  EXPECT_EQ(queue.pop(), "second");
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(Ring, RefusesWhatDoesNotFitAndTakesAgainOnceOneIsGone) {
  ring<int, 2> queue;
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_TRUE(queue.push(4));
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), 4);
}

TEST(Ring, HoldsNothingBackOfWhatWasPopped) {
  ring<std::shared_ptr<int>, 2> queue;
  const auto value = std::make_shared<int>(7);
  queue.push(value);
  queue.pop();
  EXPECT_EQ(value.use_count(), 1);
}

// Strings own memory. Therefore a sanitizer reports an error if both threads access a slot of the ring at the same time.
TEST(Ring, TwoThreadsExchangeEveryValueOnceAndInOrder) {
  constexpr std::size_t count = 20'000;
  ring<std::string, 8> queue;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  const auto is_late = [deadline] { return std::chrono::steady_clock::now() > deadline; };
  std::jthread producer([&] {
    for (std::size_t i = 0; i < count && !is_late();) {
      if (queue.push("a value too long to be stored inline: " + std::to_string(i))) ++i;
      else std::this_thread::yield();
    }
  });
  std::size_t received = 0;
  bool is_in_order = true;
  while (received < count && !is_late()) {
    const auto value = queue.pop();
    if (!value) std::this_thread::yield();
    else is_in_order = is_in_order && value->ends_with(": " + std::to_string(received++));
  }
  EXPECT_EQ(received, count);
  EXPECT_TRUE(is_in_order);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

}  // namespace
}  // namespace photofinish::gateway
