// Tests providers that use AWS signatures: where their credentials and their region come from.
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using tests::table_environment;

std::string all_problems(const config_result& result) {
  std::string text;
  for (const config_problem& problem : result.problems) text += to_string(problem) + "\n";
  return text;
}

config_result parse(const std::string& yaml, const table_environment& machine = {}) {
  return parse_config(yaml, "test.yaml", machine.machine());
}

struct read_provider_case {
  proxy::provider read;
  std::string problems;
};

read_provider_case read(const std::string& settings, const table_environment& machine = {.variables = {{"AWS_REGION", "eu-west-1"}}}) {
  const config_result result = parse("providers: {bedrock: {models: ['*']" + settings + "}}", machine);
  const auto found = result.settings.providers.find("bedrock");
  return {found == result.settings.providers.end() ? proxy::provider{} : found->second, all_problems(result)};
}

TEST(AwsConfig, ThePresetSpeaksItsOwnApiAndSigns) {
  const auto [own, problems] = read(", aws_access_key_id: AKIAEXAMPLE, aws_secret_access_key: secret");
  EXPECT_EQ(problems, "");
  EXPECT_EQ(own.dialect, "bedrock");
  EXPECT_EQ(own.key.auth, proxy::auth_style::aws);
  EXPECT_EQ(own.url.host, "bedrock-runtime.eu-west-1.amazonaws.com");
  EXPECT_EQ(own.url.path, "");
  EXPECT_EQ(own.key.aws_region, "eu-west-1");
  EXPECT_EQ(own.key.value.reveal(), "AKIAEXAMPLE:secret");
}

TEST(AwsConfig, ItsLayerForOpenAisSdksStaysWhereTheFileSaysSo) {
  const auto [layer, silent] = read(", api_key: k, dialect: openai");
  EXPECT_EQ(silent, "");
  EXPECT_EQ(layer.dialect, "openai");
  EXPECT_EQ(layer.key.auth, proxy::auth_style::bearer);
  EXPECT_EQ(layer.url.path, "/openai/v1");
  const auto [elsewhere, warned] = read(", api_key: k, base_url: \"https://x.example.com/v1\", prices: {m: 1/2}");
  EXPECT_EQ(elsewhere.dialect, "openai");
  EXPECT_NE(warned.find("use `dialect: openai`"), std::string::npos) << warned;
}

TEST(AwsConfig, AnApiKeysVariableComesBeforeThoseOfCredentials) {
  table_environment machine{.variables = {{"AWS_REGION", "us-east-1"},
                                          {"AWS_ACCESS_KEY_ID", "ASIAEXAMPLE"},
                                          {"AWS_SECRET_ACCESS_KEY", "secret"},
                                          {"AWS_SESSION_TOKEN", "token"}}};
  EXPECT_EQ(read("", machine).read.key.value.reveal(), "ASIAEXAMPLE:secret:token");
  EXPECT_EQ(read("", machine).read.key.variable, "AWS_ACCESS_KEY_ID");
  EXPECT_EQ(read("", machine).problems, "");
  machine.variables.erase("AWS_SESSION_TOKEN");
  EXPECT_EQ(read("", machine).read.key.value.reveal(), "ASIAEXAMPLE:secret");
  machine.variables["AWS_BEARER_TOKEN_BEDROCK"] = "ABSKexample";
  EXPECT_EQ(read("", machine).read.key.value.reveal(), "ABSKexample");
}

// The gateway must never send a key from an environment variable to a URL that the configuration file sets.
TEST(AwsConfig, CredentialsOfVariablesStayAtThePresetsUrl) {
  const table_environment machine{.variables = {{"AWS_ACCESS_KEY_ID", "ASIAEXAMPLE"}, {"AWS_SECRET_ACCESS_KEY", "secret"}}};
  const auto [own, problems] = read(", dialect: bedrock, base_url: \"https://bedrock-runtime.us-west-2.amazonaws.com\"", machine);
  EXPECT_TRUE(own.key.value.empty());
  EXPECT_EQ(own.key.aws_region, "us-west-2");
  EXPECT_NE(problems.find("has no key"), std::string::npos) << problems;
}

TEST(AwsConfig, WithoutAnyKeyItIsSaidWhichAreMissing) {
  EXPECT_NE(read("").problems.find("AWS_BEARER_TOKEN_BEDROCK (or AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY) is not set"),
            std::string::npos)
      << read("").problems;
}

TEST(AwsConfig, AProviderWithoutAPresetNamesItsRegion) {
  const auto parsed = [](const std::string& settings) {
    config_result result =
        parse("providers: {own: {dialect: bedrock, models: ['*'], prices: {m: 1/2}, api_key: 'AKIAEXAMPLE:secret'" + settings + "}}");
    return std::pair(result.settings.providers["own"], all_problems(result));
  };
  EXPECT_EQ(parsed(", base_url: 'https://bedrock.internal', aws_region: eu-north-1").first.key.aws_region, "eu-north-1");
  EXPECT_EQ(parsed(", base_url: 'https://bedrock.internal', aws_region: eu-north-1").first.key.auth, proxy::auth_style::aws);
  EXPECT_NE(parsed(", base_url: 'https://bedrock.internal'").second.find("set `aws_region`"), std::string::npos);
}

TEST(AwsConfig, AGuardrailIsAnIdAndAVersion) {
  const auto guardrail = [](const std::string& text) {
    return parse("providers: {bedrock: {api_key: k, params: {region: us-east-1}, models: ['*'], aws_guardrail: '" + text + "'}}")
        .settings.providers.at("bedrock").guardrail.value();
  };
  EXPECT_EQ(guardrail("gr12ab:7"), (proxy::bedrock_guardrail{"gr12ab", "7"}));
  const std::string arn = "arn:aws:bedrock:us-east-1:123456789012:guardrail/gr12ab";
  EXPECT_EQ(guardrail(arn + ":DRAFT"), (proxy::bedrock_guardrail{arn, "DRAFT"}));
}

TEST(AwsConfig, OpenAisApiMayBeSignedToo) {
  const config_result result = parse(
      "providers: {bedrock-mantle: {auth: aws, aws_access_key_id: AKIAEXAMPLE, aws_secret_access_key: secret, models: ['*'], params: "
      "{region: us-east-1}}}");
  EXPECT_EQ(all_problems(result), "");
  EXPECT_EQ(result.settings.providers.at("bedrock-mantle").dialect, "bedrock");
  EXPECT_EQ(result.settings.providers.at("bedrock-mantle").key.aws_region, "us-east-1");
}

struct wrong_case {
  const char* name;
  const char* settings;
  const char* problem;
};
class WrongAwsConfig : public ::testing::TestWithParam<wrong_case> {};
INSTANTIATE_TEST_SUITE_P(
    AwsConfig, WrongAwsConfig,
    ::testing::Values(
        wrong_case{"secret_missing", ", aws_access_key_id: AKIA", "aws_secret_access_key is missing"},
        wrong_case{"id_missing", ", aws_secret_access_key: s", "aws_access_key_id is missing"},
        wrong_case{"two_keys", ", api_key: k, aws_access_key_id: AKIA, aws_secret_access_key: s", "cannot be combined with `api_key`"},
        wrong_case{"colon", ", aws_access_key_id: AKIA, aws_secret_access_key: 'a:b:c'", "contain a character"},
        wrong_case{"many_parts", ", api_key: 'AKIA:a:b:c'", "must be an API key, ACCESS_KEY_ID:SECRET or"},
        wrong_case{"without_aws", ", dialect: openai, aws_access_key_id: AKIA, aws_secret_access_key: s", "no effect without `auth: aws`"},
        wrong_case{"guardrail_without_version", ", api_key: k, aws_guardrail: gr12ab", "must be an id and a version"},
        wrong_case{"guardrail_of_an_arn_alone", ", api_key: k, aws_guardrail: 'arn:aws:bedrock:us-east-1:1:guardrail/g'",
                   "must be an id and a version"},
        wrong_case{"guardrail_without_id", ", api_key: k, aws_guardrail: ':1'", "must be an id and a version"},
        wrong_case{"guardrail_no_header", ", api_key: k, aws_guardrail: \"g\\r\\nx: y:1\"", "must be an id and a version"},
        wrong_case{"guardrail_elsewhere", ", dialect: openai, api_key: k, aws_guardrail: 'g:1'", "no effect without `dialect: bedrock`"},
        wrong_case{"region_without_aws", ", dialect: openai, api_key: k, aws_region: us-east-1", "no effect without `auth: aws`"}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(WrongAwsConfig, IsRefusedByName) {
  EXPECT_NE(read(GetParam().settings).problems.find(GetParam().problem), std::string::npos) << read(GetParam().settings).problems;
}

}  // namespace
}  // namespace photofinish::gateway
