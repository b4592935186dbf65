// Tests the listener for clients: which values of the Host header it accepts, and who may read the metrics.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

constexpr const char* with_key = "authorization: Bearer door\r\n";

class public_listener_test : public gateway_fixture {
 protected:
  public_listener_test() {
    add("p", provider);
    add_route("r", {"p/m"});
  }

  void lock() { settings.access.keys = {{"team", proxy::secret("door"), {"r"}}}; }

  http_response under_host(const std::string& host, const std::string& fields = "", const std::string& path = "/v1/models",
                           std::uint16_t port = 0) {
    test_client client(port != 0 ? port : gateway->port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nX-Forwarded-Host: " + host +
                "\r\nX-Forwarded-Proto: https\r\n" + fields + "\r\n");
    return client.read();
  }

  scripted_provider provider{streams({"hi"})};
};

TEST_F(public_listener_test, AForeignHostIsRefusedAndToldOfTheSetting) {
  start();
  const http_response got = under_host("llm.example.com");
  EXPECT_EQ(got.status, 403);
  EXPECT_EQ(got.error("code"), "host_not_allowed");
  EXPECT_NE(got.error("message").find("allowed_hosts"), std::string::npos);
}

TEST_F(public_listener_test, AnAllowedHostIsServed) {
  settings.server.allowed_hosts = {"llm.example.com"};
  start();
  EXPECT_EQ(under_host("llm.example.com").status, 200);
  EXPECT_EQ(under_host("evil.example").status, 403);
}

TEST_F(public_listener_test, AnyHostIsServedWhereAKeyIsAskedFor) {
  lock();
  start();
  EXPECT_EQ(under_host("llm.example.com", with_key).status, 200);
  EXPECT_EQ(under_host("llm.example.com").status, 401);
}

TEST_F(public_listener_test, TheAdminListenerKeepsItsHostRuleForItAsksForNoKey) {
  lock();
  settings.server.admin = gateway::listen_address{"127.0.0.1", 0};
  start();
  EXPECT_EQ(under_host("rebound.example", "", "/metrics", gateway->admin_port()).status, 403);
  EXPECT_EQ(under_host("localhost", "", "/metrics", gateway->admin_port()).status, 200);
}

TEST_F(public_listener_test, MetricsAskForAnAccessKeyWhereThereAreSome) {
  lock();
  start();
  const http_response refused = get("/metrics");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.body.find("photofinish_build_info"), std::string::npos);
  for (const char* way : {"admin", "open_metrics", "credentials_file"})
    EXPECT_NE(refused.error("message").find(way), std::string::npos) << way;
  const http_response given = get("/metrics", with_key);
  EXPECT_EQ(given.status, 200);
  EXPECT_NE(given.body.find("photofinish_build_info"), std::string::npos);
  EXPECT_EQ(get("/metrics", "authorization: Bearer other\r\n").status, 401);
}

TEST_F(public_listener_test, MetricsAskForNoKeyWhereTheyAreOpenOrThereIsNone) {
  start();
  EXPECT_EQ(get("/metrics").status, 200);
  gateway.reset();
  lock();
  settings.views.open_metrics = true;
  start();
  EXPECT_EQ(get("/metrics").status, 200);
  EXPECT_EQ(get("/v1/models").status, 401);
}

TEST_F(public_listener_test, MetricsAskForAnAdminsKeyWhereTheyAreForAdmins) {
  lock();
  settings.views.metrics_for_admins = true;
  start();
  EXPECT_EQ(get("/metrics", with_key).error("code"), "admin_key_required");
  gateway.reset();
  settings.access.keys[0].is_admin = true;
  start();
  EXPECT_EQ(get("/metrics", with_key).status, 200);
}

TEST_F(public_listener_test, AReloadThatAddsKeysClosesTheMetrics) {
  start();
  ASSERT_EQ(get("/metrics").status, 200);
  lock();
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([this] { return get("/metrics").status == 401; }));
}

TEST_F(public_listener_test, TheRootSaysWhatThisIsAndKeepsItsVersionForThoseWhoNeedNoKey) {
  start();
  EXPECT_NE(get("/").body.find(R"("version":"0")"), std::string::npos);
  gateway.reset();
  lock();
  start();
  EXPECT_EQ(get("/").status, 200);
  EXPECT_EQ(get("/").body.find("version"), std::string::npos);
  EXPECT_NE(get("/").body.find("POST /v1/chat/completions"), std::string::npos);
}

TEST_F(public_listener_test, HealthSaysWhetherRequestsAreServedNow) {
  lock();
  start();
  EXPECT_EQ(get("/health").status, 200);
  test_client client = connect();
  client.get("/health", "", "HEAD");
  EXPECT_EQ(client.read_head().status, 200);
  gateway->leave();
  EXPECT_TRUE(comes_true([this] { return get("/health").status == 503; }));
  EXPECT_EQ(get("/livez").status, 200);
}

}  // namespace
}  // namespace photofinish::testing
