// A request that asks for its cost, and what providers get of it.
#include "gateway/api/cost_wish.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using metrics::endpoint;

std::optional<cost_wish> wish_in(const char* body, endpoint called = endpoint::chat_completions) {
  return read_cost_wish(proxy::client_body(body), called);
}

TEST(CostWish, IsTakenOutOfTheRequest) {
  for (const endpoint called :
       {endpoint::chat_completions, endpoint::completions, endpoint::responses, endpoint::messages}) {
    const auto wish = wish_in(R"({"model":"m","usage":{"include":true},"input":"x"})", called);
    ASSERT_TRUE(wish);
    EXPECT_TRUE(wish->is_wanted);
    EXPECT_EQ(wish->body, R"({"model":"m","input":"x"})");
  }
}

TEST(CostWish, MayBeRefused) {
  const auto wish = wish_in(R"({"model":"m","usage":{"include":false}})");
  ASSERT_TRUE(wish);
  EXPECT_FALSE(wish->is_wanted);
  EXPECT_EQ(wish->body, R"({"model":"m"})");
}

TEST(CostWish, IsNotReadIntoAnythingElse) {
  EXPECT_FALSE(wish_in(R"({"model":"m"})"));
  EXPECT_FALSE(wish_in(R"({"model":"m","usage":true})"));
  EXPECT_FALSE(wish_in(R"({"model":"m","usage":{"include":"yes"}})"));
  EXPECT_FALSE(wish_in(R"({"model":"m","usage":{"include":true}})", endpoint::embeddings));
}

}  // namespace
}  // namespace photofinish::gateway
