// Tests the counter of hard words and phrases on sample texts. Also compares the counts of the project with the table of permitted counts.
#include "tests/style/english/counts.hpp"
#include "tests/style/english/patterns.hpp"
#include "tests/style/english/prose.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::style {
namespace {

constexpr const char* counts_file = "tests/style/english/counts.txt";

std::vector<std::string> patterns_in(const std::string& text) {
  std::vector<std::string> names;
  for (const pattern_match& each : find_patterns({1, text})) names.emplace_back(each.pattern);
  return names;
}

std::string passages_of(const std::string& path, const std::string& content) {
  std::string text;
  for (const passage& each : prose_of(make_file(path, content)))
    text += std::to_string(each.line) + (each.has_sentences ? ": " : "# ") + each.text + "\n";
  return text;
}

struct sample {
  std::string name;
  std::string text;
  std::vector<std::string> patterns;
};

void PrintTo(const sample& each, std::ostream* out) { *out << each.name; }

const std::vector<sample>& samples() {
  static const std::vector<sample> all{
      {"AFirstWord", "Of the body, in bytes.", {"start"}},
      {"AFirstWordInLowerCase", "with the body", {"start"}},
      {"EachFirstWord", "Of a. That b. With c. Whose d. What e. Who f.", {"start", "start", "start", "start", "start", "start"}},
      {"AFirstWordInQuotes", "It waits. (\"That is all.\")", {"start"}},
      {"AFirstWordOfALaterSentence", "Reads the body. What is left is dropped.", {"start"}},
      {"AFirstWordAfterAnAbbreviation", "1.5 of them, e.g. of the body.", {}},
      {"AFirstWordInsideASentence", "The body of a client that ended with an error.", {}},
      {"AFirstWordThatIsPartOfAWord", "Offers a body. Without a body. Whoop. Thatched. What-if runs.", {}},
      {"ASentenceThatBeginsWithFor", "For each attempt, a timer.", {}},
      {"AQuestion", "What happens then? Who waits for it?", {}},
      {"AQuestionBeforeASentence", "Who waits? Who came first.", {"start"}},
      {"Behind", "Behind a proxy, or behind two.", {"behind", "behind"}},
      {"Beside", "Beside it; anew, likewise.", {"beside", "anew", "likewise"}},
      {"PartsOfWords", "besides, behindhand, renewed, anewt, and comes together", {}},
      {"PartsOfNames", "behind-a-proxy.md, docs/behind, behind_proxy, behind/x", {}},
      {"TwoWords", "All but for one goes on all the same and comes to it.", {"but for", "all the same", "comes to", "goes on"}},
      {"OneThat", "One that waits, ones that wait, none that waits, one thatched", {"one that", "ones that"}},
      {"IsNo", "'x' is no target, and y are no targets.", {"is no", "are no"}},
      {"IsNoBeforeCode", "It is no `target`.", {"is no"}},
      {"UsualNo", "It is no longer there. There is no body. It is no more than 3. The default is no.", {}},
      {"NotNo", "It is not there, is none, is now, this no", {}},
      {"ForIt", "It waits, for it is late, for they said so; for items, for it.", {"for it", "for it", "for they"}},
      {"ForItWithoutAComma", "waits for it and for they", {}},
      {"NoMore", "The pool has it no more.", {"has it no more"}},
      {"CodeInAText", "`behind` and ``one that``, `Of x`", {}},
      {"CodeAsTheFirstWord", "`limit` of a key", {}},
      {"ALink", "see [the page](behind.md \"one that\")", {}},
      {"APurityMark", "[pure but for yaml-cpp] Reads the file.", {}},
  };
  return all;
}

class EnglishPatterns : public testing::TestWithParam<sample> {};

TEST_P(EnglishPatterns, AreFoundAsWholeWords) { EXPECT_EQ(patterns_in(GetParam().text), GetParam().patterns); }

INSTANTIATE_TEST_SUITE_P(Samples, EnglishPatterns, testing::ValuesIn(samples()),
                         [](const testing::TestParamInfo<sample>& each) { return each.param.name; });

TEST(EnglishPatterns, HeadingsAndCellsMayBeginWithAnyWord) {
  EXPECT_TRUE(find_patterns({1, "What it means", false}).empty());
  EXPECT_EQ(find_patterns({1, "What is behind it", false}).size(), 1u);
}

TEST(EnglishProse, IsTheCommentsOfCpp) {
  const std::string content =
      "// Reads one\n"
      "// that waits.\n"
      "//\n"
      "// Another.\n"
      "int a = 1;  // in bytes\n"
      "            // of a body\n"
      "// Next.\n"
      "const char* b = \"// no comment\";\n"
      "/* Old\n"
      "   style. */\n";
  EXPECT_EQ(passages_of("proxy/a.cpp", content),
            "1: Reads one that waits.\n4: Another.\n5: in bytes of a body\n7: Next.\n9: Old style.\n");
}

TEST(EnglishProse, IsTheCommentsOfShellAndYaml) {
  EXPECT_EQ(passages_of("deploy/a.sh", "#!/bin/sh\necho \"# no\" '# no' $# ${#a}  # Yes\n# it's\n# here\n"), "1: !/bin/sh\n2: Yes\n3: it's here\n");
  EXPECT_EQ(passages_of("deploy/a.yaml", "a: it's 1  # one\nb: 'c # d'\n  # two\n"), "1: one\n3: two\n");
}

TEST(EnglishProse, IsCommentsAndDocstringsOfPython) {
  const std::string content =
      "\"\"\"A module.\n"
      "\n"
      "It has parts.\"\"\"\n"
      "# A comment\n"
      "text = f\"\"\"\n"
      "# no comment\n"
      "\"\"\"\n"
      "other = 'x # y'  # Other\n"
      "def go():\n"
      "  \"\"\"Goes.\"\"\"\n";
  EXPECT_EQ(passages_of("tests/a.py", content), "1: A module.\n3: It has parts. A comment\n8: Other\n10: Goes.\n");
}

TEST(EnglishProse, IsTheCommentsOfJavaScript) {
  EXPECT_EQ(passages_of("gateway/page/a.js", "/* One\n * two */\nlet a = 'http://b // c';  // three\n// four\n"), "1: One two\n3: three\n4: four\n");
}

TEST(EnglishProse, IsParagraphsItemsHeadingsAndCellsOfADocument) {
  const std::string content =
      "# A title\n"
      "A paragraph\n"
      "of two lines.\n"
      "\n"
      "    code of a block\n"
      "\n"
      "- an item\n"
      "  of a list\n"
      "\n"
      "    and its paragraph\n"
      "10. another\n"
      "```sh\n"
      "# no heading\n"
      "```\n"
      "| What | Where |\n"
      "<img src=\"x\">\n"
      "> a quote\n";
  EXPECT_EQ(passages_of("docs/a.md", content),
            "1# A title\n2: A paragraph of two lines.\n7: an item of a list\n10: and its paragraph\n11: another\n15# What\n15# Where\n17: a quote\n");
}

TEST(EnglishCounts, AreCountedByRoomAndPattern) {
  const source_tree tree = make_tree({{"proxy/a.cpp", "// Of it, behind it.\n"}, {"proxy/b.py", "# behind\n"}, {"docs/a.md", "One\nthat waits.\n"},
                                      {"README.md", "Anew."}, {"racing/a.cpp", "// Nothing to count.\n"}});
  const english_counts expected{{".", {{"anew", 1}}}, {"docs", {{"one that", 1}}}, {"proxy", {{"behind", 2}, {"start", 1}}}};
  EXPECT_EQ(count_english(tree), expected);
  EXPECT_EQ(from_table(to_table(expected)), expected);
  EXPECT_TRUE(to_table(expected).ends_with("\n.: anew 1\ndocs: one that 1\nproxy: behind 2, start 1\n"));
  EXPECT_EQ(describe(changed_counts(tree, expected)), "");
}

TEST(EnglishCounts, MayNotGrow) {
  const source_tree tree = make_tree({{"proxy/a.cpp", "// One.\nint a;\n// It goes on.\n"}, {"racing/b.cpp", "// Behind it.\n"}});
  const std::string found = describe(changed_counts(tree, from_table("proxy: start 1\nracing: behind 1\n")));
  EXPECT_NE(found.find("proxy/a.cpp:3: 'goes on': proxy has 1, the table allows 0: It goes on."), std::string::npos) << found;
  EXPECT_EQ(found.find("racing"), std::string::npos) << found;
}

TEST(EnglishCounts, AreLoweredWhenTheyFall) {
  const source_tree tree = make_tree({{"proxy/a.cpp", "// One is behind.\n"}});
  const std::string found = describe(changed_counts(tree, from_table("# proxy: start 9\nproxy: behind 2, is no 1\nracing: is no 1\n")));
  EXPECT_EQ(found,
            "tests/style/english/counts.txt:1: the new line is 'proxy: behind 1'\n"
            "tests/style/english/counts.txt:1: delete the line of racing\n");
}

// If the environment variable PHOTOFINISH_ENGLISH_COUNTS is "write", first writes the table of permitted counts.
TEST(EnglishCounts, AreThoseOfTheTable) {
  const char* mode = std::getenv("PHOTOFINISH_ENGLISH_COUNTS");
  if (mode != nullptr && std::string(mode) == "write")
    std::ofstream(tests::source_root() / counts_file) << to_table(count_english(project_tree()));
  const violations found = changed_counts(project_tree(), from_table(tests::source_file(counts_file)));
  EXPECT_TRUE(found.empty()) << describe(found) << "Reword the text (docs/style.md). If counts fell, write the table again:\n"
                             << "PHOTOFINISH_ENGLISH_COUNTS=write build/dev/tests/style --gtest_filter='EnglishCounts*'\n";
}

}  // namespace
}  // namespace photofinish::style
