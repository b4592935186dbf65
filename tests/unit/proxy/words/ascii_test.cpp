#include "proxy/words/ascii.hpp"

#include <gtest/gtest.h>

namespace photofinish::proxy {
namespace {

TEST(AsciiLower, ChangesLettersOfAsciiOnly) {
  EXPECT_EQ(ascii_lower("Content-Type@[`{\xC3\x84"), "content-type@[`{\xC3\x84");
}

TEST(HexDigit, ReadsDigitsInBothCases) {
  EXPECT_EQ(hex_digit('0'), 0);
  EXPECT_EQ(hex_digit('9'), 9);
  EXPECT_EQ(hex_digit('a'), 10);
  EXPECT_EQ(hex_digit('F'), 15);
  for (const char each : {'/', ':', '@', 'G', '`', 'g', '\0', '\xFF'}) EXPECT_EQ(hex_digit(each), -1) << int{each};
}

TEST(PercentDecoded, KeepsTextThatIsNotAnEscape) {
  EXPECT_EQ(percent_decoded("a%2Fb%2f%20"), "a/b/ ");
  EXPECT_EQ(percent_decoded("%%41%4%zz+"), "%A%4%zz+");
}

}  // namespace
}  // namespace photofinish::proxy
