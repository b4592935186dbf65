// Tests GET /v1/advice after real requests, and which callers may request it.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class advice_test : public gateway_fixture {};

TEST_F(advice_test, TellsWhatARouteOfTwoTargetsGaveWhateverItsPolicy) {
  scripted_provider fast(streams({"hi"})), slow(stays_silent());
  add("fast", fast), add("slow", slow);
  add_route("r", {"fast/m", "slow/m"});
  add_route("alone", {"fast/m"});
  start();
  post(streamed("alone"));
  for (int each = 0; each < 3; ++each) post(streamed("r"));
  const json page = json::parse(get("/v1/advice").body);
  EXPECT_EQ(page.at("object"), "advice");
  ASSERT_EQ(page.at("routes").size(), 1u) << page;
  const json& route = page.at("routes").at(0);
  EXPECT_EQ(route.at("route"), "r");
  EXPECT_EQ(route.at("present").at("ttft_seconds").contains("p50"), true);
  EXPECT_EQ(route.at("policies").size(), 0u) << "three requests say nothing about other policies";
  EXPECT_EQ(route.at("notes").at(0).at("code"), "unknown_targets");
}

TEST_F(advice_test, WithAccessKeysOneOfAnAdminIsAskedFor) {
  settings.access.keys = {{"team", proxy::secret("plain")}, {"boss", proxy::secret("strong")}};
  settings.access.keys[1].is_admin = true;
  start();
  EXPECT_EQ(get("/v1/advice").status, 401);
  const http_response refused = get("/v1/advice", "authorization: Bearer plain\r\n");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(json::parse(refused.body).at("error").at("code"), "admin_key_required");
  EXPECT_EQ(get("/advice", "authorization: Bearer strong\r\n").status, 200);
}

TEST_F(advice_test, OnTheAdminAddressNoKeyIsAskedFor) {
  settings.access.keys = {{"team", proxy::secret("plain")}};
  settings.server.admin = gateway::listen_address{"127.0.0.1", 0};
  scripted_provider one(streams({"hi"})), other(streams({"hi"}));
  add("one", one), add("other", other);
  add_route("r", {"one/m", "other/m"});
  start();
  EXPECT_EQ(get("/v1/advice").status, 401);
  test_client admin(gateway->admin_port());
  admin.get("/v1/advice");
  const http_response page = admin.read();
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(json::parse(page.body).at("object"), "advice");
}

}  // namespace
}  // namespace photofinish::testing
