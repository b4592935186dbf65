// Tests the list of the newest races of several gateways.
#include "gateway/housekeeping/shared/fleet_races.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

std::string page_with(const std::string& id, int begun_ms) {
  return json{{"object", "list"}, {"data", json::array({{{"id", id}, {"begun_ms", begun_ms}}})}}.dump();
}

TEST(FleetRaces, TheNewestComeFirstWithTheirGatewaysNames) {
  fleet_races races{.gateway = "one", .count = 2};
  races.others.pages = {{"two", page_with("a", 10)}, {"three", page_with("b", 30)}, {"four", page_with("c", 20)}};
  races.others.scope.members = {{"one", true, true}, {"two", true, true}};
  const json page = json::parse(fleet_races_page(races));
  ASSERT_EQ(page.at("data").size(), 2u);
  EXPECT_EQ(page.at("data").at(0), json({{"id", "b"}, {"begun_ms", 30}, {"gateway", "three"}}));
  EXPECT_EQ(page.at("data").at(1).at("gateway"), "four");
  EXPECT_TRUE(page.at("gateway").is_null());
  EXPECT_EQ(page.at("gateways").size(), 2u);
}

TEST(FleetRaces, OneGatewaysListSaysWhy) {
  fleet_races races{.gateway = "one", .count = 2};
  races.others.scope = {.gateway = "one", .members = {{"one", true, true}}, .note = "this gateway alone: no redis"};
  const json page = json::parse(fleet_races_page(races));
  EXPECT_EQ(page.at("gateway"), "one");
  EXPECT_EQ(page.at("note"), "this gateway alone: no redis");
  EXPECT_TRUE(page.at("data").empty());
}

TEST(FleetRaces, PagesThatAreNoneAreLeftOut) {
  fleet_races races{.gateway = "one", .count = 9};
  for (const char* page : {"", "no", "[]", R"({"data":7})", R"({"data":[1,{},{"id":3}]})"})
    races.others.pages.emplace_back("two", page);
  races.others.pages.emplace_back("three", R"({"data":[{"id":"x","begun_ms":"soon"}]})");
  EXPECT_EQ(json::parse(fleet_races_page(races)).at("data").size(), 1u);
}

}  // namespace
}  // namespace photofinish::gateway
