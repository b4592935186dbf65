// Tests that the gateway refuses a truncated file that would drop settings or remove the protection of the running gateway.
#include "gateway/config/change/emptying.hpp"

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

config parse(const std::string& yaml, const std::string& key_file = {}) {
  tests::table_environment files;
  if (!key_file.empty()) files.files["/keys.yaml"] = key_file;
  const config_result result = parse_config(yaml, "test.yaml", files.machine());
  EXPECT_TRUE(result.is_usable()) << yaml << (result.problems.empty() ? "" : to_string(result.problems[0]));
  return result.settings;
}

std::string problem(const std::string& running, const std::string& fresh) {
  return emptying_problem(parse(running), parse(fresh)).value_or("");
}

std::string cut_before(const std::string& word) { return whole.substr(0, whole.find(word)); }

TEST(ConfigChange, TheSameAgainIsNoProblem) { EXPECT_EQ(problem(whole, whole), ""); }

TEST(ConfigChange, AFileCutBeforeItsAccessKeysIsRefused) {
  EXPECT_EQ(problem(whole, cut_before("access_keys")),
            "a reload must not remove the following: the only access key (callers would then need no key). Complete the file and "
            "reload again. If the removal is intended, add `allow_emptying: true` to the configuration");
}

TEST(ConfigChange, AFileCutBeforeTheRoutesOfAKeyIsRefused) {
  EXPECT_NE(problem(whole, cut_before("    routes: [fast]")).find("'team' (the key could then use every route)"),
            std::string::npos);
}

TEST(ConfigChange, ARemovalOfEverythingIsOneProblem) {
  const std::string text = problem(whole, "providers: {}\n");
  for (const char* loss : {"all 2 providers", "the only route", "the only access key"})
    EXPECT_NE(text.find(loss), std::string::npos) << text;
}

TEST(ConfigChange, TheStoresKeysStayAskedFor) {
  const std::string with_store = whole + "redis: {url: \"redis://h\", access_keys: true}\n";
  EXPECT_NE(problem(with_store, whole).find("redis.access_keys (requests with keys from the store would then be refused)"),
            std::string::npos);
  EXPECT_EQ(problem(with_store, with_store), "");
  EXPECT_EQ(problem(whole, with_store), "");
}

TEST(ConfigChange, OneOfSeveralMayGo) {
  EXPECT_EQ(problem(whole, "providers: {groq: {api_key: k}}\nroutes: {slow: {targets: [groq/x]}}\n"
                           "access_keys: [{name: other, key: l}]"),
            "");
}

// A file of access keys was truncated. The file is still valid, but lacks some keys. If the gateway accepted the file, callers with the
// missing keys would get status 401.
TEST(ConfigChange, AKeyFileThatWasCutAtALineEndIsRefused) {
  const std::string with_file = "providers: {groq: {api_key: k}}\naccess_keys: \"file:/keys.yaml\"\n";
  const auto lines = [](int count, const std::string& rest = {}) {
    std::string text;
    for (int each = 1; each <= count; ++each)
      text += "- {name: k" + std::to_string(each) + ", key: s" + std::to_string(each) + rest + "}\n";
    return text;
  };
  const auto problem_after = [&](const std::string& after, const std::string& more = {}) {
    return emptying_problem(parse(with_file, lines(9)), parse(with_file + more, after)).value_or("");
  };
  EXPECT_EQ(problem_after(lines(1)),
            "a reload must not remove the following: 8 of 9 access keys ('k2', 'k3', 'k4' and 5 more: requests with these keys "
            "would then be refused). Complete the file and reload again. If the removal is intended, add "
            "`allow_emptying: true` to the configuration");
  EXPECT_NE(problem_after(lines(4)).find("5 of 9 access keys"), std::string::npos);
  EXPECT_EQ(problem_after(lines(5)), "") << "four of nine may go by one reload";
  EXPECT_EQ(problem_after(lines(1), "allow_emptying: true\n"), "");
  EXPECT_EQ(problem_after(lines(9, ", blocked: true")), "") << "a key that is blocked is still there";
  EXPECT_EQ(emptying_problem(parse(with_file, lines(9, ", blocked: true")), parse(with_file, lines(1))), std::nullopt)
      << "a blocked key opened nothing";
  EXPECT_NE(problem_after("- {name: new, key: s}\n" + lines(4)).find("5 of 9 access keys"), std::string::npos);
  std::string renamed;
  for (int each = 1; each <= 9; ++each)
    renamed += "- {name: new" + std::to_string(each) + ", key: s" + std::to_string(each) + "}\n";
  EXPECT_EQ(problem_after(renamed), "") << "no file that was cut has new names";
}

TEST(ConfigChange, TheStoreAndTheDefaultsOfKeysStay) {
  const std::string shared = whole + "redis: {url: \"redis://h\"}\n";
  EXPECT_NE(problem(shared, whole).find("redis (each gateway would then count limits and budgets separately)"),
            std::string::npos);
  EXPECT_EQ(problem(shared, whole + "redis: {url: \"redis://other\"}\n"), "");
  EXPECT_EQ(problem(shared, whole + "allow_emptying: true\n"), "");
  const std::string limited = whole + "key_defaults: {rpm_limit: 60}\n";
  EXPECT_NE(problem(limited, whole).find("key_defaults (access keys without their own limits"), std::string::npos);
  EXPECT_EQ(problem(limited, whole + "key_defaults: {tpm_limit: 60}\n"), "");
}

TEST(ConfigChange, MostProvidersRoutesOrTeamsStay) {
  const auto named = [](const std::string& kind, int count, const std::string& value) {
    std::string text = kind + ":\n";
    for (int each = 1; each <= count; ++each)
      text += "  " + kind.substr(0, 1) + std::to_string(each) + ": " + value + "\n";
    return text;
  };
  const std::string provider = "{base_url: \"http://127.0.0.1:1/v1\"}", route = "{targets: [p1/m]}";
  const std::string team = "{rpm_limit: 1}";
  const std::string providers = named("providers", 3, provider);
  EXPECT_NE(problem(providers, named("providers", 1, provider)).find("2 of 3 providers ('p2', 'p3')"),
            std::string::npos);
  EXPECT_NE(problem(providers + named("routes", 5, route), providers + named("routes", 2, route)).find("3 of 5 routes"),
            std::string::npos);
  EXPECT_EQ(problem(providers + named("routes", 5, route), providers + named("routes", 3, route)), "");
  EXPECT_NE(problem(providers + named("teams", 4, team), providers).find("all 4 teams"), std::string::npos);
}

TEST(ConfigChange, KeysMayMoveIntoTheStoreThatIsReadFromThenOn) {
  const std::string with_store = "redis: {url: \"redis://h\", access_keys: true}\n";
  EXPECT_EQ(problem(whole, cut_before("access_keys") + with_store), "");
  EXPECT_NE(problem(whole + with_store, cut_before("access_keys") + with_store)
                .find("the only access key (requests with these keys would then be refused)"),
            std::string::npos);
}

TEST(ConfigChange, WhatWasNeverThereMayStayAway) {
  EXPECT_EQ(problem("providers: {}", "providers: {}"), "");
  EXPECT_EQ(problem("providers: {groq: {api_key: k}}", whole), "");
}

TEST(ConfigChange, TheNewFileMayAllowIt) {
  EXPECT_EQ(problem(whole, "providers: {}\nallow_emptying: true"), "");
  EXPECT_NE(problem(whole + "allow_emptying: true\n", "providers: {}"), "") << "the old file's word does not count";
}

// Truncates a valid configuration file at every position. If the truncated file is valid, but protects less than the running configuration,
// it must not take effect.
TEST(ConfigChange, NoPrefixOfAFileOpensTheGateway) {
  const config running = parse(whole);
  int accepted = 0;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const config_result cut = parse_config(whole.substr(0, length), "test.yaml", tests::table_environment{}.machine());
    if (!cut.is_usable() || emptying_problem(running, cut.settings)) continue;
    ++accepted;
    ASSERT_EQ(cut.settings.access.keys.size(), 1u) << length;
    EXPECT_EQ(cut.settings.access.keys[0].routes.size(), 1u) << length;
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
