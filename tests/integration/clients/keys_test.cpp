// Tests provider keys and access keys. Each provider gets only its own key, and no other credential of the client. Access keys decide which
// clients are admitted.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <algorithm>
#include <atomic>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class keys_test : public gateway_fixture {
 protected:
  keys_test() {
    add("a", a).key.value = proxy::secret("sk-configured-a");
    add("b", b).key.value = proxy::secret("sk-configured-b");
    for (const char* name : {"a", "b"}) settings.providers[name].key.is_optional = false;
    settings.providers["b"].key.auth = proxy::auth_style::header;
    settings.providers["b"].key.header = "api-key";
    add_route("both", {"a/m", "b/m"});
  }

  void expect_no_trace(const scripted_provider& provider, std::string_view secret) {
    for (const received_request& each : provider.requests()) {
      EXPECT_EQ(each.head.find(secret), std::string::npos) << each.head;
      EXPECT_EQ(each.body.find(secret), std::string::npos) << each.body;
    }
  }

  // Starts a race in which no provider answers before all providers have the request.
  void start_race() {
    awaited = 2;
    start();
  }
  void answer(provider_call& call, const char* word, milliseconds ttft) {
    ++asked;
    if (call.wait_until([this] { return asked >= awaited; })) streams({word}, ttft)(call);
  }

  std::atomic<int> asked = 0, awaited = 0;
  scripted_provider a{[this](provider_call& call) { answer(call, "a", 0ms); }};
  scripted_provider b{[this](provider_call& call) { answer(call, "b", 100ms); }};
};

TEST_F(keys_test, EachProviderGetsItsOwnConfiguredKeyInItsOwnHeader) {
  start_race();
  ASSERT_EQ(post(streamed("both")).status, 200);
  EXPECT_EQ(a.request().field("authorization"), "Bearer sk-configured-a");
  EXPECT_EQ(b.request().field("api-key"), "sk-configured-b");
  EXPECT_EQ(b.request().field("authorization"), "");
}

TEST_F(keys_test, ACallersKeysGoToTheirProvidersAlone) {
  start_race();
  ASSERT_EQ(post(streamed("both"), "x-provider-key-a: own-a\r\nx-provider-key-b: own-b\r\n").status, 200);
  EXPECT_EQ(a.request().field("authorization"), "Bearer own-a");
  EXPECT_EQ(b.request().field("api-key"), "own-b");
  expect_no_trace(a, "own-b"), expect_no_trace(b, "own-a");
  expect_no_trace(a, "sk-configured"), expect_no_trace(b, "sk-configured");
}

TEST_F(keys_test, AKeyringInOneBearerTokenRaces) {
  start_race();
  ASSERT_EQ(post(streamed("both"), "Authorization: Bearer a=own-a=,b=own-b\r\n").status, 200);
  EXPECT_EQ(a.request().field("authorization"), "Bearer own-a=");
  EXPECT_EQ(b.request().field("api-key"), "own-b");
}

TEST_F(keys_test, ACallerWithSomeKeysRunsOnThoseAlone) {
  start();
  const http_response got = post(streamed("both"), "x-provider-key-b: own-b\r\n");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "b/m");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "a/m;reason=no_key");
  EXPECT_EQ(a.requests().size(), 0u);
}

TEST_F(keys_test, APlainBearerTokenIsNeverSentUpstream) {
  start_race();
  ASSERT_EQ(post(streamed("both"), "Authorization: Bearer sk-clients-secret\r\n").status, 200);
  b.request();
  expect_no_trace(a, "sk-clients-secret"), expect_no_trace(b, "sk-clients-secret");
}

TEST_F(keys_test, APlainBearerTokenIsTheKeyOfAProviderThatAcceptsItWhenItIsAlone) {
  settings.providers["a"].forwarding.accept_bearer = true;
  add_route("alone", {"a/m"});
  start();
  ASSERT_EQ(post(streamed("alone"), "Authorization: Bearer sk-clients-own\r\n").status, 200);
  ASSERT_EQ(post(streamed("both"), "Authorization: Bearer sk-clients-own\r\n").status, 200);
  EXPECT_EQ(a.request(0).field("authorization"), "Bearer sk-clients-own");
  EXPECT_EQ(a.request(1).field("authorization"), "Bearer sk-configured-a");
}

TEST_F(keys_test, NoClientHeaderGoesUpstreamUnlessItIsNamed) {
  settings.providers["a"].forwarding.headers = {"x-trace"};
  settings.providers["a"].headers = {{"X-Team", "search"}};
  start_race();
  ASSERT_EQ(post(streamed("both"),
                 "x-trace: t-1\r\nx-other: leaked-1\r\nCookie: leaked-2\r\nUser-Agent: leaked-3\r\nx-request-id: leaked-4\r\n"
                 "X-Forwarded-For: leaked-5\r\nAccept-Language: leaked-6\r\n").status, 200);
  EXPECT_EQ(a.request().field("x-trace"), "t-1");
  EXPECT_EQ(a.request().field("x-team"), "search");
  EXPECT_EQ(b.request().field("x-trace"), "");
  expect_no_trace(a, "leaked"), expect_no_trace(b, "leaked");
}

TEST_F(keys_test, WithoutAnyKeyItIsA401ThatSaysHowToBringOne) {
  for (auto& [name, provider] : settings.providers) provider.key.value = proxy::secret();
  start();
  const http_response got = post(whole("both"));
  EXPECT_EQ(got.status, 401);
  EXPECT_EQ(got.error("code"), "invalid_api_key");
  EXPECT_NE(got.error("message").find("x-provider-key-a"), std::string::npos);
}

TEST_F(keys_test, AnUnknownNameInAKeyringIsA401WithoutItsValue) {
  start();
  const http_response got = post(whole("both"), "Authorization: Bearer a=own-a,typo=very-secret\r\n");
  EXPECT_EQ(got.status, 401);
  EXPECT_NE(got.error("message").find("typo"), std::string::npos);
  EXPECT_EQ(got.body.find("very-secret"), std::string::npos);
}

TEST_F(keys_test, AKeyThatAStreamEchoesAfterTheFirstTokenIsNotTold) {
  scripted_provider echo([](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.wait(20ms);
    call.event(R"({"error":{"message":"bad key sk-configured-a"}})");
  });
  settings.providers["a"] = local_provider("a", echo.port());
  settings.providers["a"].key.value = proxy::secret("sk-configured-a");
  add_route("alone", {"a/m"});
  start();
  const http_response got = post(streamed("alone"));
  EXPECT_NE(got.body.find("bad key"), std::string::npos) << got.body;
  EXPECT_EQ(got.body.find("sk-configured-a"), std::string::npos) << got.body;
}

class access_test : public keys_test {
 protected:
  access_test() {
    add_route("fast", {"a/m"});
    settings.access.keys = {{"search", proxy::secret("door-1"), {"fast"}}, {"all", proxy::secret("door-2"), {}}};
    start();
  }
};

TEST_F(access_test, WithoutAKeyNobodyEnters) {
  test_client client = connect();
  client.post(whole("fast"));
  const http_response got = client.read();
  EXPECT_EQ(got.status, 401);
  EXPECT_EQ(got.error("type"), "authentication_error");
  client.post(whole("fast"), "Authorization: Bearer door-2\r\n");  // checks that the connection is still open
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(get("/v1/models").status, 401);
  EXPECT_EQ(get("/livez").status, 200);
}

TEST_F(access_test, AKeyOpensInEachOfItsThreePlacesAndStaysHere) {
  EXPECT_EQ(post(whole("fast"), "Authorization: Bearer door-1\r\n").status, 200);
  EXPECT_EQ(post(whole("fast"), "x-photofinish-key: door-1\r\n").status, 200);
  EXPECT_EQ(post(whole("fast"), "Authorization: Bearer photofinish=door-1,a=own-a\r\n").status, 200);
  expect_no_trace(a, "door-1");
  EXPECT_EQ(a.request(2).field("authorization"), "Bearer own-a");
  expect_metric(3, "photofinish_requests_total", {R"(client="search")", R"(outcome="ok")"});
}

TEST_F(access_test, AKeyOpensItsOwnRoutesAlone) {
  EXPECT_EQ(post(whole("both"), "Authorization: Bearer door-1\r\n").status, 403);
  EXPECT_EQ(post(whole("a/m"), "Authorization: Bearer door-1\r\n").status, 403);
  EXPECT_EQ(post(whole("both"), "Authorization: Bearer door-2\r\n").status, 200);
}

TEST_F(access_test, AWrongKeyIsA401) {
  EXPECT_EQ(post(whole("fast"), "Authorization: Bearer door-3\r\n").status, 401);
}

class browser_test : public keys_test {
 protected:
  browser_test() {
    settings.server.cors_origins = {"https://app.example.com"};
    start();
  }
};

TEST_F(browser_test, AnAllowedOriginMayCallAndSeesTheRaceHeaders) {
  const http_response got = post(streamed("both"), "Origin: https://app.example.com\r\n");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.field_or("access-control-allow-origin", ""), "https://app.example.com");
  EXPECT_NE(got.field_or("access-control-expose-headers", "").find("x-race-winner"), std::string::npos);
}

TEST_F(browser_test, APreflightIsAnswered) {
  test_client client = connect();
  client.get("/v1/chat/completions",
             "Origin: http://localhost:3000\r\nAccess-Control-Request-Method: POST\r\n"
             "Access-Control-Request-Headers: authorization, content-type, x-stainless-os\r\n", "OPTIONS");
  const http_response got = client.read();
  EXPECT_EQ(got.status, 204);
  EXPECT_NE(got.field_or("access-control-allow-headers", "").find("x-stainless-os"), std::string::npos);
  EXPECT_NE(got.field_or("access-control-allow-methods", "").find("POST"), std::string::npos);
}

TEST_F(browser_test, AForeignOriginIsRefusedOnTheRequestItself) {
  const http_response got = post(streamed("both"), "Origin: https://evil.example\r\n");
  EXPECT_EQ(got.status, 403);
  EXPECT_EQ(got.error("code"), "origin_not_allowed");
  EXPECT_EQ(got.field_or("access-control-allow-origin", ""), "https://evil.example") << "its page may read why";
  EXPECT_EQ(got.field("access-control-expose-headers"), std::nullopt);
  EXPECT_EQ(a.requests().size(), 0u);
}

TEST_F(browser_test, AForeignOriginsPreflightLetsItsPageReadTheRefusal) {
  for (const char* origin : {"null", "https://evil.example", "chrome-extension://abc"}) {
    test_client client = connect();
    client.get("/v1/chat/completions", "Origin: " + std::string(origin) + "\r\nAccess-Control-Request-Method: POST\r\n", "OPTIONS");
    const http_response got = client.read();
    EXPECT_EQ(got.status, 204) << origin;
    EXPECT_EQ(got.field_or("access-control-allow-origin", ""), origin);
    EXPECT_EQ(post(streamed("both"), "Origin: " + std::string(origin) + "\r\n").error("code"), "origin_not_allowed") << origin;
  }
}

TEST_F(browser_test, ADesktopAppMayCallOnLoopback) {
  for (const char* origin : {"tauri://localhost", "vscode-webview://0a1b", "capacitor://localhost", "app://-"}) {
    const http_response got = post(streamed("both"), "Origin: " + std::string(origin) + "\r\n");
    EXPECT_EQ(got.status, 200) << origin;
    EXPECT_EQ(got.field_or("access-control-allow-origin", ""), origin);
  }
}

TEST_F(browser_test, AForeignHostIsRefusedOnLoopback) {
  test_client client = connect();
  client.send("GET /v1/models HTTP/1.1\r\nHost: rebound.example\r\n\r\n");
  const http_response got = client.read();
  EXPECT_EQ(got.status, 403);
  EXPECT_EQ(got.error("code"), "host_not_allowed");
}

}  // namespace
}  // namespace photofinish::testing
