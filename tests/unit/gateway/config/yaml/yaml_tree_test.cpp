#include "gateway/config/yaml/yaml_tree.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

const yaml_node* member(const yaml_node& map, std::string_view key) {
  for (const yaml_member& each : map.members)
    if (each.key == key) return &each.value;
  return nullptr;
}

TEST(YamlTree, ValuesKnowTheirPlaceAndWhetherTheyWereQuoted) {
  const yaml_result tree = parse_yaml("a: 1\nb:\n  c: \"x\"\n  d:\nlist: [p, 'q']\n");
  ASSERT_TRUE(tree.problems.empty());
  EXPECT_EQ(member(tree.root, "a")->text, "1");
  EXPECT_TRUE(member(tree.root, "a")->is_plain);
  EXPECT_EQ(member(tree.root, "a")->at, (text_position{1, 4}));
  const yaml_node& b = *member(tree.root, "b");
  EXPECT_EQ(member(b, "c")->at, (text_position{3, 6}));
  EXPECT_FALSE(member(b, "c")->is_plain);
  EXPECT_EQ(member(b, "d")->kind, yaml_kind::null);
  EXPECT_EQ(member(b, "d")->at, (text_position{4, 3}));
  EXPECT_EQ(member(tree.root, "list")->items.at(1).text, "q");
}

TEST(YamlTree, JsonIsYaml) {
  const yaml_result tree = parse_yaml("{\n\t\"a\": \"\\/\\u00e9\",\n\t\"b\":[1,2],\"c\":{\"d\":true}\n}\n");
  ASSERT_TRUE(tree.problems.empty()) << tree.problems[0].message;
  EXPECT_EQ(member(tree.root, "a")->text, "/é");
  EXPECT_EQ(member(tree.root, "b")->items.size(), 2u);
  EXPECT_TRUE(member(*member(tree.root, "c"), "d")->is_plain);
}

TEST(YamlTree, ColumnsCountCharactersNotBytes) {
  const yaml_result tree = parse_yaml(
      "\xEF\xBB\xBF"
      "ä: {ö: ü, x: y}\r\nb: 'z'\r\n");
  ASSERT_TRUE(tree.problems.empty());
  EXPECT_EQ(member(*member(tree.root, "ä"), "x")->at, (text_position{1, 14}));
  EXPECT_EQ(member(tree.root, "b")->at, (text_position{2, 4}));
}

TEST(YamlTree, AliasesAndMergeKeysAreResolved) {
  const yaml_result tree =
      parse_yaml("a: &a {x: 1, y: 1}\nb: &b {x: 2, z: 2}\nc: {<<: *a, y: 3}\nd: {<<: [*b, *a]}\ne: *a\n");
  ASSERT_TRUE(tree.problems.empty());
  EXPECT_EQ(member(*member(tree.root, "c"), "x")->text, "1");
  EXPECT_EQ(member(*member(tree.root, "c"), "y")->text, "3");
  EXPECT_EQ(member(*member(tree.root, "d"), "x")->text, "2");
  EXPECT_EQ(member(*member(tree.root, "d"), "y")->text, "1");
  EXPECT_EQ(member(*member(tree.root, "e"), "y")->text, "1");
}

TEST(YamlTree, AFaultOfTheTextIsOneProblemAtItsPlace) {
  struct example {
    const char* name;
    std::string text;
    text_position at;
    std::string message;
  };
  const std::vector<example> examples{
      {"a tab as indentation", "a:\n\tb: 1\n", {2, 3}, "tab"},
      {"a second document", "a: 1\n---\nb: 2\n", {2, 1}, "second document"},
      {"an open bracket", "a: {b: \"x\"\n\n", {1, 4}, "this '{' is never closed"},
      {"a bracket that is noticed lines later", "a: [x,\n   y\nb: 1\nc: {d: e}\n", {1, 4}, "this '[' is never closed"},
      {"a quote that ends at the next one", "a: \"x\nb: \"y\"\nc: 1\n", {1, 4}, "the quote that begins here"},
      {"a line that is less deep than its neighbours", "p:\n    g: {}\n  c: {}\n", {3, 3},
       "indented by 2 spaces, which does not match the indentation of any line above"},
      {"a line that is deeper than it may be", "p:\n  g: {}\n   c: {}\n", {3, 4},
       "indented by 3 spaces, deeper than line 2 (2 spaces)"},
      {"a line between two levels of a list", "r:\n  - a: 1\n    b: 2\n   c: 3\n", {4, 4}, "indented by 3 spaces"},
      {"a bare variable in a flow map", "a: {k: ${X}}\n", {1, 9}, "needs quotes"},
      {"an unclosed double quote", "a: 1\nb: \"x\n", {2, 4}, "never closed"},
      {"an unclosed single quote", "b: 'it''s ''\n", {1, 4}, "never closed"},
      {"an unclosed quote with an anchor", "b: &x \"x\\\"\n", {1, 4}, "never closed"},
      {"an unknown alias", "a: *nope\n", {1, 4}, "anchor"},
      {"an alias inside its anchor", "a: &x [*x]\n", {1, 8}, "refers to an anchor that contains the alias"},
      {"a colon in plain text", "a: b: c\n", {1, 5}, "':'"},
      {"a reserved character", "a: @x\n", {1, 4}, "quoted"},
      {"a control character", "a: 1\nb: x\x04y\n", {2, 5}, "control character"},
      {"a NUL", std::string("a: \0", 4), {1, 4}, "control character"},
      {"an unknown tag", "a: !secret x\n", {1, 4}, "tag"},
      {"a key twice", "a: 1\nb: 2\na: 3\n", {3, 1}, "the first time in line 1"},
      {"a key twice in a flow map", "a: {b: 1, b: 2}\n", {1, 11}, "'b' is set twice"},
      {"a list as key", "? [a]\n: b\n", {1, 3}, "a key must be plain text"},
      {"a merge of text", "a: {<<: b}\n", {1, 9}, "can merge maps only"},
  };
  for (const example& each : examples) {
    const yaml_result tree = parse_yaml(each.text);
    ASSERT_EQ(tree.problems.size(), 1u) << each.name;
    EXPECT_EQ(tree.problems[0].at, each.at)
        << each.name << " " << tree.problems[0].at.line << ":" << tree.problems[0].at.column;
    EXPECT_NE(tree.problems[0].message.find(each.message), std::string::npos)
        << each.name << ": " << tree.problems[0].message;
  }
}

TEST(YamlTree, QuotesAndBlocksThatEndAreNotCalledUnclosed) {
  for (const std::string text :
       {"a: 'it''s'", "a: \"a\\\"b\"", "a: \"two\n  lines\"", "a: |\n  \"x\n", "a: >-\n  it's\n",
        "a: &x 'b'\nc: *x", "a: !!str \"b\"", "\"a\": 'x' # isn't\r\n", "a: \"\\\\\""})
    EXPECT_TRUE(parse_yaml(text).problems.empty()) << text << ": " << parse_yaml(text).problems[0].message;
}

TEST(YamlTree, AStrayCommaOrBracketEndsTheReading) {
  for (const std::string_view text : {", bJ]\nx", "]", "}", "a: 1\n]", ", ,", "? ]"}) {
    const yaml_result tree = parse_yaml(text);  // yaml-cpp alone would never finish reading some of these texts
    ASSERT_FALSE(tree.problems.empty()) << text;
    EXPECT_GE(tree.problems[0].at.line, 1) << text;
  }
}

TEST(YamlTree, AnEmptyTextIsANullRoot) {
  for (const std::string_view text : {"", "# nothing\n", "---\n", "\xEF\xBB\xBF"})
    EXPECT_EQ(parse_yaml(text).root.kind, yaml_kind::null) << text;
}

TEST(YamlTree, AliasesCannotAskForAnyAmountOfMemory) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string last = "*a" + std::to_string(i - 1) + " ";
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int copy = 0; copy < 10; ++copy) text += (copy ? ", " : "") + last;
    text += "]\n";
  }
  const yaml_result tree = parse_yaml(text);
  ASSERT_EQ(tree.problems.size(), 1u);
  EXPECT_NE(tree.problems[0].message.find("too large"), std::string::npos);
}

TEST(YamlTree, DeepNestingIsAnErrorNotACrash) {
  EXPECT_FALSE(parse_yaml(std::string(20'000, '[')).problems.empty());
  EXPECT_FALSE(parse_yaml(std::string(20'000, '{')).problems.empty());
}

}  // namespace
}  // namespace photofinish::gateway
