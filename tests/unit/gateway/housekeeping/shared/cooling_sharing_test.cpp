// Tests how gateways share the rate limits that providers have reported. They exchange these limits through the store.
#include "gateway/housekeeping/shared/cooling_sharing.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr racing::instant limit_time{1h};

racing::attempt_sample limited(const std::string& target) {
  return {.id = target, .failed = proxy::failure_kind::rate_limited, .retry_after = 3s, .status = 429};
}

TEST(CoolingSharing, SendsLimitsOfConfiguredKeysAndNoOtherFailure) {
  cooling_sharing sharing;
  EXPECT_TRUE(sharing.note(limited("a/m"), limit_time));
  EXPECT_FALSE(sharing.note(limited("a/m#caller"), limit_time));
  racing::attempt_sample worked = limited("b/m");
  worked.failed.reset();
  EXPECT_FALSE(sharing.note(worked, limit_time));
  const auto sent = sharing.take_noted();
  const store_names::cooling expected{{"a/m", 2s}};
  EXPECT_EQ(cooling_sharing::lengths(sent, limit_time + 1s), expected);
  EXPECT_TRUE(cooling_sharing::lengths(sent, limit_time + 3s).empty());
  EXPECT_TRUE(sharing.take_noted().empty());
  sharing.return_noted(sent);
  EXPECT_EQ(sharing.take_noted(), sent);
}

TEST(CoolingSharing, AnEndThatMovedALittleHasNotMoved) {
  cooling_sharing sharing;
  EXPECT_TRUE(sharing.take({{"a/m", 5s}}, limit_time));
  EXPECT_FALSE(sharing.take({{"a/m", 4900ms}}, limit_time));
  EXPECT_TRUE(sharing.take({{"a/m", 9s}}, limit_time));
  EXPECT_TRUE(sharing.take({}, limit_time)) << "the others know of none any more";
}

TEST(CoolingSharing, TheBoardHasTheLaterEnd) {
  cooling_sharing sharing;
  sharing.take({{"a/m", 5s}, {"b/m", 5s}}, limit_time);
  racing::scoreboard board;
  board.cools_until["a/m"] = limit_time + 9s;
  sharing.add_to(board, limit_time);
  EXPECT_EQ(board.cools_until["a/m"], limit_time + 9s);
  EXPECT_EQ(board.cools_until["b/m"], limit_time + 5s);
  EXPECT_TRUE(board.is_limited("b/m", limit_time + 4s));
}

}  // namespace
}  // namespace photofinish::gateway
