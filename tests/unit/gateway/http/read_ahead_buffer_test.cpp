// Tests the buffer for bytes that a client sends before the gateway can read them.
#include "gateway/http/read_ahead_buffer.hpp"

#include "tests/support/manual_alarms.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

constexpr std::size_t one_read = 16u << 10;

TEST(ReadAheadBuffer, GivesItsBytesInTheirOrderAcrossConsumes) {
  read_ahead_buffer buffer{proxy::memory_share()};
  buffer.append("one two");
  buffer.consume(4, one_read);
  buffer.append(" three");
  EXPECT_EQ(buffer.unread(), "two three");
  buffer.consume(9, one_read);
  EXPECT_EQ(buffer.unread(), "");
}

TEST(ReadAheadBuffer, HoldsTheLongestHeadAndOneByteMore) {
  read_ahead_buffer buffer{proxy::memory_share()};
  buffer.append(std::string(longest_header, 'x'));
  EXPECT_FALSE(buffer.is_full());
  buffer.append("x");
  EXPECT_TRUE(buffer.is_full());
  buffer.consume(longest_header / 2 + 1, one_read);
  EXPECT_FALSE(buffer.is_full());
  EXPECT_EQ(buffer.unread().size(), longest_header / 2);
}

TEST(ReadAheadBuffer, WithoutMemoryItIsStarvedUntilSomeIsConsumed) {
  tests::manual_alarms alarms;
  proxy::memory_budget budget(1'000);
  read_ahead_buffer buffer{proxy::memory_share(budget, 1, alarms)};
  EXPECT_TRUE(buffer.reserve(one_read)) << "the first read is free";
  buffer.append(std::string(proxy::memory_share::uncounted + 1, 'x'));
  EXPECT_FALSE(buffer.reserve(one_read));
  EXPECT_TRUE(buffer.is_starved());
  buffer.consume(1, one_read);
  EXPECT_FALSE(buffer.is_starved());
  EXPECT_TRUE(buffer.reserve(one_read));
}

}  // namespace
}  // namespace photofinish::gateway
