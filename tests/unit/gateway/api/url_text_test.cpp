// Tests decoding of percent-encoded paths and queries.
#include "gateway/api/url_text.hpp"
#include "proxy/words/ascii.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

TEST(UrlText, WhatIsNotAnEscapeStays) {
  EXPECT_EQ(proxy::percent_decoded("a%2Fb%2f%20"), "a/b/ ");
  EXPECT_EQ(proxy::percent_decoded("%"), "%");
  EXPECT_EQ(proxy::percent_decoded("%4"), "%4");
  EXPECT_EQ(proxy::percent_decoded("%zz+%41"), "%zz+A");
}

TEST(UrlText, AQuerysFirstParameterOfTheNameCounts) {
  constexpr const char* query = "limit=20&after_id=groq%2Fa+b&limit=5&empty=&bare";
  EXPECT_EQ(query_value(query, "limit"), "20");
  EXPECT_EQ(query_value(query, "after_id"), "groq/a b");
  EXPECT_EQ(query_value(query, "empty"), "");
  EXPECT_EQ(query_value(query, "bare"), "");
  EXPECT_EQ(query_value(query, "imit"), std::nullopt);
  EXPECT_EQ(query_value("", "limit"), std::nullopt);
  EXPECT_EQ(query_value("&&=x&limit=1", "limit"), "1");
}

}  // namespace
}  // namespace photofinish::gateway
