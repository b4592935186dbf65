// Tests the values that a request's `model` may have (routes, direct targets and lists), and the list of models.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using nlohmann::json;

class models_test : public gateway_fixture {
 protected:
  models_test() {
    add("a", a).key.value = proxy::secret("sk-a");
    add("b", b);
    settings.providers["b"].key.auth = proxy::auth_style::none;
    settings.providers["a"].models = {"listed"};
    add_route("fast", {"a/m", "b/org/model-1"});
    start();
  }
  scripted_provider a{streams({"a"}, 20ms)}, b{streams({"b"}, 60ms)};
};

TEST_F(models_test, TheListHoldsRoutesAndTargets) {
  const json list = json::parse(get("/v1/models").body);
  EXPECT_EQ(list["object"], "list");
  std::vector<std::string> ids;
  for (const json& each : list["data"]) ids.push_back(each["id"]);
  for (const char* id : {"fast", "a/m", "b/org/model-1", "a/listed"})
    EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end()) << id;
  EXPECT_EQ(a.requests().size() + b.requests().size(), 0u);
}

TEST_F(models_test, AModelsBirthIsTheGatewaysStart) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
  const json list = json::parse(get("/v1/models").body);
  for (const json& each : list["data"]) {
    EXPECT_GT(each["created"], now - 600);
    EXPECT_LE(each["created"], now);
  }
  EXPECT_EQ(json::parse(get("/v1/models/fast").body)["created"], list["data"][0]["created"]);
}

TEST_F(models_test, AnthropicsClientsAndCodexGetTheListInTheirShapes) {
  const json page = json::parse(get("/v1/models?limit=2", "anthropic-version: 2023-06-01\r\n").body);
  EXPECT_EQ(page["data"].size(), 2u);
  EXPECT_EQ(page["data"][0]["type"], "model");
  EXPECT_EQ(page["has_more"], true);
  const http_response refused = get("/v1/models/nothing", "anthropic-version: 2023-06-01\r\n");
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(json::parse(refused.body)["error"]["type"], "not_found_error");
  EXPECT_EQ(json::parse(get("/v1/models?client_version=0.169.0").body)["models"][0]["slug"], "fast");
  EXPECT_EQ(json::parse(get("/openai/models?api-version=2024-10-21").body)["object"], "list");
}

TEST_F(models_test, AModelIsFoundWithItsSlashesRawOrEncoded) {
  EXPECT_EQ(json::parse(get("/v1/models/fast").body)["id"], "fast");
  EXPECT_EQ(json::parse(get("/v1/models/b/org/model-1").body)["id"], "b/org/model-1");
  EXPECT_EQ(json::parse(get("/v1/models/b%2Forg%2fmodel-1").body)["id"], "b/org/model-1");
  EXPECT_EQ(get("/v1/models/nothing").status, 404);
  EXPECT_EQ(get("/v1/models/nothing").error("code"), "model_not_found");
}

// Sub-agents of Claude Code request models by names such as claude-*. Aliases map these names to routes.
TEST_F(models_test, AnAliasRunsItsRouteAndCountsAsIt) {
  settings.names.aliases.add("claude-*", "fast");
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([this] { return post(streamed("claude-opus-5-5")).status == 200; }));
  EXPECT_EQ(json::parse(a.request().body)["model"], "m");
  expect_metric(1, "photofinish_requests_total", {R"(route="fast")"});
  EXPECT_EQ(metric("photofinish_requests_total", {"claude-opus"}), 0);
}

TEST_F(models_test, ADirectTargetRunsAlone) {
  const http_response got = post(streamed("b/org/model-1"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "b/org/model-1");
  EXPECT_EQ(json::parse(b.request().body)["model"], "org/model-1");
  expect_metric(1, "photofinish_requests_total", {R"(route="_direct")"});
}

TEST_F(models_test, AListIsRacedWithAll) {
  const http_response got = post(streamed("b/org/model-1, a/m"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "a/m");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "2");
  expect_metric(1, "photofinish_requests_total", {R"(route="_list")"});
}

TEST_F(models_test, AListMayNotNameATargetTwiceNorHoldMoreThanMaxParallel) {
  EXPECT_EQ(post(whole("a/m,a/m")).status, 400);
  EXPECT_EQ(post(whole("a/m,a/listed,b/1,b/2")).status, 400);
}

TEST_F(models_test, AnUnlistedModelMayNotBeCalledOnAConfiguredKey) {
  const http_response got = post(whole("a/expensive"));
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.error("code"), "model_not_found");
  EXPECT_EQ(a.requests().size(), 0u);
  EXPECT_EQ(post(whole("a/listed")).status, 200);
}

TEST_F(models_test, AnyModelMayBeCalledOnTheCallersOwnKey) {
  EXPECT_EQ(post(whole("a/expensive"), "x-provider-key-a: own\r\n").status, 200);
}

TEST_F(models_test, ATargetThatCannotHonourAParameterSitsTheRaceOut) {
  settings.providers["a"].behaves.reject_params = {"tools"};
  settings.providers["b"].behaves.drop_params = {"seed"};
  gateway->reload(settings);
  const std::string body = streamed("fast", R"(,"seed":7,"tools":[{"type":"function","function":{"name":"f"}}])");
  ASSERT_TRUE(comes_true([&] { return post(body).field("x-race-skipped").has_value(); }));  // waits until the new configuration is in use
  const http_response got = post(body);
  EXPECT_EQ(got.field_or("x-race-winner", ""), "b/org/model-1");
  EXPECT_TRUE(got.field_or("x-race-skipped", "").starts_with("a/m;reason=unsupported")) << got.head;
  EXPECT_EQ(got.field_or("x-race-dropped", ""), "b/org/model-1;param=seed");
  EXPECT_EQ(json::parse(b.requests().back().body).contains("seed"), false);
}

}  // namespace
}  // namespace photofinish::testing
