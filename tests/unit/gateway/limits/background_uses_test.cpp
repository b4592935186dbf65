#include "gateway/limits/background_uses.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

TEST(BackgroundUses, AreTakenOnceByTheirTargetAndId) {
  background_uses uses;
  uses.put("a/m", "resp_1", {"fast", "web", 10, 20, 0.5});
  EXPECT_FALSE(uses.take("b/m", "resp_1"));
  EXPECT_FALSE(uses.take("a/m", "resp_2"));
  const auto taken = uses.take("a/m", "resp_1");
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->route, "fast");
  EXPECT_EQ(taken->output_tokens, 20u);
  EXPECT_FALSE(uses.take("a/m", "resp_1"));
}

TEST(BackgroundUses, TheOldestMakesRoom) {
  background_uses uses(2);
  for (const char* id : {"1", "2", "3"}) uses.put("a/m", id, {"fast", "", 1, 1, 0});
  EXPECT_FALSE(uses.take("a/m", "1"));
  EXPECT_TRUE(uses.take("a/m", "2"));
  EXPECT_TRUE(uses.take("a/m", "3"));
}

TEST(BackgroundUses, AnIdThatComesTwiceStaysTheFirst) {
  background_uses uses(2);
  uses.put("a/m", "1", {"fast", "", 1, 1, 0});
  uses.put("a/m", "1", {"fast", "", 2, 2, 0});
  EXPECT_EQ(uses.take("a/m", "1")->input_tokens, 1u);
  EXPECT_FALSE(uses.take("a/m", "1"));
}

}  // namespace
}  // namespace photofinish::gateway
