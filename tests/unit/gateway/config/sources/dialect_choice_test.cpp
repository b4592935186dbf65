// Tests which API the gateway uses for a provider. The preset determines the API, unless the configuration file sets another one.
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

struct read_provider {
  proxy::provider provider;
  std::string problems;
};

read_provider read(const std::string& settings, const std::string& name = "anthropic") {
  const tests::table_environment table{.variables = {{"ANTHROPIC_API_KEY", "sk-ant-1"}, {"GROQ_API_KEY", "g-1"}}};
  const config_result result = parse_config("routes: {r: {targets: [" + name + "/m]}}\nproviders: {" + name + ": {" + settings + "}}",
                                            "test.yaml", table.machine());
  read_provider got;
  for (const config_problem& each : result.problems) got.problems += each.message + "\n";
  const auto found = result.settings.providers.find(name);
  if (found != result.settings.providers.end()) got.provider = found->second;
  return got;
}

TEST(DialectChoice, APresetWithAnApiOfItsOwnIsSpokenToInIt) {
  const read_provider got = read("");
  EXPECT_EQ(got.problems, "");
  EXPECT_EQ(got.provider.dialect, "anthropic");
  EXPECT_EQ(got.provider.key.header, "x-api-key");
  EXPECT_TRUE(got.provider.behaves.drop_params.empty());
  EXPECT_EQ(got.provider.url.path, "/v1");
}

TEST(DialectChoice, OpenAIsWordsStayPossible) {
  const read_provider got = read("dialect: openai");
  EXPECT_EQ(got.problems, "");
  EXPECT_EQ(got.provider.dialect, "openai");
  EXPECT_EQ(got.provider.key.auth, proxy::auth_style::bearer);
  EXPECT_FALSE(got.provider.behaves.reject_params.empty());
  EXPECT_EQ(got.provider.key.value.reveal(), "sk-ant-1");
}

TEST(DialectChoice, AFileWithAUrlOrAPathOfItsOwnStaysAsItWas) {
  const read_provider url = read("base_url: 'https://proxy.example/v1', api_key: k");
  EXPECT_EQ(url.provider.dialect, "openai");
  EXPECT_NE(url.problems.find("base_url: this setting makes 'anthropic' use `dialect: openai`"), std::string::npos) << url.problems;
  const read_provider path = read("chat_path: /chat/completions");
  EXPECT_EQ(path.provider.dialect, "openai");
  EXPECT_NE(path.problems.find("chat_path: this setting makes"), std::string::npos) << path.problems;
  const read_provider said = read("base_url: 'https://proxy.example/v1', api_key: k, dialect: anthropic");
  EXPECT_EQ(said.provider.dialect, "anthropic");
  EXPECT_EQ(said.provider.key.header, "x-api-key");
  EXPECT_EQ(said.problems.find("this setting makes"), std::string::npos) << said.problems;
}

TEST(DialectChoice, EachApiHasItsUsualWayToShowAKey) {
  const read_provider house = read("base_url: 'https://llm.example/v1', api_key: k, dialect: anthropic", "house");
  EXPECT_EQ(house.problems, "");
  EXPECT_EQ(house.provider.key.header, "x-api-key");
  const read_provider bearer = read("base_url: 'https://llm.example/v1', api_key: k, dialect: anthropic, auth: bearer", "house");
  EXPECT_EQ(bearer.provider.key.auth, proxy::auth_style::bearer);
  const read_provider other = read("base_url: 'https://llm.example/anthropic/v1', api_key: k, dialect: anthropic", "groq");
  EXPECT_EQ(other.provider.dialect, "anthropic");
  EXPECT_EQ(other.provider.key.header, "x-api-key");
}

TEST(DialectChoice, APathOfChatMeansNothingElsewhere) {
  EXPECT_NE(read("chat_path: /x, dialect: anthropic").problems.find("chat_path: has no effect with dialect: anthropic"),
            std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
