// Tests the output of `serve`. If a user pastes the shown command into a shell, the command must work.
#include "gateway/server/banner.hpp"

#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

std::string banner_of(const std::string& yaml) {
  const config_result result = parse_config(yaml, "test.yaml", tests::table_environment{}.machine());
  EXPECT_TRUE(result.is_usable()) << to_string(result.problems.at(0));
  return banner(result.settings, "1.2.3", "test.yaml", {{"127.0.0.1", 7777}}, std::nullopt);
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* providers = "providers: {groq: {api_key: k}, xai: {}}\n";

TEST(Banner, SaysWhichVersionRuns) { EXPECT_EQ(banner_of(providers).find("photofinish 1.2.3\n"), 0u); }

TEST(Banner, RoutesComeInTheFilesOrder) {
  const std::string text = banner_of(std::string(providers) +
                                     "routes: {zebra: {targets: [groq/x]}, ant: {targets: [groq/y]}}");
  EXPECT_LT(text.find("  zebra"), text.find("  ant"));
  EXPECT_TRUE(holds(text, "\"model\":\"zebra\"")) << text;
}

TEST(Banner, TheLineToPasteTakesARouteThatCanAnswer) {
  const std::string text = banner_of(std::string(providers) +
                                     "routes: {dead: {targets: [xai/x]}, live: {targets: [groq/y]}}");
  EXPECT_TRUE(holds(text, "\"model\":\"live\"")) << text;
}

TEST(Banner, ARouteWithOneTargetDoesNotRace) {
  const std::string text = banner_of(std::string(providers) +
                                     "race: {policy: hedge}\nroutes: {one: {targets: [groq/x]}, "
                                     "two: {targets: [groq/x, xai/y]}}");
  EXPECT_TRUE(holds(text, "one  one target, pays up to 1 provider")) << text;
  EXPECT_TRUE(holds(text, "two  hedge, pays up to 2 providers")) << text;
}

TEST(Banner, OfAnAdaptiveRouteItSaysWhatItsBudgetMeans) {
  const auto of = [](const std::string& race) {
    return banner_of(std::string(providers) + "routes: {two: {targets: [groq/x, xai/y], race: {policy: adaptive" + race +
                     "}}, one: {targets: [groq/x], race: {policy: adaptive}}}");
  };
  EXPECT_TRUE(holds(of(""), "two  adaptive, pays one provider per request and at most 10 % more for losing attempts: "
                            "groq/x, xai/y")) << of("");
  EXPECT_TRUE(holds(of(", max_extra_cost: 0.025"), "at most 2.5 % more"));
  EXPECT_TRUE(holds(of(", max_extra_cost: 0"), "pays one provider per request, and another provider if the first provider fails"));
  EXPECT_TRUE(holds(of(""), "one  one target, pays up to 1 provider per request"));
}

TEST(Banner, WithoutRoutesItNamesWhatMayBeCalled) {
  EXPECT_TRUE(holds(banner_of("providers: {groq: {api_key: k, models: [big]}}"), "\"model\":\"groq/big\""));
  EXPECT_TRUE(holds(banner_of("providers: {groq: {api_key: k}}"), "only callers with their own provider keys"));
}

}  // namespace
}  // namespace photofinish::gateway
