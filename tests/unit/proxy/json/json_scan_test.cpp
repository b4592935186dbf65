#include "proxy/json/json_scan.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

// Scans prefixes of the text that end at the positions in `ends`, and then the whole text.
bool is_object_in_pieces(const std::string& text, const std::vector<std::size_t>& ends) {
  json_scan scan;
  for (const std::size_t end : ends)
    if (!scan.see(std::string_view(text).substr(0, end))) return false;
  return scan.see(text) && scan.is_complete();
}

bool is_object(const std::string& text) { return is_object_in_pieces(text, {}); }

TEST(JsonScan, TakesEveryKindOfValue) {
  for (const char* text : {"{}", " \r\n\t{ } \n", R"({"a":"b"})", R"({"a":[]})", R"({"a":[1,-0,0.5,1e9,-1.5E-7,10E+2]})",
                           R"({"a":true,"b":false,"c":null})", R"({"a":{"b":[{}, [[]]]}})", R"({"":""})",
                           R"({"a":"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"})", "{\"\xC3\xA9\":\"\xF0\x9F\x98\x80\"}"})
    EXPECT_TRUE(is_object(text)) << text;
}

TEST(JsonScan, RefusesWhatIsNoObject) {
  for (const char* text :
       {"", "[]", "1", "null", "<html>", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\" 1}", "{a:1}", "{\"a\":1}}",
        "{\"a\":1} x", "{\"a\":[1,]}", "{\"a\":[,1]}", "{\"a\":[1 2]}", "{\"a\":[1}", "{\"a\":{]}", "{\"a\":01}",
        "{\"a\":+1}", "{\"a\":.5}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":-}", "{\"a\":1-2}", "{\"a\":1.5.5}", "{\"a\":NaN}",
        "{\"a\":tru}", "{\"a\":truee}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"\n\"}", "{\"a\":\"",
        "{\"a\":'b'}", "{\"a\":\"\xC3\"}", "{\"a\":\"\xFF\"}", "{\"a\":\"\xED\xA0\x80\"}", "{\"a\" :1 \"b\":2}"})
    EXPECT_FALSE(is_object(text)) << text;
}

TEST(JsonScan, ItDoesNotMatterHowItIsCut) {
  const std::string good = R"({"a\u00e9":[1.5e-3,{"b":"\uD83D\uDE00é"},true,null],"c":-0.25,"d":"x\\"} )";
  const std::string bad = R"({"a":[1,2,{"b":"\q"}]})";
  for (std::size_t first = 0; first <= good.size(); ++first)
    for (std::size_t second = first; second <= good.size(); second += 3)
      EXPECT_TRUE(is_object_in_pieces(good, {first, second})) << first << " " << second;
  for (std::size_t cut = 0; cut <= bad.size(); ++cut) EXPECT_FALSE(is_object_in_pieces(bad, {cut})) << cut;
}

TEST(JsonScan, SaysAtOnceThatNothingCanComeOfIt) {
  json_scan scan;
  EXPECT_FALSE(scan.see("  <!doctype html>"));
  EXPECT_FALSE(scan.see("  <!doctype html>{}"));
}

TEST(JsonScan, KnowsItsFirstMembersByTheirPlaces) {
  const std::string text = R"( {"data" : [1,{"data":2}] , "m\u006fdel":"m", "usage":{"a":1},"n":-1.5 ,"t":true} )";
  json_scan scan;
  for (std::size_t end = 0; end <= text.size(); ++end) ASSERT_TRUE(scan.see(std::string_view(text).substr(0, end)));
  std::vector<std::string> seen;
  for (const json_member& each : scan.members(text))
    seen.push_back(std::string(each.raw_key) + "=" + std::string(each.value) + "|" + std::string(each.whole));
  EXPECT_EQ(seen, (std::vector<std::string>{R"(data=[1,{"data":2}]|"data" : [1,{"data":2}])",
                                            R"(m\u006fdel="m"|"m\u006fdel":"m")", R"(usage={"a":1}|"usage":{"a":1})",
                                            R"(n=-1.5|"n":-1.5)", R"(t=true|"t":true)"}));
}

TEST(JsonScan, KeepsThePlacesOfSoManyMembers) {
  std::string text = R"({"a":0)";
  for (int count = 0; count < 1000; ++count) text += R"(,"a":0)";
  text += "}";
  json_scan scan;
  ASSERT_TRUE(scan.see(text));
  EXPECT_TRUE(scan.is_complete());
  EXPECT_EQ(scan.members(text).size(), json_scan::kept_members);
}

TEST(JsonScan, GivesUpWhereItIsTooDeep) {
  const auto nested = [](std::size_t depth) {
    return R"({"a":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_TRUE(is_object(nested(json_scan::max_depth)));
  EXPECT_FALSE(is_object(nested(json_scan::max_depth + 1)));
}

// Compares the scanner with simdjson for the same text, which is valid or has one changed byte.
TEST(JsonScan, AgreesWithSimdjson) {
  const std::uint64_t seed = 20261;
  std::mt19937_64 random(seed);
  const std::string base = R"({"a":[1.5,-2e7,{"b":"c\n\u00e9é"}],"d":{"e":null,"f":[true,false]},"g":""})";
  constexpr std::string_view bytes = "{}[]:,\"\\0123456789.eE+-truefalsn \xC3\xA9\x01";
  simdjson::dom::parser parser;
  int valid = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = base;
    text[random() % text.size()] = bytes[random() % bytes.size()];
    if (round % 3 == 0) text.erase(random() % text.size(), 1);
    simdjson::dom::object object;
    const bool expected = parser.parse(text).get(object) == simdjson::SUCCESS;
    valid += expected ? 1 : 0;
    ASSERT_EQ(is_object_in_pieces(text, {random() % text.size()}), expected) << "seed " << seed << ": " << text;
  }
  EXPECT_GT(valid, 1000);
}

}  // namespace
}  // namespace photofinish::proxy
