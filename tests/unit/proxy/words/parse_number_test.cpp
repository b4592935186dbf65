#include "proxy/words/parse_number.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace photofinish::proxy {
namespace {

TEST(ParseNumber, ReadsTheWholeText) {
  EXPECT_EQ(parse_number<int>("17"), 17);
  EXPECT_EQ(parse_number<double>("-1.5e2"), -150);
  EXPECT_EQ(parse_number<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

TEST(ParseNumber, RefusesTextsThatAreNotOneNumberOfItsType) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "1.0", "-1", "65536"})
    EXPECT_FALSE(parse_number<std::uint16_t>(text)) << "'" << text << "'";
}

TEST(ParseLeadingNumber, ReadsTheBeginning) {
  EXPECT_EQ(parse_leading_number<int>("12}"), 12);
  EXPECT_EQ(parse_leading_number<double>("0.5s"), 0.5);
}

TEST(ParseLeadingNumber, RefusesTextsThatBeginWithNoNumberOrALargerOne) {
  for (const char* text : {"", "x1", " 1", "70000 "}) EXPECT_FALSE(parse_leading_number<std::uint16_t>(text)) << "'" << text << "'";
}

}  // namespace
}  // namespace photofinish::proxy
