// Tests the section `guardrails` of a configuration: valid settings are accepted, and invalid settings are reported.
#include "gateway/config/change/emptying.hpp"
#include "gateway/config/config_secrets.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace photofinish::gateway {
namespace {

config_result read(const std::string& list) {
  return parse_config("providers: {groq: {api_key: k}}\nroutes: {fast: {targets: [groq/x]}}\nguardrails: " + list + "\n",
                      "test.yaml", tests::table_environment{.files = {{"/token", "from-a-file"}}}.machine());
}
std::string problems(const config_result& result) {
  std::string all;
  for (const config_problem& each : result.problems) all += to_string(each) + "\n";
  return all;
}
bool complains(const std::string& list, const std::string& of) { return problems(read(list)).find(of) != std::string::npos; }

TEST(GuardrailSection, AUrlIsEnough) {
  const config_result plain = read("[{url: 'http://pii.internal:8000/v1/'}]");
  ASSERT_TRUE(plain.is_usable()) << problems(plain);
  const guardrail_settings& by = plain.settings.guardrails.at(0);
  EXPECT_EQ(by.name, "pii.internal");
  EXPECT_EQ(by.service.url.port, 8000);
  EXPECT_EQ(by.service.url.path, "/v1");
  EXPECT_EQ(by.mode, guardrail_mode::parallel);
  EXPECT_EQ(by.timeout, std::chrono::seconds(1));
  EXPECT_EQ(by.on_failure, without_verdict::deny);
  EXPECT_TRUE(by.judges("fast"));
  EXPECT_TRUE(by.judges("_direct"));
  EXPECT_TRUE(read("").settings.guardrails.empty());
}

TEST(GuardrailSection, ReadsAllOfIt) {
  const config_result all = read("[{name: pii, url: 'http://h', mode: before, timeout: 250ms, on_failure: allow, headers: "
                                 "{authorization: 'file:/token'}, routes: [fast]}]");
  ASSERT_TRUE(all.is_usable()) << problems(all);
  const guardrail_settings& by = all.settings.guardrails.at(0);
  EXPECT_EQ(by.mode, guardrail_mode::before);
  EXPECT_EQ(by.on_failure, without_verdict::allow);
  EXPECT_EQ(by.headers.at(0).second.reveal(), "from-a-file");
  EXPECT_FALSE(by.judges("_direct"));
  const auto secrets = secrets_of(all.settings);
  EXPECT_TRUE(std::any_of(secrets.begin(), secrets.end(), [](const auto& each) { return each.reveal() == "from-a-file"; }));
}

TEST(GuardrailSection, SaysWhatIsWrongAndWhere) {
  EXPECT_TRUE(complains("{url: 'http://h'}", "test.yaml:3:13")) << problems(read("{url: 'http://h'}"));
  EXPECT_TRUE(complains("{url: 'http://h'}", "must be a list"));
  EXPECT_TRUE(complains("[{mode: before}]", "url: a guardrail needs one"));
  EXPECT_TRUE(complains("[{url: nonsense}]", "test.yaml:3:20"));
  EXPECT_TRUE(complains("[{url: 'http://h?x=1'}]", "url: "));
  EXPECT_TRUE(complains("[{url: 'http://h', mode: after}]", "mode"));
  EXPECT_TRUE(complains("[{url: 'http://h', on_failure: maybe}]", "on_failure"));
  EXPECT_TRUE(complains("[{url: 'http://h', timeout: 2m}]", "at most 60s"));
  EXPECT_TRUE(complains("[{url: 'http://h', timeout: 0s}]", "timeout"));
  EXPECT_TRUE(complains("[{url: 'http://h', routes: [fsat]}]", "unknown route 'fsat'; did you mean 'fast'?"));
  EXPECT_TRUE(complains("[{url: 'http://h', name: 'a b'}]", "printable ASCII"));
  EXPECT_TRUE(complains("[{url: 'http://h', headers: {host: x}}]", "the gateway sets this header"));
  EXPECT_TRUE(complains("[{url: 'http://h', headers: {'a b': x}}]", "not a valid header"));
  EXPECT_TRUE(complains("[{url: 'http://h'}, {url: 'http://h/b'}]", "name of another guardrail"));
  EXPECT_FALSE(complains("[{url: 'http://h'}, {name: b, url: 'http://h/b'}]", "guardrail"));
  std::string many = "[";
  for (int each = 0; each < 17; ++each) many += "{name: g" + std::to_string(each) + ", url: 'http://h'},";
  EXPECT_TRUE(complains(many + "]", "maximum number of guardrails is 16"));
}

TEST(GuardrailSection, AReloadMayNotLoseThemByAccident) {
  const config running = read("[{url: 'http://h'}]").settings;
  config fresh = running;
  EXPECT_FALSE(emptying_problem(running, fresh));
  fresh.guardrails.clear();
  EXPECT_NE(emptying_problem(running, fresh).value_or("").find("the only guardrail"), std::string::npos);
  fresh.source.allow_emptying = true;
  EXPECT_FALSE(emptying_problem(running, fresh));
}

}  // namespace
}  // namespace photofinish::gateway
