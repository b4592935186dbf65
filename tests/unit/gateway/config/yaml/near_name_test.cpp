#include "gateway/config/yaml/near_name.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using names = std::vector<std::string>;

TEST(NearName, DistanceCountsEditsAndSwapsOfNeighbours) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("groq", "groq"), 0u);
  EXPECT_EQ(edit_distance("grok", "groq"), 1u);
  EXPECT_EQ(edit_distance("gorq", "groq"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("GROQ", "groq"), 0u);
}

TEST(NearName, FindsTheNameThatWasMeant) {
  const names keys{"hedge_delay", "policy", "max_parallel", "race_timeout"};
  EXPECT_EQ(nearest("polcy", keys), "policy");
  EXPECT_EQ(nearest("hedge-delay", keys), "hedge_delay");
  EXPECT_EQ(nearest("Max_Paralel", keys), "max_parallel");
}

TEST(NearName, SaysNothingRatherThanAnythingFarAway) {
  EXPECT_FALSE(nearest("colour", {"policy", "routes"}));
  EXPECT_FALSE(nearest("", {"policy"}));
  EXPECT_FALSE(nearest("x", {"y"}));
  EXPECT_FALSE(nearest("policy", {}));
}

TEST(NearName, APartOfANameFindsTheWholeOne) {
  EXPECT_EQ(nearest("gpt-oss", {"llama-3.3-70b", "gpt-oss-120b"}), "gpt-oss-120b");
}

TEST(NearName, SeveralComeNearestFirstAndAtMostAsManyAsAsked) {
  const names models{"fast-cheap-and-good", "fast", "fist", "slow"};
  EXPECT_EQ(nearest_few("fast", models), (names{"fast", "fist", "fast-cheap-and-good"}));
  EXPECT_EQ(nearest_few("fast", models, 2), (names{"fast", "fist"}));
}

TEST(NearName, AHugeWordIsNearNothing) {
  const std::string huge(1'000'000, 'a');
  EXPECT_FALSE(nearest(huge, {huge, "aaaa"}));
}

}  // namespace
}  // namespace photofinish::gateway
