// Tests the rules of a route in a configuration file: which rules are accepted, and the error text for each refused rule.
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace photofinish::gateway {
namespace {

config_result parse(const std::string& rules, const std::string& top = "") {
  const std::string yaml = "tasks: [apply, compress]\nprojects: [search]\n" + top +
                           "providers: {groq: {}, xai: {}}\nroutes:\n  code:\n    targets: [groq/a, xai/b]\n"
                           "    race: {policy: hedge, hedge_delay: 200ms}\n    rules:\n" + rules;
  return parse_config(yaml, "test.yaml",
                      tests::table_environment{.variables = {{"GROQ_API_KEY", "k"}, {"XAI_API_KEY", "k"}}}.machine());
}

bool says(const config_result& result, const std::string& words) {
  return std::any_of(result.problems.begin(), result.problems.end(),
                     [&words](const config_problem& each) { return each.message.find(words) != std::string::npos; });
}

TEST(Rules, AreReadWithTheRoutesRaceAndTargetsWhereTheyHaveNoneOfTheirOwn) {
  const config_result result = parse(
      "      - {name: apply, task: apply, shape: apply, targets: [groq/fast]}\n"
      "      - {name: long, min_input_tokens: 1000, max_input_tokens: 9000, tools: false, race: {hedge_delay: 1s}}\n"
      "      - {name: night, class: batch, project: search, response_format: json_schema, max_tokens: 64}\n");
  ASSERT_TRUE(result.is_usable()) << result.problems.front().message;
  const auto& rules = result.settings.routes.at("code").rules;
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].task, "apply");
  EXPECT_TRUE(rules[0].is_apply);
  EXPECT_EQ(rules[0].targets, (std::vector<target_name>{{"groq", "fast"}}));
  EXPECT_EQ(rules[1].race.hedge_delay, std::chrono::seconds(1));
  EXPECT_EQ(rules[1].race.policy, racing::race_policy::hedge);
  EXPECT_EQ(rules[1].min_input_tokens, 1000u);
  EXPECT_EQ(rules[1].tools, false);
  EXPECT_TRUE(rules[1].targets.empty());
  EXPECT_EQ(rules[2].work, request_class::batch);
  EXPECT_EQ(rules[2].response_format, answer_format::json_schema);
  EXPECT_EQ(rules[2].max_tokens, 64u);
  EXPECT_EQ(rules[2].race.hedge_delay, std::chrono::milliseconds(200));
}

struct refused_rule {
  const char* name;
  const char* rules;
  const char* words;
};

class RefusedRule : public testing::TestWithParam<refused_rule> {};

TEST_P(RefusedRule, SaysWhatToDo) {
  const config_result result = parse(GetParam().rules);
  EXPECT_FALSE(result.is_usable());
  EXPECT_TRUE(says(result, GetParam().words)) << (result.problems.empty() ? "" : result.problems.front().message);
}

INSTANTIATE_TEST_SUITE_P(All, RefusedRule, testing::Values(
    refused_rule{"noName", "      - {class: batch}\n", "a rule needs a name"},
    refused_rule{"twice", "      - {name: a, class: batch}\n      - {name: a, tools: true}\n", "is also the name of another rule"},
    refused_rule{"slash", "      - {name: a/b, class: batch}\n", "must not contain '/'"},
    refused_rule{"task", "      - {name: a, task: aply}\n", "is not in the list `tasks` at the top of the file; did you mean 'apply'?"},
    refused_rule{"project", "      - {name: a, project: other}\n", "is not in the list `projects`"},
    refused_rule{"class", "      - {name: a, class: soon}\n", "must be interactive or batch"},
    refused_rule{"bounds", "      - {name: a, min_input_tokens: 9, max_input_tokens: 8}\n", "the rule never applies"},
    refused_rule{"target", "      - {name: a, targets: [nowhere/x]}\n", "unknown provider 'nowhere'"},
    refused_rule{"empty", "      - {name: a, targets: []}\n", "name at least one target"},
    refused_rule{"key", "      - {name: a, tsk: apply}\n", "unknown key 'tsk' in rule"},
    refused_rule{"map", "      a: {task: apply}\n", "must be a list"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Rules, OneBehindOneThatAlwaysHoldsIsWarnedOf) {
  const config_result result = parse("      - {name: all}\n      - {name: never, class: batch}\n");
  EXPECT_TRUE(result.is_usable());
  EXPECT_TRUE(says(result, "rule 'never' is never reached"));
}

TEST(Rules, NamesOfTasksAreWordsEachOnce) {
  const std::string rule = "      - {name: a, class: batch}\n";
  EXPECT_TRUE(says(parse_config("tasks: [a, a]", "t.yaml", tests::table_environment{}.machine()), "'a' is listed twice"));
  EXPECT_TRUE(says(parse_config("projects: ['a b']", "t.yaml", tests::table_environment{}.machine()), "must be a word"));
  EXPECT_TRUE(parse(rule).is_usable());
}

TEST(Rules, ATargetOfARuleUsesItsProvidersKey) {
  const config_result result = parse("      - {name: a, class: batch, targets: [groq/other]}\n");
  EXPECT_TRUE(names_target(result.settings.routes.at("code"), [](const target_name& each) { return each.model == "other"; }));
}

}  // namespace
}  // namespace photofinish::gateway
