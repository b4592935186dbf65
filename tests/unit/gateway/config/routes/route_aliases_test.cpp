// Tests aliases of routes, in configuration files and in look-ups.
#include "gateway/config/routes/route_aliases.hpp"

#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace photofinish::gateway {
namespace {

std::string route_of(const route_aliases& aliases, std::string_view model) {
  const std::string* const found = aliases.find(model);
  return found == nullptr ? "" : *found;
}

TEST(RouteAliases, AWholeNameWinsOverThePatternsThatFitIt) {
  route_aliases aliases;
  aliases.add("claude-*", "agents");
  aliases.add("claude-haiku-5-5", "small");
  EXPECT_EQ(route_of(aliases, "claude-haiku-5-5"), "small");
  EXPECT_EQ(route_of(aliases, "claude-haiku-5"), "agents");
  EXPECT_EQ(route_of(aliases, "gpt-5.5"), "");
}

TEST(RouteAliases, TheLongestPatternWinsWhateverTheirOrder) {
  for (const bool is_long_first : {true, false}) {
    route_aliases aliases;
    if (is_long_first) aliases.add("claude-opus-*", "deep");
    aliases.add("claude-*", "agents");
    if (!is_long_first) aliases.add("claude-opus-*", "deep");
    aliases.add("*", "any");
    EXPECT_EQ(route_of(aliases, "claude-opus-5"), "deep");
    EXPECT_EQ(route_of(aliases, "claude-sonnet-5"), "agents");
    EXPECT_EQ(route_of(aliases, "gpt"), "any");
  }
}

TEST(RouteAliases, StarsDoNotMakeAPatternLonger) {
  route_aliases aliases;
  aliases.add("**a**", "stars");
  aliases.add("ab*", "letters");
  EXPECT_EQ(route_of(aliases, "abc"), "letters");
}

TEST(RouteAliases, TheFirstOfTwoPatternsOfOneLengthCounts) {
  route_aliases aliases;
  aliases.add("gpt-*", "first");
  aliases.add("*mini", "second");
  EXPECT_EQ(route_of(aliases, "gpt-mini"), "first");
}

struct fit {
  const char* pattern;
  const char* name;
  bool fits;
};
class AnAliasPattern : public ::testing::TestWithParam<fit> {};
INSTANTIATE_TEST_SUITE_P(RouteAliases, AnAliasPattern,
                         ::testing::Values(fit{"claude-*", "claude-", true}, fit{"claude-*", "claude", false},
                                           fit{"claude-*", "Claude-x", false}, fit{"*", "", true},
                                           fit{"*-mini", "gpt-4o-mini", true}, fit{"*-mini", "gpt-4o-mini-1", false},
                                           fit{"gpt-*-mini", "gpt-4o-mini", true},
                                           fit{"gpt-*-mini", "gpt--mini-mini", true},
                                           fit{"gpt-*-mini", "gpt-mini", false}, fit{"a*b*c", "axxbxbyc", true},
                                           fit{"a*b*c", "axxcxb", false}, fit{"anthropic/*", "anthropic/x/y", true}));
TEST_P(AnAliasPattern, FitsWholeNames) {
  route_aliases aliases;
  aliases.add(GetParam().pattern, "r");
  EXPECT_EQ(route_of(aliases, GetParam().name), GetParam().fits ? "r" : "") << GetParam().pattern;
}

config_result with_aliases(const std::string& of_fast, const std::string& of_deep = "[]") {
  return parse_config("providers: {groq: {api_key: k}}\nroutes:\n  fast: {targets: [groq/a], aliases: " + of_fast +
                          "}\n  deep: {targets: [groq/b], aliases: " + of_deep + "}\n",
                      "test.yaml", tests::table_environment{}.machine());
}

bool reports(const config_result& result, const std::string& words) {
  return std::any_of(result.problems.begin(), result.problems.end(),
                     [&words](const config_problem& each) { return each.message.find(words) != std::string::npos; });
}

TEST(RouteAliases, AreReadFromTheFile) {
  const config_result result = with_aliases("['claude-*', gpt-4o-mini]", "['claude-opus-*', anthropic/claude]");
  ASSERT_TRUE(result.is_usable()) << result.problems.front().message;
  EXPECT_EQ(route_of(result.settings.names.aliases, "gpt-4o-mini"), "fast");
  EXPECT_EQ(route_of(result.settings.names.aliases, "claude-opus-5"), "deep");
  EXPECT_EQ(route_of(result.settings.names.aliases, "anthropic/claude"), "deep");
}

TEST(RouteAliases, OneNameOfTwoRoutesIsReported) {
  EXPECT_TRUE(reports(with_aliases("[gpt-4o]", "[gpt-4o]"), "'gpt-4o' is also an alias of route 'fast'"));
  EXPECT_TRUE(reports(with_aliases("['claude-*']", "['claude-*']"), "'claude-*' is also an alias of route 'fast'"));
  EXPECT_TRUE(reports(with_aliases("[gpt-4o, gpt-4o]"), "'gpt-4o' is listed twice"));
  EXPECT_FALSE(with_aliases("[gpt-4o]", "[gpt-4o]").is_usable());
}

TEST(RouteAliases, NamesThatNoRequestReachesAreRefused) {
  EXPECT_TRUE(reports(with_aliases("[deep]"), "'deep' is the name of a route"));
  EXPECT_TRUE(reports(with_aliases("[groq/gpt-4o]"), "'groq/gpt-4o' names a target of the provider 'groq'"));
  EXPECT_TRUE(reports(with_aliases("['groq/*']"), "'groq/*' names a target of the provider 'groq'"));
  EXPECT_TRUE(reports(with_aliases("['a,b']"), "must not contain ','"));
  EXPECT_TRUE(reports(with_aliases("['a b']"), "must not contain a space"));
  EXPECT_TRUE(reports(with_aliases("['']"), "contains an empty text"));
  EXPECT_TRUE(reports(with_aliases("['" + std::string(longest_alias + 1, 'x') + "']"), "longer than 256 bytes"));
}

}  // namespace
}  // namespace photofinish::gateway
