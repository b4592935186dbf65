#include "metrics/series_budget.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::metrics {
namespace {

TEST(SeriesBudget, AdmitsTheFirstNamesAndKeepsAdmittingThem) {
  series_budget budget({.targets = 2});
  EXPECT_TRUE(budget.admits_target("groq", "a"));
  EXPECT_TRUE(budget.admits_target("groq", "b"));
  EXPECT_FALSE(budget.admits_target("groq", "c"));
  EXPECT_TRUE(budget.admits_target("groq", "a"));
}

TEST(SeriesBudget, CountsEachKindOfNameByItself) {
  series_budget budget({.providers = 1, .targets = 1, .routes = 1, .clients = 1});
  EXPECT_TRUE(budget.admits_provider("x"));
  EXPECT_TRUE(budget.admits_target("x", "x"));
  EXPECT_TRUE(budget.admits_route("x"));
  EXPECT_TRUE(budget.admits_client("x"));
  EXPECT_FALSE(budget.admits_provider("y"));
  EXPECT_FALSE(budget.admits_route("y"));
  EXPECT_FALSE(budget.admits_client("y"));
}

TEST(SeriesBudget, SpendsNothingOnNamesThatCannotBeLabels) {
  series_budget budget({.targets = 1});
  EXPECT_FALSE(budget.admits_target("groq", "\xFF"));
  EXPECT_FALSE(budget.admits_target("groq", ""));
  EXPECT_FALSE(budget.admits_target("groq", std::string(257, 'x')));
  EXPECT_TRUE(budget.admits_target("groq", "x"));
}

struct text_case {
  const char* name;
  std::string text;
  bool is_value;
};
void PrintTo(const text_case& c, std::ostream* out) { *out << c.name; }

class IsLabelValue : public testing::TestWithParam<text_case> {};

TEST_P(IsLabelValue, WantsShortUtf8) { EXPECT_EQ(is_label_value(GetParam().text), GetParam().is_value); }

const text_case texts[] = {
    {"Ascii", "openai/gpt-oss-120b", true},
    {"QuoteNewlineBackslash", "a\"b\nc\\", true},
    {"TwoBytes", "\xC3\xA9", true},               // U+00E9
    {"ThreeBytes", "\xE2\x82\xAC", true},         // U+20AC
    {"FourBytes", "\xF0\x9F\x8F\x81", true},      // U+1F3C1
    {"LastCodePoint", "\xF4\x8F\xBF\xBF", true},  // U+10FFFF
    {"PastTheLast", "\xF4\x90\x80\x80", false},   // U+110000
    {"Surrogate", "\xED\xA0\x80", false},         // U+D800
    {"OverlongTwo", "\xC0\xAF", false},           // the bytes are an overlong encoding of a slash
    {"OverlongThree", "\xE0\x80\xAF", false},
    {"OverlongFour", "\xF0\x80\x80\xAF", false},
    {"CutShort", "abc\xE2\x82", false},
    {"LoneContinuation", "\x80", false},
    {"LeadAfterLead", "\xC3\xC3", false},
    {"FiveByteLead", "\xF8\x88\x80\x80\x80", false},
    {"Empty", "", false},
    {"JustFits", std::string(256, 'x'), true},
    {"TooLong", std::string(257, 'x'), false},
};

INSTANTIATE_TEST_SUITE_P(Texts, IsLabelValue, testing::ValuesIn(texts),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace photofinish::metrics
