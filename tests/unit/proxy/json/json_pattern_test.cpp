#include "proxy/json/json_pattern.hpp"

#include "proxy/json/json_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::string_view learnt = R"({"id":"i","choices":[{"text":"old","n":1}],"pad":"x"})";

// Returns a pattern that has learned the text `learnt`. In texts that match this pattern, only the values of "text" and "pad" may differ.
json_pattern pattern_of_two() {
  const std::size_t text = learnt.find("\"old\""), pad = learnt.find("\"x\"");
  const std::array strings{learnt.substr(text, 5), learnt.substr(pad, 3)};
  json_pattern pattern;
  pattern.learn(learnt, strings);
  return pattern;
}

struct match_case {
  const char* name;
  std::string_view text;
  std::vector<std::string_view> strings;  // values of the strings that may change; empty if the text does not match the pattern
};

class JsonPattern : public testing::TestWithParam<match_case> {};

TEST_P(JsonPattern, TakesOtherStringsInItsPlacesAndNothingElse) {
  const json_pattern pattern = pattern_of_two();
  json_pattern::found_values found;
  const bool is_expected = !GetParam().strings.empty();
  ASSERT_EQ(pattern.matches(GetParam().text, found), is_expected);
  if (!is_expected) return;
  ASSERT_EQ(pattern.values(), GetParam().strings.size());
  for (std::size_t at = 0; at < pattern.values(); ++at) {
    EXPECT_EQ(found[at], GetParam().strings[at]);
    EXPECT_GE(found[at].data(), GetParam().text.data());  // the found strings are views into the searched text
    EXPECT_LT(found[at].data(), GetParam().text.data() + GetParam().text.size());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, JsonPattern,
    testing::Values(
        match_case{"Itself", learnt, {"\"old\"", "\"x\""}},
        match_case{"OtherStrings", R"({"id":"i","choices":[{"text":"new one","n":1}],"pad":""})", {"\"new one\"", "\"\""}},
        match_case{"EscapedQuote", R"({"id":"i","choices":[{"text":"a\"b","n":1}],"pad":"\\"})", {R"("a\"b")", R"("\\")"}},
        match_case{"ItsOwnEndAsText", R"({"id":"i","choices":[{"text":"\",\"n\":1}],","n":1}],"pad":"p"})",
                   {R"("\",\"n\":1}],")", "\"p\""}},
        match_case{"NoString", R"({"id":"i","choices":[{"text":null,"n":1}],"pad":"x"})", {}},
        match_case{"AnotherNumber", R"({"id":"i","choices":[{"text":"old","n":2}],"pad":"x"})", {}},
        match_case{"AnotherId", R"({"id":"j","choices":[{"text":"old","n":1}],"pad":"x"})", {}},
        match_case{"OneMemberMore", R"({"id":"i","choices":[{"text":"old","more":1,"n":1}],"pad":"x"})", {}},
        match_case{"OneMemberLess", R"({"id":"i","choices":[{"text":"old","n":1}]})", {}},
        match_case{"MoreBehindIt", R"({"id":"i","choices":[{"text":"old","n":1}],"pad":"x"} )", {}},
        match_case{"StringWithoutEnd", R"({"id":"i","choices":[{"text":"old,n:1}],pad:x})", {}},
        match_case{"EndIsEscaped", R"({"id":"i","choices":[{"text":"old\","n":1}],"pad":"x"})", {}},
        match_case{"CutInAString", R"({"id":"i","choices":[{"text":"ol)", {}},
        match_case{"CutBeforeAString", R"({"id":"i","choices":[{"text":)", {}},
        match_case{"Nothing", "", {}}),
    [](const auto& tested) { return tested.param.name; });

bool matches(const json_pattern& pattern, std::string_view text) {
  json_pattern::found_values found;
  return pattern.matches(text, found);
}

TEST(JsonPattern, MatchesNothingBeforeItHasLearntAndAfterItForgot) {
  json_pattern pattern;
  EXPECT_FALSE(matches(pattern, ""));
  EXPECT_FALSE(matches(pattern, "{}"));
  pattern = pattern_of_two();
  EXPECT_TRUE(matches(pattern, learnt));
  pattern.forget();
  EXPECT_FALSE(matches(pattern, learnt));
}

TEST(JsonPattern, LearnsNeitherTooMuchTextNorTooManyValues) {
  json_pattern pattern = pattern_of_two();
  const std::string large = "{\"a\":\"" + std::string(json_pattern::max_bytes, 'x') + "\"}";
  pattern.learn(large, {});
  EXPECT_FALSE(matches(pattern, large));
  EXPECT_FALSE(matches(pattern, learnt));

  const std::string_view many = R"(["a","b","c","d","e","f","g","h","i"])";
  std::vector<std::string_view> strings;
  for (std::size_t at = 1; at < many.size(); at += 4) strings.push_back(many.substr(at, 3));
  pattern.learn(many, strings);
  EXPECT_FALSE(matches(pattern, many));
  strings.pop_back();
  pattern.learn(many, strings);
  EXPECT_TRUE(matches(pattern, many));
}

// Returns a pattern that has learned the text `{"n":N}`. In texts that match this pattern, only N may differ.
json_pattern pattern_of_number(std::string_view object) {
  const std::string_view number = object.substr(5, object.size() - 6);
  json_pattern pattern;
  pattern.learn(object, {&number, 1});
  return pattern;
}

TEST(JsonPattern, TakesOtherPlainNumbersInItsPlaces) {
  const json_pattern pattern = pattern_of_number(R"({"n":1700000000})");
  json_pattern::found_values found;
  for (const std::string_view number : {"0", "7", "1800000001", "999999999999999999"}) {
    ASSERT_TRUE(pattern.matches("{\"n\":" + std::string(number) + "}", found)) << number;
    EXPECT_TRUE(json_pattern::is_plain_number(number));
  }
  for (const std::string_view other : {"", "-1", "01", "1.0", "1e3", "1E3", "1000000000000000000", "null", "\"1\"", "1 "}) {
    EXPECT_FALSE(matches(pattern, "{\"n\":" + std::string(other) + "}")) << other;
    EXPECT_FALSE(json_pattern::is_plain_number(other)) << other;
  }
}

// Compares the pattern with a JSON parser, for texts with a few changed bytes. A text may match the pattern only if nothing has changed
// except the values of the strings that the pattern permits to change.
TEST(JsonPattern, AgreesWithAParserAboutWhatHasChanged) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string_view bytes = "\"\\{}[]:,1ax ";
  std::size_t matched = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(learnt);
    for (int change = static_cast<int>(random() % 3) + 1; change > 0; --change) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) text.insert(at, 1, bytes[random() % bytes.size()]);
      else text[at] = bytes[random() % bytes.size()];
    }
    json_pattern pattern = pattern_of_two();
    json_pattern::found_values found;
    if (!pattern.matches(text, found)) continue;
    ++matched;
    const auto parsed = nlohmann::json::parse(text, nullptr, false);
    const auto first = nlohmann::json::parse(found[0], nullptr, false);
    const auto second = nlohmann::json::parse(found[1], nullptr, false);
    ASSERT_EQ(parsed.is_discarded(), first.is_discarded() || second.is_discarded()) << text;
    if (parsed.is_discarded()) continue;
    auto expected = nlohmann::json::parse(learnt);
    expected["choices"][0]["text"] = first;
    expected["pad"] = second;
    ASSERT_EQ(parsed, expected) << text;
  }
  EXPECT_GT(matched, 100u);
}

}  // namespace
}  // namespace photofinish::proxy
