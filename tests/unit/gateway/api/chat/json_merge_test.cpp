#include "gateway/api/chat/json_merge.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

const auto name_of = [](const auto& info) { return info.param.name; };

constexpr member_rule inner_members[] = {{"t", merge::text}};
constexpr merge_rules inner_rules{inner_members};

struct merge_case {
  std::string name;
  member_rule rule;
  std::vector<std::string> values;
  std::string written;
};
void PrintTo(const merge_case& one, std::ostream* out) { *out << one.name; }

std::string written(merged_object& object) {
  std::string batch;
  outgoing out(batch);
  out.begin_batch();
  object.write(out);
  return out.take().text();
}

class MergedMember : public testing::TestWithParam<merge_case> {};

TEST_P(MergedMember, FollowsItsRule) {
  const member_rule members[] = {GetParam().rule};
  const merge_rules rules{members};
  merged_object object(rules);
  merge_budget budget(10'000);
  for (const std::string& value : GetParam().values) object.add("{\"k\":" + value + "}", budget);
  EXPECT_EQ(written(object), GetParam().written);
  EXPECT_FALSE(budget.is_exceeded());
}

INSTANTIATE_TEST_SUITE_P(
    Rules, MergedMember,
    testing::Values(
        merge_case{"last_never", {"k"}, {}, "{}"},
        merge_case{"last_fallback", {"k", merge::last, "0"}, {}, R"({"k":0})"},
        merge_case{"last_null", {"k"}, {"null"}, R"({"k":null})"},
        merge_case{"last_null_fallback", {"k", merge::last, "0"}, {"null"}, R"({"k":0})"},
        merge_case{"last_one", {"k"}, {"1", "null", "{\"a\":2}", "null"}, R"({"k":{"a":2}})"},
        merge_case{"first_one", {"k", merge::first}, {"null", "\"\"", "\"a\"", "\"b\""}, R"({"k":"a"})"},
        merge_case{"text", {"k", merge::text}, {"\"a\"", "null", "\"b\""}, R"({"k":"ab"})"},
        merge_case{"empty_text", {"k", merge::text}, {"\"\""}, R"({"k":""})"},
        merge_case{"text_and_parts",
                    {"k", merge::text},
                    {"\"a\"", "[1]", "[2,3]", "\"b\""},
                    R"({"k":[{"type":"text","text":"a"},1,2,3,{"type":"text","text":"b"}]})"},
        merge_case{"text_of_another_type", {"k", merge::text}, {"5", "\"b\""}, R"({"k":"b"})"},
        merge_case{"grow", {"k", merge::grow}, {"[1]", "[]", "null", "[[2],{}]"}, R"({"k":[1,[2],{}]})"},
        merge_case{"grow_empty", {"k", merge::grow}, {"[ ]"}, R"({"k":[]})"},
        merge_case{"grow_scalar", {"k", merge::grow}, {"\"a\"", "\"b\""}, R"({"k":"b"})"},
        merge_case{"grow_changes_its_mind", {"k", merge::grow}, {"[1]", "2", "[3]"}, R"({"k":[3]})"},
        merge_case{"object",
                    {"k", merge::object, {}, &inner_rules},
                    {R"({"t":"a"})", R"({"t":"b","u":1})"},
                    R"({"k":{"t":"ab","u":1}})"},
        merge_case{"object_null", {"k", merge::object, {}, &inner_rules}, {"null"}, R"({"k":null})"},
        merge_case{"object_of_another_type", {"k", merge::object, {}, &inner_rules}, {"3"}, "{}"},
        merge_case{"list",
                    {"k", merge::list, {}, &inner_rules},
                    {R"([{"index":1,"t":"b"},{"index":0,"t":"a"}])", R"([{"index":1,"t":"B"}])"},
                    R"({"k":[{"t":"a","index":0},{"t":"bB","index":1}]})"},
        merge_case{"list_without_indexes",
                    {"k", merge::list, {}, &inner_rules},
                    {R"([{"t":"a"},{"t":"b"}])", R"([{"t":"A"}])"},
                    R"({"k":[{"t":"aA"},{"t":"b"}]})"},
        merge_case{"fixed", {"k", merge::fixed, "\"x\""}, {"1", "null"}, R"({"k":"x"})"},
        merge_case{"left_out", {"k", merge::fixed}, {"1", "null"}, "{}"},
        merge_case{"renamed", {"k", merge::last, {}, nullptr, "n"}, {"1"}, R"({"n":1})"}),
    name_of);

TEST(MergedObject, WritesRuledMembersFirstAndTheNamedOneLast) {
  constexpr member_rule members[] = {{"a"}, {"b"}};
  const merge_rules rules{members, merge::last, "end"};
  merged_object object(rules);
  merge_budget budget(10'000);
  object.add(R"({"end":1,"z":2,"b":3,"y":4,"a":5})", budget);
  EXPECT_EQ(written(object), R"({"a":5,"b":3,"z":2,"y":4,"end":1})");
}

TEST(MergedObject, AnswersAboutItsMembers) {
  constexpr member_rule members[] = {{"t", merge::text}, {"o", merge::object, {}, &inner_rules}};
  const merge_rules rules{members};
  merged_object object(rules);
  merge_budget budget(10'000);
  EXPECT_FALSE(object.has("t"));
  EXPECT_EQ(object.inside("o"), nullptr);
  object.add(R"({"t":"","o":{},"n":null})", budget);
  EXPECT_TRUE(object.is_empty_text("t"));
  EXPECT_TRUE(object.has("t"));
  EXPECT_FALSE(object.has("n"));
  EXPECT_NE(object.inside("o"), nullptr);
  EXPECT_TRUE(object.entries("o").empty());
  object.forget("t");
  EXPECT_FALSE(object.has("t"));
}

}  // namespace
}  // namespace photofinish::gateway
