// Tests how many races are sampled for the live page.
#include "gateway/attempts/race_sampler.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using std::chrono::milliseconds;

// Simulates a thousand races per second for this number of seconds. Returns the number of sampled races.
int taken(race_sampler& sampler, int seconds, racing::instant from = racing::instant{} + std::chrono::hours(1)) {
  int count = 0;
  for (int at = 0; at < 1000 * seconds; ++at) count += sampler.takes(from + milliseconds(at), false) ? 1 : 0;
  return count;
}

TEST(RaceSampler, WithoutAPageItTakesNone) {
  race_sampler sampler;
  EXPECT_EQ(taken(sampler, 2), 0);
  EXPECT_FALSE(sampler.takes(racing::instant{}, true));
}

TEST(RaceSampler, OfAFloodItTakesItsShareOfEachSecond) {
  race_sampler sampler;
  sampler.open(8);
  EXPECT_NEAR(taken(sampler, 10), 80 + 8, 2);
  sampler.open(0);
  EXPECT_EQ(taken(sampler, 1), 0);
}

TEST(RaceSampler, ThePagesOwnRacesHaveRoomInAFlood) {
  race_sampler sampler;
  sampler.open(1);
  const racing::instant now = racing::instant{} + std::chrono::hours(1);
  EXPECT_TRUE(sampler.takes(now, false));
  EXPECT_FALSE(sampler.takes(now, false));
  int own = 0;
  for (int count = 0; count < 100; ++count) own += sampler.takes(now, true) ? 1 : 0;
  EXPECT_EQ(own, 4);
}

}  // namespace
}  // namespace photofinish::gateway
