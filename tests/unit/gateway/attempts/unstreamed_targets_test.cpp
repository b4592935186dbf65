#include "gateway/attempts/unstreamed_targets.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

constexpr proxy::instant t0{std::chrono::hours(1)};

TEST(UnstreamedTargets, AreKnownUntilTheirTimeIsOver) {
  unstreamed_targets known;
  EXPECT_FALSE(known.contains("openai/o3", t0));
  known.note("openai/o3", t0);
  EXPECT_TRUE(known.contains("openai/o3", t0 + unstreamed_targets::kept_for - std::chrono::milliseconds(1)));
  EXPECT_FALSE(known.contains("openai/o3", t0 + unstreamed_targets::kept_for));
  EXPECT_EQ(known.size(), 0u);
}

TEST(UnstreamedTargets, BelongToOneKey) {
  unstreamed_targets known;
  known.note("openai/o3#9f3c", t0);
  EXPECT_FALSE(known.contains("openai/o3", t0));
}

TEST(UnstreamedTargets, NotedAgainAreKeptOnceAndNoLonger) {
  unstreamed_targets known;
  known.note("a/m", t0);
  known.note("a/m", t0 + std::chrono::minutes(9));
  EXPECT_EQ(known.size(), 1u);
  EXPECT_FALSE(known.contains("a/m", t0 + unstreamed_targets::kept_for));
}

TEST(UnstreamedTargets, AreBounded) {
  unstreamed_targets known;
  for (std::size_t at = 0; at <= unstreamed_targets::most; ++at) known.note("a/" + std::to_string(at), t0);
  EXPECT_EQ(known.size(), unstreamed_targets::most);
  EXPECT_FALSE(known.contains("a/0", t0));
  EXPECT_TRUE(known.contains("a/" + std::to_string(unstreamed_targets::most), t0));
}

}  // namespace
}  // namespace photofinish::gateway
