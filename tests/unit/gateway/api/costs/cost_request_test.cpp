// Tests requests with `usage: {include: true}`, with which a client asks the gateway to report the cost of the request. The gateway removes
// this member from the provider's request.
#include "gateway/api/costs/cost_request.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using metrics::endpoint;

std::optional<cost_request> wish_in(const char* body, endpoint called = endpoint::chat_completions) {
  return read_cost_request(proxy::client_body(body), called);
}

TEST(CostWish, IsTakenOutOfTheRequest) {
  for (const endpoint called :
       {endpoint::chat_completions, endpoint::completions, endpoint::responses, endpoint::messages}) {
    const auto request = wish_in(R"({"model":"m","usage":{"include":true},"input":"x"})", called);
    ASSERT_TRUE(request);
    EXPECT_TRUE(request->is_wanted);
    EXPECT_EQ(request->body, R"({"model":"m","input":"x"})");
  }
}

TEST(CostWish, MayBeRefused) {
  const auto request = wish_in(R"({"model":"m","usage":{"include":false}})");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->is_wanted);
  EXPECT_EQ(request->body, R"({"model":"m"})");
}

TEST(CostWish, IsNotReadIntoAnythingElse) {
  EXPECT_FALSE(wish_in(R"({"model":"m"})"));
  EXPECT_FALSE(wish_in(R"({"model":"m","usage":true})"));
  EXPECT_FALSE(wish_in(R"({"model":"m","usage":{"include":"yes"}})"));
  EXPECT_FALSE(wish_in(R"({"model":"m","usage":{"include":true}})", endpoint::embeddings));
}

}  // namespace
}  // namespace photofinish::gateway
