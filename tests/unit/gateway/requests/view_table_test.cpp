// Tests the table of views, which are the pages that the gateway serves for GET requests. The table must have a row for each page, and must
// state which callers may open the page.
#include "gateway/requests/views/view_table.hpp"

#include "gateway/requests/worker/protocols.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <variant>

namespace photofinish::gateway {
namespace {

const view* view_at(endpoint path) {
  const auto views = all_views();
  const auto row = std::find_if(views.begin(), views.end(), [path](const view& each) { return each.path == path; });
  return row == views.end() ? nullptr : &*row;
}

TEST(ViewTable, HasOneRowForEachPath) {
  for (const view& each : all_views()) {
    EXPECT_EQ(view_at(each.path), &each) << "endpoint " << static_cast<int>(each.path);
    EXPECT_NE(each.show, nullptr);
  }
}

TEST(ViewTable, HasARowForEachServedGetRequest) {
  std::size_t pages = 0;
  for (const std::string& request : served_requests(listener_role::everything, all_apis())) {
    if (!request.starts_with("GET ") || request.find("/responses/") != std::string::npos) continue;
    const auto routed = route_request("GET", request.substr(4), listener_role::everything, all_apis());
    ASSERT_TRUE(std::holds_alternative<routed_request>(routed)) << request;
    EXPECT_NE(view_at(std::get<routed_request>(routed).to), nullptr) << request;
    ++pages;
  }
  EXPECT_GE(pages, all_views().size());
}

TEST(ViewTable, LeavesAnswersToOthers) {
  for (const endpoint path : {endpoint::answer, endpoint::count_tokens, endpoint::stored_response}) EXPECT_EQ(view_at(path), nullptr);
}

TEST(ViewTable, SaysWhoMayCallEachPath) {
  const std::map<endpoint, callers> expected{
      {endpoint::root, callers::anyone},
      {endpoint::live, callers::anyone},
      {endpoint::ready, callers::anyone},
      {endpoint::metrics, callers::metrics_readers},
      {endpoint::models, callers::key_holders},
      {endpoint::model, callers::key_holders},
      {endpoint::usage, callers::key_holders},
      {endpoint::provider_stats, callers::key_holders_and_admin_address},
      {endpoint::advice, callers::key_holders_and_admin_address},
      {endpoint::races, callers::key_holders_and_admin_address},
      {endpoint::race, callers::key_holders_and_admin_address},
      {endpoint::feed, callers::key_holders_and_admin_address},
  };
  std::map<endpoint, callers> actual;
  for (const view& each : all_views()) actual.emplace(each.path, each.allowed);
  EXPECT_EQ(actual, expected);
}

}  // namespace
}  // namespace photofinish::gateway
