#include "gateway/http/request_id.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace photofinish::gateway {
namespace {

TEST(RequestId, OfAClientIsKeptWhereItIsHarmless) {
  EXPECT_TRUE(is_usable_request_id("a"));
  EXPECT_TRUE(is_usable_request_id("0f1e-4.b_C"));
  EXPECT_TRUE(is_usable_request_id(std::string(128, 'x')));
  for (const std::string& id : {std::string(), std::string("a b"), std::string("a\r\nb: c"), std::string("\xc3\xa9"),
                                std::string("a\0b", 3), std::string(129, 'x')})
    EXPECT_FALSE(is_usable_request_id(id)) << id;
}

TEST(RequestId, ThatIsNewIsUsableAndAnotherEachTime) {
  std::mt19937_64 random(7);
  std::set<std::string> seen;
  for (int count = 0; count < 1000; ++count) {
    const std::string id = new_request_id(random);
    EXPECT_EQ(id.size(), 28u);
    EXPECT_TRUE(id.starts_with("req_"));
    EXPECT_TRUE(is_usable_request_id(id));
    EXPECT_TRUE(seen.insert(id).second);
  }
}

}  // namespace
}  // namespace photofinish::gateway
