// A file that was cut short neither empties nor opens a running gateway.
#include "gateway/config/config_change.hpp"

#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

const std::string whole = R"(providers:
  groq: {api_key: k}
  xai: {api_key: k}
routes:
  fast: {targets: [groq/x]}
access_keys:
  - name: team
    key: secret
    routes: [fast]
)";

config parse(const std::string& yaml) {
  const config_result result = parse_config(yaml, "test.yaml", tests::table_environment{}.machine());
  EXPECT_TRUE(result.is_usable()) << yaml;
  return result.settings;
}

std::string problem(const std::string& running, const std::string& fresh) {
  return emptying_problem(parse(running), parse(fresh)).value_or("");
}

std::string cut_before(const std::string& word) { return whole.substr(0, whole.find(word)); }

TEST(ConfigChange, TheSameAgainIsNoProblem) { EXPECT_EQ(problem(whole, whole), ""); }

TEST(ConfigChange, AFileCutBeforeItsAccessKeysIsRefused) {
  EXPECT_EQ(problem(whole, cut_before("access_keys")),
            "a reload must not remove the only access key (callers without a key would then be served): complete the "
            "file, or add `allow_emptying: true` to it if this is meant, and reload again");
}

TEST(ConfigChange, AFileCutBeforeTheRoutesOfAKeyIsRefused) {
  EXPECT_NE(problem(whole, cut_before("    routes: [fast]")).find("'team', which could then use every route"),
            std::string::npos);
}

TEST(ConfigChange, ARemovalOfEverythingIsOneProblem) {
  const std::string text = problem(whole, "providers: {}\n");
  for (const char* loss : {"all 2 providers", "the only route", "the only access key"})
    EXPECT_NE(text.find(loss), std::string::npos) << text;
}

TEST(ConfigChange, TheStoresKeysStayAskedFor) {
  const std::string with_store = whole + "redis: {url: \"redis://h\", access_keys: true}\n";
  EXPECT_NE(problem(with_store, whole).find("redis.access_keys (keys that are in the store would then open nothing)"),
            std::string::npos);
  EXPECT_EQ(problem(with_store, with_store), "");
  EXPECT_EQ(problem(whole, with_store), "");
}

TEST(ConfigChange, OneOfSeveralMayGo) {
  EXPECT_EQ(problem(whole, "providers: {groq: {api_key: k}}\nroutes: {slow: {targets: [groq/x]}}\n"
                           "access_keys: [{name: other, key: l}]"),
            "");
}

TEST(ConfigChange, WhatWasNeverThereMayStayAway) {
  EXPECT_EQ(problem("providers: {}", "providers: {}"), "");
  EXPECT_EQ(problem("providers: {groq: {api_key: k}}", whole), "");
}

TEST(ConfigChange, TheNewFileMayAllowIt) {
  EXPECT_EQ(problem(whole, "providers: {}\nallow_emptying: true"), "");
  EXPECT_NE(problem(whole + "allow_emptying: true\n", "providers: {}"), "") << "the old file's word does not count";
}

// Every prefix that is a configuration at all: none may take effect that leaves less protection than there was.
TEST(ConfigChange, NoPrefixOfAFileOpensTheGateway) {
  const config running = parse(whole);
  int accepted = 0;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const config_result cut = parse_config(whole.substr(0, length), "test.yaml", tests::table_environment{}.machine());
    if (!cut.is_usable() || emptying_problem(running, cut.settings)) continue;
    ++accepted;
    ASSERT_EQ(cut.settings.access_keys.size(), 1u) << length;
    EXPECT_EQ(cut.settings.access_keys[0].routes.size(), 1u) << length;
  }
  EXPECT_GT(accepted, 0);
}

TEST(ConfigChange, AnEmptyFileIsAnErrorAndNotAnEmptyConfiguration) {
  for (const char* yaml : {"", "\n", "# providers: {groq: {}}\n", "---\n"}) {
    const config_result result = parse_config(yaml, "test.yaml", tests::table_environment{}.machine());
    ASSERT_FALSE(result.is_usable()) << yaml;
    EXPECT_EQ(to_string(result.problems[0]).find("test.yaml:1:1: error: the file is empty"), 0u);
    EXPECT_EQ(result.problems.size(), 1u);
  }
}

}  // namespace
}  // namespace photofinish::gateway
