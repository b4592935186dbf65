// Tests two parts of a configuration file: the facts about providers' models, and the requirements of routes.
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace photofinish::gateway {
namespace {

config_result parse(const std::string& route, const std::string& facts) {
  return parse_config("providers:\n  groq: {api_key: k, facts: " + facts +
                          "}\n  xai: {api_key: k}\nroutes:\n  fast: {targets: [groq/a, xai/b], race: {policy: all}, " +
                          route + "}\n",
                      "test.yaml", tests::table_environment{}.machine());
}

bool says(const config_result& result, const std::string& words) {
  return std::any_of(result.problems.begin(), result.problems.end(),
                     [&words](const config_problem& each) { return each.message.find(words) != std::string::npos; });
}

const std::string big = "{a: {quantization: bf16, context: 131072, max_output: 16384, tier: paid}}";

TEST(Facts, OfModelsAndWhatARouteRequiresAreRead) {
  const config_result result =
      parse("require: {quantization: [fp8, bf16], min_context: 100000, min_output: 8000, tier: paid, unknown: allow}", big);
  ASSERT_TRUE(result.is_usable()) << result.problems.front().message;
  EXPECT_EQ(result.settings.providers.at("groq").facts.at("a"),
            (proxy::target_facts{.quantization = "bf16", .context = 131'072, .max_output = 16'384, .tier = "paid"}));
  const proxy::required_facts& require = result.settings.routes.at("fast").require;
  EXPECT_EQ(require.quantization, (std::vector<std::string>{"fp8", "bf16"}));
  EXPECT_EQ(require.min_context, 100'000u);
  EXPECT_EQ(require.min_output, 8'000u);
  EXPECT_EQ(require.tier, std::vector<std::string>{"paid"});
  EXPECT_TRUE(require.allows_unknown);
  EXPECT_FALSE(says(result, "is never used"));
}

TEST(Facts, ATargetThatNeverTakesPartIsWarnedOf) {
  const config_result result = parse("require: {quantization: [bf16]}", big);
  EXPECT_TRUE(result.is_usable());
  EXPECT_TRUE(says(result, "xai/b is never used in route 'fast': its quantization is not known, but bf16 is required"));
  EXPECT_FALSE(says(result, "groq/a never"));
}

TEST(Facts, ARouteWithoutATargetLeftIsRefused) {
  const config_result result = parse("require: {min_context: 200000}", big);
  EXPECT_FALSE(result.is_usable());
  EXPECT_TRUE(says(result, "no target of route 'fast' has the required facts"));
}

TEST(Facts, ARuleRequiresWhatItsRouteDoesUnlessItSaysOtherwise) {
  const config_result result = parse(
      "require: {quantization: [bf16], unknown: allow}, "
      "rules: [{name: same, class: batch}, {name: long, tools: true, require: {min_context: 100000, unknown: skip}}]", big);
  ASSERT_TRUE(result.is_usable());
  const route& fast = result.settings.routes.at("fast");
  EXPECT_EQ(fast.rules[0].require, fast.require);
  EXPECT_EQ(fast.rules[1].require.quantization, std::vector<std::string>{"bf16"});
  EXPECT_EQ(fast.rules[1].require.min_context, 100'000u);
  EXPECT_TRUE(says(result, "xai/b is never used in rule 'long'"));
}

TEST(Facts, WhatCannotBeIsRefused) {
  EXPECT_TRUE(says(parse("", "[fp8]"), "must be a map"));
  EXPECT_TRUE(says(parse("", "{a: {quantization: fp9}}"), "quantization"));
  EXPECT_TRUE(says(parse("", "{a: {context: 10, max_output: 11}}"), "must not be more than `context`"));
  EXPECT_TRUE(says(parse("require: {min_contxt: 1}", big), "min_context"));
}

}  // namespace
}  // namespace photofinish::gateway
