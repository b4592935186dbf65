#include "gateway/config/sources/zero_config.hpp"

#include "gateway/records/price_book.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/known_facts.hpp"
#include "proxy/providers/url.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace photofinish::gateway {
namespace {

using tests::table_environment;

TEST(ZeroConfig, WithoutAnyKeyThereIsNothing) {
  const config_result result = zero_config(table_environment{.variables = {{"GROQ_API_KEY", ""}}}.machine());
  EXPECT_TRUE(result.settings.source.is_zero_config);
  EXPECT_TRUE(result.settings.providers.empty());
  EXPECT_TRUE(result.settings.routes.empty());
  EXPECT_TRUE(result.problems.empty());
}

TEST(ZeroConfig, ProvidersWhoseKeyIsSetRaceWhereTheyServeTheSameModel) {
  const table_environment table{
      .variables = {{"GROQ_API_KEY", "g"}, {"CEREBRAS_API_KEY", "c"}, {"CO_API_KEY", "h"}}};
  const config_result result = zero_config(table.machine());
  ASSERT_TRUE(result.problems.empty());
  const config& made = result.settings;
  EXPECT_EQ(made.providers.size(), 3u);
  EXPECT_EQ(made.providers.at("groq").key.value.reveal(), "g");
  EXPECT_EQ(made.providers.at("groq").models, std::vector<std::string>{"*"});
  EXPECT_EQ(made.providers.at("cohere").key.variable, "CO_API_KEY");
  const route& race = made.routes.at("gpt-oss-120b");
  EXPECT_EQ(race.targets,
            (std::vector<target_name>{{"groq", "openai/gpt-oss-120b"}, {"cerebras", "gpt-oss-120b"}}));
  EXPECT_EQ(race.race.policy, racing::race_policy::adaptive);
  EXPECT_EQ(race.race.max_extra_cost, 0.1);
  EXPECT_TRUE(made.routes.contains("qwen-3.8-27b"));
  EXPECT_EQ(made.routes.size(), 2u);
}

TEST(ZeroConfig, AGroupThatOneProviderServesIsARouteToo) {
  const config_result result =
      zero_config(table_environment{.variables = {{"MOONSHOT_API_KEY", "m"}}}.machine());
  EXPECT_EQ(result.settings.routes.at("kimi-k3.1-pro").targets.size(), 1u);
}

TEST(ZeroConfig, APresetWithPlaceholdersNeedsTheirVariables) {
  table_environment table{.variables = {{"AWS_BEARER_TOKEN_BEDROCK", "b"}}};
  const config_result without = zero_config(table.machine());
  EXPECT_TRUE(without.settings.providers.empty());
  ASSERT_FALSE(without.problems.empty());
  EXPECT_EQ(to_string(without.problems[0]),
            "environment: warning: bedrock is not used: AWS_REGION is not set");

  table.variables["AWS_REGION"] = "eu-west-1";
  const config_result with = zero_config(table.machine());
  EXPECT_EQ(with.settings.providers.at("bedrock").url.host, "bedrock-runtime.eu-west-1.amazonaws.com");
  EXPECT_TRUE(with.problems.empty());
}

TEST(ZeroConfig, AnEndpointInAVariableIsTheUrl) {
  table_environment table{.variables = {{"AZURE_OPENAI_API_KEY", "a"},
                                        {"AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com/"}}};
  const config_result result = zero_config(table.machine());
  EXPECT_TRUE(result.problems.empty());
  EXPECT_EQ(proxy::to_string(result.settings.providers.at("azure").url), "https://mine.openai.azure.com/openai/v1");
  table.variables["AZURE_OPENAI_ENDPOINT"] = "mine";
  EXPECT_TRUE(zero_config(table.machine()).settings.providers.empty());
}

TEST(ZeroConfig, PricesAndFactsOfTheListApply) {
  const config made = zero_config(table_environment{.variables = {{"GROQ_API_KEY", "g"}}}.machine()).settings;
  const proxy::provider& groq = made.providers.at("groq");
  EXPECT_EQ(groq.listed.provider, "groq");
  const std::string model = "openai/gpt-oss-120b";
  EXPECT_FALSE(lacks_price(made, {"groq", model}));
  EXPECT_TRUE(lacks_price(made, {"groq", "a-model-without-a-price"}));
  const auto* row = proxy::built_in_catalogue()->find("groq", model);
  ASSERT_TRUE(row);
  EXPECT_GT(row->context, 0u);
  EXPECT_EQ(proxy::known_facts(groq, model).context, row->context);
}

TEST(ZeroConfig, AKeyThatNoHeaderCanCarryIsLeftOutAndSaid) {
  const config_result result =
      zero_config(table_environment{.variables = {{"GROQ_API_KEY", "g\n"}}}.machine());
  EXPECT_TRUE(result.settings.providers.empty());
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_TRUE(result.is_usable());
}

}  // namespace
}  // namespace photofinish::gateway
