#include "gateway/access/constant_time.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

TEST(EqualInConstantTime, AgreesWithEquality) {
  const std::vector<std::string> texts{"",
                                       "a",
                                       "b",
                                       "ab",
                                       "ba",
                                       "abc",
                                       "abd",
                                       "Abc",
                                       "abcd",
                                       "\xff\xfe",
                                       "\xff\xff",
                                       std::string("a\0b", 3),
                                       std::string("a\0c", 3),
                                       std::string(1, '\0'),
                                       std::string(2, '\0')};
  for (const std::string& one : texts)
    for (const std::string& other : texts)
      EXPECT_EQ(equal_in_constant_time(one, other), one == other) << one << other;
}

TEST(EqualInConstantTime, SeesEachSingleBitOfDifference) {
  const std::string key = "sk-0123456789abcdef";
  for (std::size_t at = 0; at < key.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = key;
      other[at] = static_cast<char>(other[at] ^ (1 << bit));
      EXPECT_FALSE(equal_in_constant_time(key, other)) << at << " " << bit;
    }
}

}  // namespace
}  // namespace photofinish::gateway
