// Who cools down, and for how long.
#include "racing/cooldowns.hpp"

#include <gtest/gtest.h>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;
using proxy::failure_kind;

constexpr instant now{1h};

TEST(Cooldowns, ARateLimitCoolsForItsRetryAfter) {
  cooldowns all;
  EXPECT_TRUE(all.note({"a/m", failure_kind::rate_limited, 2s}, now));
  EXPECT_TRUE(all.snapshot(now).is_cooling("a/m", now + 1999ms));
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now + 2s));
}

TEST(Cooldowns, NoneIsLongerThanTenMinutes) {
  cooldowns all;
  all.note({"a/m", failure_kind::quota, std::chrono::hours(9)}, now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now + 10min));
}

TEST(Cooldowns, OtherFailuresCoolOnlyWhenTheyRepeat) {
  cooldowns all;
  EXPECT_FALSE(all.note({"a/m", failure_kind::connect, {}}, now));
  EXPECT_FALSE(all.note({"a/m", failure_kind::connect, {}}, now));
  EXPECT_TRUE(all.note({"a/m", failure_kind::connect, {}}, now));
}

TEST(Cooldowns, ASuccessInBetweenBreaksTheSeries) {
  cooldowns all;
  all.note({"a/m", failure_kind::connect, {}}, now);
  all.note({"a/m", failure_kind::connect, {}}, now);
  all.note({"a/m", std::nullopt, {}}, now);
  EXPECT_FALSE(all.note({"a/m", failure_kind::connect, {}}, now));
}

TEST(Cooldowns, AClientsFaultCoolsNobody) {
  cooldowns all;
  for (int times = 0; times < 10; ++times) {
    EXPECT_FALSE(all.note({"a/m", failure_kind::bad_request, {}}, now));
    EXPECT_FALSE(all.note({"a/m", failure_kind::auth, {}}, now));
  }
}

TEST(Cooldowns, OneCallersLimitDoesNotCoolAnothersKey) {
  cooldowns all;
  all.note({"a/m#1111", failure_kind::rate_limited, 2s}, now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now));
}

TEST(Cooldowns, TenThousandRunnersAreTheBound) {
  cooldowns all;
  for (std::size_t index = 0; index < 20'000; ++index)
    all.note({"a/m#" + std::to_string(index), failure_kind::rate_limited, 60s}, now);
  EXPECT_EQ(all.snapshot(now).cools_until.size(), cooldowns::max_runners);
}

}  // namespace
}  // namespace photofinish::racing
