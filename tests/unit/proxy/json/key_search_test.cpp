#include "proxy/json/key_search.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

constexpr std::array<std::string_view, 3> words{"signature", "data", "thinking"};

TEST(HoldsQuoted, FindsAKeyAndAString) {
  EXPECT_TRUE(holds_quoted(R"({"a":{"signature":"x"}})", words));
  EXPECT_TRUE(holds_quoted(R"({"type":"thinking"})", words));
  EXPECT_TRUE(holds_quoted(R"("data")", words));
  EXPECT_TRUE(holds_quoted(R"(""data")", words)) << "behind an empty string";
  EXPECT_TRUE(holds_quoted(R"({"data" : 1})", "data"));
}

TEST(HoldsQuoted, FindsNoPartOfAWord) {
  EXPECT_FALSE(holds_quoted(R"({"signatures":1,"my data":2,"data set":3,"thinkin":4})", words));
  EXPECT_FALSE(holds_quoted("signature, data and thinking", words));
}

TEST(HoldsQuoted, LooksPastWhatIsJsonWithinAString) {
  EXPECT_FALSE(holds_quoted(R"({"arguments":"{\"signature\":1}"})", words));
}

TEST(HoldsQuoted, ReadsNoByteBehindTheText) {
  const std::string whole = R"({"data":1})";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string copy = whole.substr(0, size);  // a separate copy, so that a sanitizer detects reads beyond its end
    EXPECT_EQ(holds_quoted(copy, words), size >= 7) << copy;
  }
  EXPECT_FALSE(holds_quoted("", words));
  EXPECT_FALSE(holds_quoted("\"", words));
}

}  // namespace
}  // namespace photofinish::proxy
