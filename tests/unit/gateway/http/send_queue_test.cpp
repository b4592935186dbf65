// Tests the queue of bytes that the kernel has not yet accepted for a client.
#include "gateway/http/send_queue.hpp"

#include "tests/support/manual_alarms.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace photofinish::gateway {
namespace {

std::string all_of(const send_queue& queue) {
  std::array<std::string_view, 8> pieces;
  std::string text;
  const std::size_t count = queue.front(pieces);
  for (std::size_t piece = 0; piece < count; ++piece) text += pieces[piece];
  return text;
}

TEST(SendQueue, KeepsOnlyTheBytesThatWereNotTaken) {
  constexpr std::array<std::string_view, 3> pieces{"one ", "two ", "three"};
  send_queue queue{proxy::memory_share()};
  queue.append(pieces, 6);
  EXPECT_EQ(all_of(queue), "o three");
  queue.append(pieces, 13);
  EXPECT_EQ(all_of(queue), "o three");
  queue.drop(2);
  EXPECT_EQ(all_of(queue), "three");
}

TEST(SendQueue, ALongRestNeedsMemory) {
  tests::manual_alarms alarms;
  proxy::memory_budget budget(100'000);
  send_queue queue{proxy::memory_share(budget, 1, alarms)};
  const std::string text(proxy::memory_share::uncounted, 'x');
  const std::string_view piece = text;
  queue.append({&piece, 1}, 0);
  EXPECT_TRUE(queue.reserve());
  for (int count = 0; count < 10; ++count) queue.append({&piece, 1}, 0);
  EXPECT_FALSE(queue.reserve());
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.reserve());
}

}  // namespace
}  // namespace photofinish::gateway
