#include "proxy/failures/sanitized_text.hpp"

#include "tests/support/control_characters.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

const auto name_of = [](const auto& info) { return info.param.name; };

using std::string_literals::operator""s;

struct clean_case {
  std::string name;
  std::string text;
  std::string cleaned;
};
void PrintTo(const clean_case& one, std::ostream* out) { *out << one.name; }

class CleanText : public ::testing::TestWithParam<clean_case> {};

TEST_P(CleanText, IsOneLineOfValidUtf8) { EXPECT_EQ(clean_text(GetParam().text, 64), GetParam().cleaned); }

INSTANTIATE_TEST_SUITE_P(
    Cases, CleanText,
    ::testing::Values(clean_case{"empty", "", ""}, clean_case{"plain", "model overloaded", "model overloaded"},
                    clean_case{"lines_become_spaces", "one\r\n\ttwo\n", "one two"},
                    clean_case{"leading_space", " \n x", "x"},
                    clean_case{"escape_sequence", "\x1b[31mred", "[31mred"}, clean_case{"nul", "a\0b"s, "ab"},
                    clean_case{"delete",
                               "a\x7f"
                               "b",
                               "ab"},
                    clean_case{"c1_control",
                               "a\xc2\x9b"
                               "31m",
                               "a31m"},
                    clean_case{"no_break_space_stays",
                               "a\xc2\xa0"
                               "b",
                               "a\xc2\xa0"
                               "b"},
                    clean_case{"umlaut", "\xc3\xa4", "\xc3\xa4"},
                    clean_case{"emoji", "\xf0\x9f\x8f\x81", "\xf0\x9f\x8f\x81"},
                    clean_case{"latin_1", "caf\xe9!", "caf\xef\xbf\xbd!"},
                    clean_case{"overlong_slash", "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
                    clean_case{"overlong_three", "\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                    clean_case{"surrogate", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                    clean_case{"beyond_unicode", "\xf4\x90\x80\x80",
                               "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                    clean_case{"cut_sequence", "a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd"}),
    name_of);

TEST(CleanText, IsBoundedAndSaysSo) {
  const std::string cut = clean_text(std::string(5000, 'x'), 100);
  EXPECT_EQ(cut, std::string(97, 'x') + "…");
}

TEST(CleanText, IsNeverCutInsideACharacter) {
  std::string text;
  for (int count = 0; count < 40; ++count) text += "€";
  for (std::size_t limit = 8; limit < 24; ++limit) {
    const std::string cut = clean_text(text, limit);
    EXPECT_LE(cut.size(), limit);
    EXPECT_EQ(cut.size() % 3, 0u) << limit;  // the characters € and … have three bytes each
    EXPECT_TRUE(cut.ends_with("…"));
  }
}

TEST(ForeignText, IsShownWithoutAnyCharacterThatATerminalObeys) {
  for (const std::string_view each : photofinish::testing::control_characters) {
    const std::string text = "a" + std::string(each) + "b";
    EXPECT_EQ(control_length(text, 1), each.size()) << text;
    EXPECT_EQ(shown_text(text), "a?b") << text;
    EXPECT_EQ(clean_text(text, 64).find(each), std::string::npos) << text;
  }
  EXPECT_EQ(shown_text("caf\u00e9 \u4e2d \u200b\u2010\u202f\u2065\u206a"), "caf\u00e9 \u4e2d \u200b\u2010\u202f\u2065\u206a")
      << "their neighbours are no controls";
  EXPECT_EQ(shown_text("a\n\xff\xc2"), "a???");
}

TEST(ForeignText, KeepsItsLinesWhereItHasSome) {
  EXPECT_EQ(shown_lines("a\tb\r\nc\rd\n\x1b[31m"), "a\tb\r\nc?d\n?[31m");
}

TEST(ForeignText, AControlCharacterIsEscapedInJson) {
  EXPECT_EQ(escape_controls("{\"a\":\"\x7f\u009b\u061c\u202e\u00e9\"}\n"), "{\"a\":\"\\u007f\\u009b\\u061c\\u202e\u00e9\"}\n");
  EXPECT_EQ(escape_controls("[1]"), "[1]");
}

TEST(ForeignText, OnlyBrokenBytesAreReplaced) {
  EXPECT_EQ(valid_utf8("a\n \xc3\xbc \xe8\xaa\x9e"), "a\n \xc3\xbc \xe8\xaa\x9e");
  EXPECT_EQ(valid_utf8("\xff\xe8\xaa"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace photofinish::proxy
