#include "gateway/api/chat/json_gather.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

const auto name_of = [](const auto& info) { return info.param.name; };

constexpr member_rule inner_members[] = {{"t", gather::text}};
constexpr gather_rules inner_rules{inner_members};

struct gather_case {
  std::string name;
  member_rule rule;
  std::vector<std::string> values;
  std::string written;
};
void PrintTo(const gather_case& one, std::ostream* out) { *out << one.name; }

class GatheredMember : public testing::TestWithParam<gather_case> {};

TEST_P(GatheredMember, FollowsItsRule) {
  const member_rule members[] = {GetParam().rule};
  const gather_rules rules{members};
  gathered_object object(rules);
  gather_budget budget(10'000);
  for (const std::string& value : GetParam().values) object.add("{\"k\":" + value + "}", budget);
  proxy::long_text out;
  object.write(out);
  EXPECT_EQ(out.text(), GetParam().written);
  EXPECT_FALSE(budget.is_exceeded());
}

INSTANTIATE_TEST_SUITE_P(
    Rules, GatheredMember,
    testing::Values(
        gather_case{"last_never", {"k"}, {}, "{}"},
        gather_case{"last_fallback", {"k", gather::last, "0"}, {}, R"({"k":0})"},
        gather_case{"last_null", {"k"}, {"null"}, R"({"k":null})"},
        gather_case{"last_null_fallback", {"k", gather::last, "0"}, {"null"}, R"({"k":0})"},
        gather_case{"last_one", {"k"}, {"1", "null", "{\"a\":2}", "null"}, R"({"k":{"a":2}})"},
        gather_case{"first_one", {"k", gather::first}, {"null", "\"\"", "\"a\"", "\"b\""}, R"({"k":"a"})"},
        gather_case{"text", {"k", gather::text}, {"\"a\"", "null", "\"b\""}, R"({"k":"ab"})"},
        gather_case{"empty_text", {"k", gather::text}, {"\"\""}, R"({"k":""})"},
        gather_case{"text_and_parts",
                    {"k", gather::text},
                    {"\"a\"", "[1]", "[2,3]", "\"b\""},
                    R"({"k":[{"type":"text","text":"a"},1,2,3,{"type":"text","text":"b"}]})"},
        gather_case{"text_of_another_type", {"k", gather::text}, {"5", "\"b\""}, R"({"k":"b"})"},
        gather_case{"grow", {"k", gather::grow}, {"[1]", "[]", "null", "[[2],{}]"}, R"({"k":[1,[2],{}]})"},
        gather_case{"grow_empty", {"k", gather::grow}, {"[ ]"}, R"({"k":[]})"},
        gather_case{"grow_scalar", {"k", gather::grow}, {"\"a\"", "\"b\""}, R"({"k":"b"})"},
        gather_case{"grow_changes_its_mind", {"k", gather::grow}, {"[1]", "2", "[3]"}, R"({"k":[3]})"},
        gather_case{"object",
                    {"k", gather::object, {}, &inner_rules},
                    {R"({"t":"a"})", R"({"t":"b","u":1})"},
                    R"({"k":{"t":"ab","u":1}})"},
        gather_case{"object_null", {"k", gather::object, {}, &inner_rules}, {"null"}, R"({"k":null})"},
        gather_case{"object_of_another_type", {"k", gather::object, {}, &inner_rules}, {"3"}, "{}"},
        gather_case{"list",
                    {"k", gather::list, {}, &inner_rules},
                    {R"([{"index":1,"t":"b"},{"index":0,"t":"a"}])", R"([{"index":1,"t":"B"}])"},
                    R"({"k":[{"t":"a","index":0},{"t":"bB","index":1}]})"},
        gather_case{"list_without_indexes",
                    {"k", gather::list, {}, &inner_rules},
                    {R"([{"t":"a"},{"t":"b"}])", R"([{"t":"A"}])"},
                    R"({"k":[{"t":"aA"},{"t":"b"}]})"},
        gather_case{"fixed", {"k", gather::fixed, "\"x\""}, {"1", "null"}, R"({"k":"x"})"},
        gather_case{"left_out", {"k", gather::fixed}, {"1", "null"}, "{}"},
        gather_case{"renamed", {"k", gather::last, {}, nullptr, "n"}, {"1"}, R"({"n":1})"}),
    name_of);

TEST(GatheredObject, WritesRuledMembersFirstAndTheNamedOneLast) {
  constexpr member_rule members[] = {{"a"}, {"b"}};
  const gather_rules rules{members, gather::last, "end"};
  gathered_object object(rules);
  gather_budget budget(10'000);
  object.add(R"({"end":1,"z":2,"b":3,"y":4,"a":5})", budget);
  proxy::long_text out;
  object.write(out);
  EXPECT_EQ(out.text(), R"({"a":5,"b":3,"z":2,"y":4,"end":1})");
}

TEST(GatheredObject, AnswersAboutItsMembers) {
  constexpr member_rule members[] = {{"t", gather::text}, {"o", gather::object, {}, &inner_rules}};
  const gather_rules rules{members};
  gathered_object object(rules);
  gather_budget budget(10'000);
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
