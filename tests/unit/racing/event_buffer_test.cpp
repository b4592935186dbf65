// Tests how the memory of buffered events is counted. Attempts buffer their events until the race has a winner.
#include "racing/event_buffer.hpp"

#include "tests/support/manual_alarms.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace photofinish::racing {
namespace {

void add_event(buffer_memory& memory, event_buffer& buffer, std::size_t bytes) {
  const std::string text(bytes, 'x');
  const std::string_view json = text;
  proxy::stream_event event;
  event.json = {&json, 1};
  memory.add(event, buffer);
}

TEST(EventBuffer, CountsTheSpareRoomOfItsEvents) {
  buffer_memory memory{proxy::memory_share()};
  event_buffer buffer;
  add_event(memory, buffer, 1'000);
  const std::size_t first = buffer.bytes;
  EXPECT_GE(first, buffer.events.capacity() * sizeof(proxy::kept_event) + 1'000);
  add_event(memory, buffer, 1'000);
  EXPECT_LT(buffer.bytes - first, 2'000u);
}

TEST(EventBuffer, ABufferAboveItsLimitIsAFailureOfTheStream) {
  buffer_memory memory{proxy::memory_share()};
  event_buffer buffer;
  add_event(memory, buffer, 1'000);
  EXPECT_FALSE(memory.check(buffer, buffer.bytes));
  const auto failure = memory.check(buffer, buffer.bytes - 1);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, proxy::failure_kind::bad_stream);
  EXPECT_TRUE(failure->detail.starts_with("the target sent 1 events without a token")) << failure->detail;
}

TEST(EventBuffer, ADroppedBufferNeedsNoMemory) {
  tests::manual_alarms alarms;
  proxy::memory_budget budget(1u << 20);
  buffer_memory memory{proxy::memory_share(budget, 1, alarms)};
  event_buffer loser;
  add_event(memory, loser, 2u << 20);
  EXPECT_TRUE(memory.check(loser, SIZE_MAX));
  memory.drop(loser);
  EXPECT_EQ(loser.bytes, 0u);
  EXPECT_EQ(loser.events.capacity(), 0u);
  EXPECT_FALSE(memory.check(loser, SIZE_MAX));
}

TEST(EventBuffer, TheWinnersMemoryGoesWithItsEvents) {
  tests::manual_alarms alarms;
  proxy::memory_budget budget(64u << 20);
  buffer_memory memory{proxy::memory_share(budget, 1, alarms)};
  event_buffer winner, runner_up;
  add_event(memory, winner, 200'000);
  add_event(memory, runner_up, 100'000);
  ASSERT_FALSE(memory.check(winner, SIZE_MAX));
  const proxy::memory_share answer = memory.take();
  EXPECT_GE(answer.held(), 300'000u);
  EXPECT_TRUE(memory.count(runner_up));
  memory.drop(winner);  // the memory of the winner's events already belongs to the answer
  EXPECT_FALSE(memory.check(runner_up, SIZE_MAX));
}

}  // namespace
}  // namespace photofinish::racing
