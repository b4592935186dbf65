#include "gateway/http/request_id.hpp"

#include "gateway/process/random_bits.hpp"

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

TEST(RequestId, OfARaceHasAllBitsThatItIsGiven) {
  EXPECT_EQ(new_race_id({0, 0}), "race_" + std::string(24, '0'));
  constexpr std::uint64_t all = (std::uint64_t{1} << 60) - 1;
  EXPECT_EQ(new_race_id({all, 0}), "race_" + std::string(12, 'v') + std::string(12, '0'));
  EXPECT_EQ(new_race_id({0, all}), "race_" + std::string(12, '0') + std::string(12, 'v'));
}

TEST(RandomBits, AreOthersEachTimeInEachSource) {
  random_bits one, other;
  std::set<std::uint64_t> seen;
  for (int count = 0; count < 500; ++count) {
    EXPECT_TRUE(seen.insert(one.next()).second);
    EXPECT_TRUE(seen.insert(other.next()).second);
  }
}

}  // namespace
}  // namespace photofinish::gateway
