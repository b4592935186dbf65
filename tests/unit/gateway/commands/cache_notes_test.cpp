#include "gateway/commands/cache_notes.hpp"

#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> notes_of(const std::string& prices, const std::string& race) {
  const config_result result = parse_config(
      "providers: {groq: {api_key: k, prices: {m: " + prices + "}}, cerebras: {api_key: k, prices: {m: " + prices +
          "}}}\nroutes: {agents: {targets: [groq/m, cerebras/m], race: {" + race + "}}}\n",
      "a.yaml", tests::table_environment{}.machine());
  EXPECT_TRUE(result.is_usable());
  return prompt_cache_notes(result.settings, std::chrono::sys_days(2026y / 11 / 29));
}

TEST(CacheNotes, NameRoutesThatAskColdRivals) {
  for (const char* policy : {"hedge", "all"}) {
    const auto notes = notes_of("3/0.3/15", "policy: " + std::string(policy));
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0],
              "route 'agents': policy " + std::string(policy) +
                  " sends requests to targets that do not have the conversation in their prompt cache. With a prompt of 100k "
                  "tokens, an attempt costs $0.300 on average without the cache, but $0.051 with it. For "
                  "agents, use policy adaptive, which stays at the target that has the conversation in its cache");
  }
}

TEST(CacheNotes, SayNothingOfOthers) {
  EXPECT_TRUE(notes_of("3/0.3/15", "policy: adaptive").empty());
  EXPECT_TRUE(notes_of("3/0.3/15", "policy: fallback").empty());
  EXPECT_TRUE(notes_of("3/2/15", "policy: hedge").empty()) << "a cached token costs nearly as much";
  EXPECT_TRUE(notes_of("3/15", "policy: hedge").empty()) << "cached tokens have no price of their own";
}

}  // namespace
}  // namespace photofinish::gateway
