#include "gateway/api/chat/merge_shortcut.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

// A subset of the merge rules for answers. answer_collector.cpp defines all of the rules.
constexpr member_rule call_members[] = {{"index", merge::fixed}, {"id", merge::first}, {"arguments", merge::text}};
constexpr merge_rules call_rules{call_members};
constexpr member_rule delta_members[] = {
    {"role", merge::first}, {"content", merge::text}, {"calls", merge::list, {}, &call_rules}};
constexpr merge_rules delta_rules{delta_members, merge::grow};
constexpr member_rule choice_members[] = {
    {"index", merge::last, "0"}, {"message", merge::fixed}, {"delta", merge::object, {}, &delta_rules}};
constexpr merge_rules choice_rules{choice_members, merge::grow};
constexpr member_rule answer_members[] = {{"id"}, {"choices", merge::list, "[]", &choice_rules}};
constexpr merge_rules answer_rules{answer_members, merge::last, "usage"};

std::string written(merged_object& object) {
  std::string batch;
  outgoing out(batch);
  out.begin_batch();
  object.write(out);
  return out.take().text();
}

struct trace_case {
  const char* name;
  std::string_view first, second;
  bool is_all;
  std::vector<std::string_view> strings;
};

class MergeTrace : public ::testing::TestWithParam<trace_case> {};

TEST_P(MergeTrace, TellsWhatTheSecondOfTwoPiecesChanged) {
  merged_object object(answer_rules);
  merge_budget budget(100'000);
  merge_trace did;
  object.add(GetParam().first, budget, did);
  object.add(GetParam().second, budget, did);
  EXPECT_EQ(did.is_all, GetParam().is_all);
  EXPECT_EQ(did.members.size(), did.strings.size());
  if (!GetParam().is_all) return;
  EXPECT_EQ(did.strings, GetParam().strings);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MergeTrace,
    ::testing::Values(
        trace_case{"Text", R"({"id":"a","choices":[{"index":0,"delta":{"content":"a"},"finish":null}]})",
                   R"({"id":"a","choices":[{"index":0,"delta":{"content":"b"},"finish":null}]})", true, {"\"b\""}},
        trace_case{"TextAndAnotherString", R"({"p":"a","choices":[{"delta":{"content":"a"}}]})",
                   R"({"p":"bc","choices":[{"delta":{"content":"b"}}]})", true, {"\"bc\"", "\"b\""}},
        trace_case{"TwoChoices", R"({"choices":[{"index":1,"delta":{"content":"a"}},{"index":0,"delta":{"content":"b"}}]})",
                   R"({"choices":[{"index":1,"delta":{"content":"c"}},{"index":0,"delta":{"content":"d"}}]})", true, {"\"c\"", "\"d\""}},
        trace_case{"Arguments", R"({"choices":[{"delta":{"calls":[{"index":3,"id":"x","arguments":""}]}}]})",
                   R"({"choices":[{"delta":{"calls":[{"index":3,"id":"","arguments":"{"}]}}]})", true, {"\"{\""}},
        trace_case{"EmptyText", R"({"choices":[{"delta":{"content":"a"}}]})", R"({"choices":[{"delta":{"content":""}}]})", true, {"\"\""}},
        trace_case{"NothingNew", R"({"id":"a","x":[1],"choices":[]})", R"({"id":"a","x":[1],"choices":[]})", true, {}},
        trace_case{"NewMember", "{}", R"({"x":"a"})", false, {}},
        trace_case{"NewChoice", R"({"choices":[{"index":0}]})", R"({"choices":[{"index":1}]})", false, {}},
        trace_case{"NewDelta", R"({"choices":[{}]})", R"({"choices":[{"delta":{}}]})", false, {}},
        trace_case{"FirstNull", R"({"choices":[{"delta":{}}]})", R"({"choices":[{"delta":{"content":null}}]})", false, {}},
        trace_case{"AnotherNumber", R"({"x":1})", R"({"x":2})", false, {}},
        trace_case{"NumberAsText", R"({"choices":[{"delta":{"content":5}}]})", R"({"choices":[{"delta":{"content":5}}]})", false, {}},
        trace_case{"PartsAsText", R"({"choices":[{"delta":{"content":[1]}}]})", R"({"choices":[{"delta":{"content":[1]}}]})", false, {}},
        trace_case{"GrowingArray", R"({"choices":[{"ids":[1]}]})", R"({"choices":[{"ids":[1]}]})", false, {}},
        trace_case{"EmptyGrowingArray", R"({"choices":[{"ids":[1]}]})", R"({"choices":[{"ids":[]}]})", false, {}},
        trace_case{"OneMemberTwice", R"({"x":1})", R"({"x":1,"x":1})", false, {}},
        trace_case{"OneChoiceTwice", R"({"choices":[{"index":0,"delta":{"content":"a"}}]})",
                   R"({"choices":[{"index":0,"delta":{"content":"a"}},{"index":0,"delta":{"content":"b"}}]})", false, {}}),
    [](const auto& tested) { return tested.param.name; });

TEST(MergeShortcut, AddsManyTexts) {
  merged_object object(answer_rules);
  merge_budget budget(100'000);
  merge_shortcut shortcut;
  for (const char* text : {"a", "b", "\\n", "\\\"", "\\u00e9", "", "c"})
    shortcut.add(R"({"id":"i","choices":[{"index":0,"delta":{"content":")" + std::string(text) + R"("}}],"pad":"p)" + text + "\"}",
                 object, budget);
  EXPECT_EQ(written(object), R"({"id":"i","choices":[{"index":0,"delta":{"content":"ab\n\"\u00e9c"}}],"pad":"pc"})");
}

class piece_maker {
 public:
  explicit piece_maker(std::mt19937& random) : random_(random) {}

  std::string next() {
    if (random_() % 6 == 0) shape_ = any(shapes);
    std::string piece;
    for (const char character : shape_) {
      if (character == '$') piece += any(texts);
      else if (character == '#') piece += any(values);
      else piece += character;
    }
    return piece;
  }

 private:
  static constexpr std::array<std::string_view, 14> shapes{
      R"({"id":"i","choices":[{"index":0,"delta":{"content":"$"},"finish":null}]})",
      R"({"id":"i","choices":[{"index":0,"delta":{"content":"$"},"finish":null}],"pad":"$"})",
      R"({"id":"$","choices":[{"index":1,"delta":{"role":"$","content":"$"}},{"index":0,"delta":{"content":"$"}}]})",
      R"({"choices":[{"index":0,"delta":{"content":"$"}},{"index":0,"delta":{"content":"$"}}]})",
      R"({"choices":[{"index":"$","delta":{"content":"$","content":"$"}}]})",
      R"({"choices":[{"delta":{"calls":[{"index":1,"id":"$","arguments":"$"}]}}]})",
      R"({"choices":[{"delta":{"calls":[{"index":0,"arguments":"$"},{"index":1,"arguments":"$"}]}}]})",
      R"({"choices":[{"delta":{"content":#,"odd":#}}],"pad":#})",
      R"({"choices":[{"delta":#,"message":{"content":"$"},"odd":"$"}]})",
      R"({"choices":#,"pad":"$","pad":"$"})",
      R"({ "pad" : "$" , "choices" : [ { "delta" : { "cont\u0065nt" : "$" } } ] })",
      R"({"a":"$","b":"$","c":"$","d":"$","e":"$"})",
      R"({"$":1})",
      R"({"choices":[],"usage":{"n":#}})"};
  static constexpr std::array<std::string_view, 8> texts{"a", " b", "", R"(\n)", R"(\")", R"(\\)", R"(\u00e9)", "\xC3\xA9"};
  static constexpr std::array<std::string_view, 10> values{"null", "5", "55", R"("s")", R"("")", "[]", "[1]", "{}", R"({"content":"x"})", "true"};

  template <std::size_t size>
  std::string_view any(const std::array<std::string_view, size>& all) {
    return all[random_() % size];
  }

  std::mt19937& random_;
  std::string_view shape_ = shapes[0];
};

// merge_shortcut must build the same object as the plain merge for every sequence of pieces of an answer. Both must exceed the memory
// budget at the same piece.
TEST(MergeShortcut, HasTheEffectOfTheLongWay) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::size_t exceeded = 0;
  for (int answer = 0; answer < 1000; ++answer) {
    const std::size_t limit = random() % 2 == 0 ? 1'000'000 : 1000 + random() % 5000;
    merged_object quick(answer_rules), plain(answer_rules);
    merge_budget quick_budget(limit), plain_budget(limit);
    merge_shortcut shortcut;
    piece_maker pieces(random);
    std::string all;
    // The writer can write a merged answer only once, at its end. Therefore the test cannot compare the results after each piece, and
    // compares answers of many lengths instead.
    const unsigned length = 1 + static_cast<unsigned>(answer) % 60;
    for (unsigned count = 0; count < length && !plain_budget.is_exceeded(); ++count) {
      const std::string piece = pieces.next();
      all += piece + "\n";
      shortcut.add(piece, quick, quick_budget);
      plain.add(piece, plain_budget);
      ASSERT_EQ(quick_budget.is_exceeded(), plain_budget.is_exceeded()) << all;
    }
    ASSERT_EQ(written(quick), written(plain)) << all;
    exceeded += plain_budget.is_exceeded();
  }
  EXPECT_GT(exceeded, 50u);
  EXPECT_LT(exceeded, 950u);
}

}  // namespace
}  // namespace photofinish::gateway
