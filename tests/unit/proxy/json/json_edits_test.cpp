#include "proxy/json/json_edits.hpp"

#include "proxy/json/member_index.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

std::string text_of(json_edits& edits) {
  std::string text;
  for (const std::string_view piece : edits.pieces()) text += piece;
  return text;
}

struct removal_case {
  const char* name;
  std::string_view text;
  std::vector<std::string_view> removed;
  std::string_view left;
};

class JsonRemoval : public testing::TestWithParam<removal_case> {};

TEST_P(JsonRemoval, TakesItsCommaAlong) {
  json_edits edits(GetParam().text);
  const member_index index(GetParam().text);
  for (const std::string_view key : GetParam().removed) edits.remove_member(*index.find(key));
  EXPECT_EQ(text_of(edits), GetParam().left);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, JsonRemoval,
    testing::Values(removal_case{"First", R"({"a":1,"b":2,"c":3})", {"a"}, R"({"b":2,"c":3})"},
                    removal_case{"Middle", R"({"a":1, "b":2, "c":3})", {"b"}, R"({"a":1, "c":3})"},
                    removal_case{"Last", R"({"a":1 , "b":2 })", {"b"}, R"({"a":1 })"},
                    removal_case{"LastTwo", R"({"a":1,"b":2,"c":3})", {"c", "b"}, R"({"a":1})"},
                    removal_case{"FirstAndLast", R"({"a":1,"b":2,"c":3})", {"a", "c"}, R"({"b":2})"},
                    removal_case{"All", R"({ "a":1 , "b":2 })", {"a", "b"}, R"({ })"},
                    removal_case{"Only", R"({"a":[{"x":1}]})", {"a"}, R"({})"}),
    [](const auto& tested) { return tested.param.name; });

TEST(JsonEdits, WithoutAnEditTheTextIsOnePieceOfTheVerySameBytes) {
  const std::string_view text = R"({"a":1})";
  json_edits edits(text);
  ASSERT_EQ(edits.pieces().size(), 1u);
  EXPECT_EQ(edits.pieces()[0].data(), text.data());
  EXPECT_TRUE(edits.empty());
}

TEST(JsonEdits, ComeInAnyOrder) {
  const std::string_view text = R"({"a":1,"b":2,"c":3})";
  const member_index index(text);
  json_edits edits(text);
  edits.replace(index.find("c")->value, "\"z\"");
  edits.insert_member(text, R"("n":0)");
  edits.replace(index.find("a")->value, "[]");
  edits.remove_member(*index.find("b"));
  edits.insert_member(text, R"("m":0)");
  EXPECT_EQ(text_of(edits), R"({"n":0,"m":0,"a":[],"c":"z"})");
}

TEST(JsonEdits, AnInsertedMemberNeedsNoCommaWhereItIsAlone) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"{}", R"({"n":0})"}, {" { } ", R"( {"n":0 } )"}, {R"({"a":1})", R"({"n":0,"a":1})"}}) {
    json_edits edits(text);
    edits.insert_member(text, R"("n":0)");
    EXPECT_EQ(text_of(edits), expected);
  }
}

TEST(JsonEdits, AnInsertedMemberMayTakeThePlaceOfAllOthers) {
  const std::string_view text = R"({ "a":1,"b":2 })";
  const member_index index(text);
  json_edits edits(text);
  edits.remove_member(*index.find("b"));
  edits.insert_member(text, R"("n":0)");
  edits.remove_member(*index.find("a"));
  EXPECT_EQ(text_of(edits), R"({"n":0 })");
}

// If an object has few members, each key is compared with the others. If it has many members, an index finds repeated keys.
TEST(MemberIndex, FindsWhichKeyIsRepeated) {
  constexpr std::array<std::string_view, 2> keys{"model", "stream"};
  const auto repeated = [&](std::string_view text) {
    const std::string_view* found = member_index(text).find_repeated(keys);
    return found ? *found : std::string_view();
  };
  const std::string more = R"("b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,)";
  EXPECT_EQ(repeated(R"({"model":1,"a":2,"stream":3})"), "");
  EXPECT_EQ(repeated(R"({"a":1,"model":2,"a":3})"), "");  // a repeated "a" is accepted, because only the listed keys must be unique
  EXPECT_EQ(repeated(R"({"stream":1,"a":2,"stream":3})"), "stream");
  EXPECT_EQ(repeated(R"({"stream":1,"a":2,"str\u0065am":3})"), "stream");
  EXPECT_EQ(repeated("{" + more + R"("model":1,"stream":3})"), "");
  EXPECT_EQ(repeated("{" + more + R"("model":1,"model":3})"), "model");
}

TEST(JsonEdits, PiecesSurviveAMove) {
  const std::string text = R"({"a":1})";
  json_edits edits(text);
  edits.insert_member(text, R"("n":0)");
  const auto pieces = edits.pieces();
  const std::vector<std::string_view> kept(pieces.begin(), pieces.end());
  const json_edits moved = std::move(edits);
  std::string joined;
  for (const std::string_view piece : kept) joined += piece;
  EXPECT_EQ(joined, R"({"n":0,"a":1})");
}

TEST(JsonEdits, AskingTwiceGivesTheSame) {
  const std::string_view text = R"({"a":1,"b":2})";
  const member_index index(text);
  json_edits edits(text);
  edits.remove_member(*index.find("b"));
  EXPECT_EQ(text_of(edits), text_of(edits));
}

TEST(JsonEdits, ResetForgetsEveryEdit) {
  json_edits edits(R"({"a":1})");
  edits.insert(1, "x");
  edits.reset("[]");
  EXPECT_EQ(text_of(edits), "[]");
}

// Random edits remove, replace and insert members. The result must be valid JSON with exactly the expected members.
TEST(JsonEdits, AnyMixOfEditsGivesValidJson) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto draw = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
  for (int round = 0; round < 5000; ++round) {
    const unsigned members = draw(6);
    std::string text = draw(2) ? "{" : "{ ";
    for (unsigned at = 0; at < members; ++at)
      text += (at == 0 ? "" : draw(2) ? " , " : ",") + ("\"k" + std::to_string(at)) + (draw(2) ? "\":" : "\" : ") + "[1]";
    text += draw(2) ? "}" : " }";
    const member_index index(text);
    json_edits edits(text);
    std::vector<std::string> expected;
    for (const json_member& member : index.members()) {
      const unsigned action = draw(3);
      if (action == 0) edits.remove_member(member);
      if (action == 1) edits.replace(member.value, "2");
      if (action != 0) expected.push_back(std::string(member.raw_key) + (action == 1 ? "=2" : "=[1]"));
    }
    const unsigned added = draw(3);
    for (unsigned at = 0; at < added; ++at) {
      edits.insert_member(text, "\"n" + std::to_string(at) + "\":0");
      expected.insert(expected.begin() + at, "n" + std::to_string(at) + "=0");
    }
    const std::string edited = text_of(edits);
    simdjson::dom::parser parser;
    ASSERT_EQ(parser.parse(edited).error(), simdjson::SUCCESS) << text << " -> " << edited;
    std::vector<std::string> found;
    const member_index after(edited);
    for (const json_member& member : after.members())
      found.push_back(std::string(member.raw_key) + "=" + std::string(member.value));
    ASSERT_EQ(found, expected) << text << " -> " << edited;
  }
}

TEST(MemberIndex, FindsTopLevelMembersByTheirUnescapedKey) {
  const member_index index(R"({"\u006dodel":"m","tools":[{"inner":1}],"n":1})");
  ASSERT_NE(index.find("model"), nullptr);
  EXPECT_EQ(index.find("model")->value, R"("m")");
  EXPECT_EQ(index.find("n")->value, "1");
  EXPECT_EQ(index.find("inner"), nullptr);
  EXPECT_EQ(index.members().size(), 3u);
}

TEST(MemberIndex, TellsDuplicatesHoweverTheyAreSpelt) {
  const member_index index(R"({"model":1,"mod\u0065l":2,"n":1})");
  constexpr std::array<std::string_view, 3> keys{"n", "absent", "model"};
  EXPECT_EQ(index.find_repeated(keys), &keys[2]);
  EXPECT_EQ(index.find_repeated(std::span(keys).first(2)), nullptr);
  EXPECT_EQ(member_index(R"({"model":1,"n":2})").find_repeated(keys), nullptr);
}

}  // namespace
}  // namespace photofinish::proxy
