#include "proxy/json/json_text.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

TEST(JsonWalk, GivesTheMembersOfAnObject) {
  const std::string_view text = R"( { "a" : 1 ,"b":{"c":[1,{"d":"}"}]} , "e\"":"x,\"y" } )";
  json_walk walk(text);
  std::vector<std::string> seen;
  while (const auto member = walk.next_member())
    seen.push_back(std::string(member->raw_key) + "=" + std::string(member->value));
  EXPECT_EQ(seen, (std::vector<std::string>{"a=1", R"(b={"c":[1,{"d":"}"}]})", R"(e\"="x,\"y")"}));
}

TEST(JsonWalk, AMembersSpanReachesFromItsKeyToItsValue) {
  const std::string_view text = R"({"a": 1, "b" : [2] })";
  json_walk walk(text);
  EXPECT_EQ(walk.next_member()->whole, R"("a": 1)");
  EXPECT_EQ(walk.next_member()->whole, R"("b" : [2])");
  EXPECT_FALSE(walk.next_member());
}

TEST(JsonWalk, GivesTheElementsOfAnArray) {
  json_walk walk(R"([1, "a,]" ,[2,3],{} , null])");
  std::vector<std::string_view> seen;
  while (const auto element = walk.next_element()) seen.push_back(*element);
  EXPECT_EQ(seen, (std::vector<std::string_view>{"1", R"("a,]")", "[2,3]", "{}", "null"}));
}

TEST(JsonWalk, FindsNothingInWhatIsEmptyOrNoContainer) {
  for (const std::string_view text : {"{}", " { } ", "[]", "1", "\"a\"", "", "null"}) {
    EXPECT_FALSE(json_walk(text).next_member()) << text;
    EXPECT_FALSE(json_walk(text).next_element()) << text;
  }
}

TEST(JsonWalk, EndsOnEveryCutOfItsText) {
  const std::string whole = R"({"a":[1,{"b":"\u00e9\\"}],"c":"d","e":tr)";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);  // a separate copy, so that a sanitizer detects reads beyond its end
    json_walk walk(cut);
    std::size_t members = 0;
    while (walk.next_member()) ASSERT_LE(++members, 3u);
  }
}

TEST(JsonFind, ComparesKeysUnescaped) {
  EXPECT_EQ(json_find(R"({"\u006dodel":"x"})", "model"), R"("x")");
  EXPECT_EQ(json_find(R"({"a":1,"a":2})", "a"), "1");
  EXPECT_FALSE(json_find(R"({"a":{"b":1}})", "b"));
  EXPECT_FALSE(json_find("[1]", "a"));
}

TEST(JsonText, TellsKindsApart) {
  EXPECT_TRUE(json_is_string(R"( "a" )"));
  EXPECT_FALSE(json_is_string("1"));
  EXPECT_TRUE(json_is_object(" {}"));
  EXPECT_TRUE(json_is_array("[] "));
  EXPECT_TRUE(json_is_null(" null "));
  EXPECT_FALSE(json_is_null("\"null\""));
}

struct escape_case {
  const char* name;
  std::string_view raw;
  std::string_view decoded;
};

class JsonUnescape : public testing::TestWithParam<escape_case> {};

TEST_P(JsonUnescape, Decodes) { EXPECT_EQ(json_unescape(GetParam().raw), GetParam().decoded); }

INSTANTIATE_TEST_SUITE_P(Cases, JsonUnescape,
                         testing::Values(escape_case{"Plain", "abc", "abc"},
                                         escape_case{"Short", R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t"},
                                         escape_case{"TwoBytes", R"(\u00e9)", "\xC3\xA9"},
                                         escape_case{"ThreeBytes", R"(\u20AC)", "\xE2\x82\xAC"},
                                         escape_case{"Pair", R"(\ud83c\udfc1)", "\xF0\x9F\x8F\x81"},
                                         escape_case{"LoneHigh", R"(\ud83cx)", "\xEF\xBF\xBDx"},
                                         escape_case{"LoneLow", R"(\udfc1)", "\xEF\xBF\xBD"},
                                         escape_case{"HighThenOther", R"(\ud83c\u0041)", "\xEF\xBF\xBD" "A"}),
                         [](const auto& tested) { return tested.param.name; });

TEST(JsonQuote, EscapesWhatMustBeAndNothingElse) {
  EXPECT_EQ(json_quote("a\"b\\c\n\x01\xC3\xA9/"), "\"a\\\"b\\\\c\\n\\u0001\xC3\xA9/\"");
}

TEST(JsonQuote, FindsWhatMustBeEscapedAtEachPlace) {
  const std::map<char, std::string> escapes{
      {'"', R"(\")"}, {'\\', R"(\\)"}, {'\n', R"(\n)"}, {'\0', R"(\u0000)"}, {'\x1F', R"(\u001f)"}};
  for (std::size_t size = 1; size < 20; ++size) {
    const std::string plain = std::string(size / 2, '\xE9') + std::string(size - size / 2, ' ');
    EXPECT_EQ(json_quote(plain), '"' + plain + '"');
    for (std::size_t place = 0; place < size; ++place)
      for (const auto& [character, escape] : escapes)
        EXPECT_EQ(json_quote(plain.substr(0, place) + character + plain.substr(place + 1)),
                  '"' + plain.substr(0, place) + escape + plain.substr(place + 1) + '"');
  }
}

TEST(JsonQuote, IsUndoneByUnescape) {
  std::string every_byte;
  for (char byte = 0; byte < 127; ++byte) every_byte.push_back(byte);
  const std::string quoted = json_quote(every_byte);
  EXPECT_EQ(json_unescape(json_raw_string(quoted)), every_byte);
}

TEST(JsonText, CountsItsValuesAndKeysUpToABound) {
  // 7 values and 3 keys; commas inside strings do not separate values.
  const std::string json = R"({"a":[1,2,{"b":"x,y:[{"}],"c" : null})";
  EXPECT_TRUE(has_more_values(json, 9));
  EXPECT_FALSE(has_more_values(json, 10));
  EXPECT_FALSE(has_more_values("[1", 5));
  EXPECT_FALSE(has_more_values("\"" + std::string(100, ','), 5));  // a string without an end
}

TEST(JsonText, GivesEachKeyOnce) {
  using keys = std::vector<std::string_view>;
  EXPECT_EQ(json_keys(R"({"b":{"a" :"c"},"list":[{"b":1},"d",{}]})", 9), (keys{"a", "b", "list"}));
  EXPECT_EQ(json_keys("[]", 9), keys{});
  EXPECT_EQ(json_keys(R"({"a":1,"b":2,"c":3})", 2), std::nullopt);
  EXPECT_EQ(json_keys(R"({"\u0061":1})", 9), std::nullopt);
}

}  // namespace
}  // namespace photofinish::proxy
