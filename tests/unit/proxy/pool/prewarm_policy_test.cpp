// Tests the policy that opens connections in advance. It must detect when these connections starve a server, without false alarms.
#include "proxy/pool/prewarm_policy.hpp"

#include <gtest/gtest.h>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using enum connection_life;

constexpr instant t0{1h};
constexpr auto near = std::chrono::microseconds(200);  // the time needed to open a connection on this machine
constexpr auto far = 60ms;                             // the time needed to open a connection with a TLS handshake

// Simulates a server that answers the first twelve of twenty requests immediately. It answers the other eight only after it has closed its
// spare connections. A real server behaved like this when it got a burst of twenty requests.
instant starve(prewarm_policy& policy, connection_life life, prewarm_policy::duration dial, prewarm_policy::duration late,
               instant now = t0) {
  for (int each = 0; each < 12; ++each) policy.answered(life, 80ms, dial, now);
  for (int each = 0; each < 8; ++each) policy.answered(life, late, dial, now + late);
  return now + late;
}

TEST(SpareWorth, NewConnectionsThatAnswerLateEndSpares) {
  prewarm_policy policy;
  const instant now = starve(policy, first_request, near, 4400ms);
  EXPECT_TRUE(policy.is_harmful(now));
}

TEST(SpareWorth, SparesAreTriedAgainAfterHalfAnHour) {
  prewarm_policy policy;
  const instant now = starve(policy, first_request, near, 4400ms);
  EXPECT_TRUE(policy.is_harmful(now + 29min));
  EXPECT_FALSE(policy.is_harmful(now + 31min));
}

TEST(SpareWorth, LosersThatNeverHeardAByteCountAsLate) {
  prewarm_policy policy;
  policy.answered(first_request, 80ms, near, t0);
  for (int each = 0; each < 3; ++each) policy.gave_up(first_request, 2s, near, t0 + 2s);
  EXPECT_TRUE(policy.is_harmful(t0 + 2s));
}

TEST(SpareWorth, LosersThatWereGivenUpEarlySayNothing) {
  prewarm_policy policy;
  policy.answered(first_request, 80ms, near, t0);
  for (int each = 0; each < 100; ++each) policy.gave_up(first_request, 900ms, near, t0 + 1s);
  EXPECT_FALSE(policy.is_harmful(t0 + 1s));
}

TEST(SpareWorth, TwoLateAnswersAreChance) {
  prewarm_policy policy;
  for (int each = 0; each < 2; ++each) {
    policy.answered(first_request, 80ms, near, t0);
    policy.answered(first_request, 4s, near, t0);
  }
  EXPECT_FALSE(policy.is_harmful(t0));
}

TEST(SpareWorth, ATailOfATenthIsChance) {
  prewarm_policy policy;
  for (int each = 0; each < 1000; ++each) policy.answered(first_request, each % 10 == 9 ? 4s : 80ms, near, t0 + each * 10ms);
  EXPECT_FALSE(policy.is_harmful(t0 + 10s));
}

// If requests queue at the server, they all wait, whatever kind of connection they use.
TEST(SpareWorth, AnOverloadedServerIsLateOnServedConnectionsToo) {
  prewarm_policy policy;
  starve(policy, served_before, near, 4400ms);
  const instant now = starve(policy, first_request, near, 4400ms);
  EXPECT_FALSE(policy.is_harmful(now));
}

TEST(SpareWorth, WhereADialIsCostlyAnswersMustBeVeryLate) {
  prewarm_policy policy;
  EXPECT_FALSE(policy.is_harmful(starve(policy, first_request, far, 2900ms)));
  EXPECT_TRUE(policy.is_harmful(starve(policy, first_request, far, 3200ms, t0 + 5min)));
}

// An answer does not count as late if the model always needs 3 s.
TEST(SpareWorth, LatenessIsMeasuredFromTheQuickestOfTheLastMinutes) {
  prewarm_policy policy;
  for (int each = 0; each < 20; ++each) policy.answered(first_request, 3s, near, t0);
  EXPECT_FALSE(policy.is_harmful(t0));
  policy.answered(first_request, 80ms, near, t0);
  for (int each = 0; each < 20; ++each) policy.answered(first_request, 3s, near, t0 + 3min);  // from now on, the server uses a larger model
  EXPECT_FALSE(policy.is_harmful(t0 + 3min));
}

}  // namespace
}  // namespace photofinish::proxy
