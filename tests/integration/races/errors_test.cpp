// Tests the client's error if no provider answers. The error has a correct
// status, OpenAI's format and the reason of every attempt, but no key.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using script = scripted_provider::script;

class errors_test : public gateway_fixture {
 protected:
  // Adds a route with one provider for each script: p0, p1 and so on. Each provider has a configured key.
  gateway::route& serve(std::vector<script> scripts) {
    gateway::route& route = add_route("r", {});
    for (script& play : scripts) {
      const std::string name = "p" + std::to_string(providers_.size());
      providers_.push_back(std::make_unique<scripted_provider>(std::move(play)));
      add(name, *providers_.back()).key.value = proxy::secret("sk-configured-" + name);
      route.targets.push_back({name, "m"});
    }
    return route;
  }

  http_response fail(std::vector<script> scripts, std::string_view fields = "") {
    serve(std::move(scripts));
    start();
    return post(streamed("r"), fields);
  }

  std::vector<std::unique_ptr<scripted_provider>> providers_;
};

script fails(int status, std::string fields = "") {
  return refuses(status, R"({"error":{"message":"provider says no","type":"t","param":null,"code":null}})", std::move(fields));
}

TEST_F(errors_test, RateLimitedEverywhereIsA429WithTheSmallestWait) {
  const http_response got = fail({fails(429, "Retry-After: 7\r\n"), fails(429, "retry-after-ms: 1500\r\n"), fails(429)});
  EXPECT_EQ(got.status, 429);
  EXPECT_EQ(got.field_or("retry-after-ms", ""), "1500");
  EXPECT_EQ(got.field_or("retry-after", ""), "2");
  EXPECT_EQ(got.error("code"), "rate_limit_exceeded");
  for (const char* attempt : {"p0/m", "p1/m", "p2/m"}) EXPECT_NE(got.error("message").find(attempt), std::string::npos);
}

TEST_F(errors_test, AWaitIsAtMostAMinute) {
  const http_response got = fail({fails(429, "Retry-After: 3600\r\n")});
  EXPECT_EQ(got.field_or("retry-after", ""), "60");
  EXPECT_EQ(got.field_or("retry-after-ms", ""), "60000");
}

TEST_F(errors_test, SpentCreditIsA429ThatIsNotToBeRepeated) {
  const http_response got = fail({fails(402), fails(402)});
  EXPECT_EQ(got.status, 429);
  EXPECT_EQ(got.error("code"), "insufficient_quota");
  EXPECT_EQ(got.field_or("x-should-retry", ""), "false");
}

TEST_F(errors_test, ALimitBeatsABrokenProvider) {
  const http_response got = fail({fails(500), fails(429), fails(400)});
  EXPECT_EQ(got.status, 429);
  EXPECT_EQ(got.field("x-should-retry"), std::nullopt);
}

TEST_F(errors_test, AFaultThatOneProviderAloneSeesIsNotTheClients) {
  EXPECT_EQ(fail({fails(400), fails(500)}).status, 502);
}

TEST_F(errors_test, AFaultThatAllProvidersSeeIsTheClients) {
  const http_response got = fail({fails(400), fails(422)});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("type"), "invalid_request_error") << "not a type of the provider's own";
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_error")"});
}

TEST_F(errors_test, ContextLengthExceededKeepsItsCode) {
  const http_response got = fail({refuses(400, R"({"error":{"message":"too long","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})")});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("code"), "context_length_exceeded");
  EXPECT_EQ(got.error("param"), "messages");
}

TEST_F(errors_test, A413ThatMeansARateLimitIsA429) {
  const http_response got = fail({refuses(413, R"({"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 8000, Requested 9000","type":"tokens","code":"rate_limit_exceeded"}})")});
  EXPECT_EQ(got.status, 429);
}

TEST_F(errors_test, AConfiguredKeyThatIsRefusedIsTheOperatorsTrouble) {
  const http_response got = fail({fails(401)});
  EXPECT_EQ(got.status, 502);
  EXPECT_EQ(got.error("code"), "provider_auth");
}

TEST_F(errors_test, ACallersKeyThatIsRefusedIsTheCallers) {
  EXPECT_EQ(fail({fails(401)}, "x-provider-key-p0: sk-callers-own\r\n").status, 401);
}

TEST_F(errors_test, AKeyThatAProviderEchoesIsNotToldToTheClient) {
  const http_response got = fail({refuses(401, R"({"error":{"message":"Incorrect API key provided: sk-configured-p0."}})")});
  EXPECT_EQ(got.body.find("sk-configured-p0"), std::string::npos) << got.body;
  EXPECT_EQ(got.head.find("sk-configured-p0"), std::string::npos);
}

// A provider whose error quotes the request, as the errors of some providers do to explain a refusal.
script echoes(std::string header, std::function<void(provider_call&, const std::string&)> say) {
  return [header = std::move(header), say = std::move(say)](provider_call& call) {
    say(call, call.request().field(header));
  };
}

void refuse_with(provider_call& call, const std::string& value) {
  call.answer(403, R"({"error":{"message":"no tenant ')" + value + R"('","type":"t","param":")" + value + R"(","code":")" +
                       value + R"("}})");
}

void expect_untold(const http_response& got, std::string_view secret) {
  EXPECT_EQ(got.body.find(secret), std::string::npos) << got.body;
  EXPECT_EQ(got.head.find(secret), std::string::npos) << got.head;
  EXPECT_NE(got.body.find("[redacted]"), std::string::npos) << got.body;
}

TEST_F(errors_test, AHeaderThatAProviderEchoesIsNotToldToTheClient) {
  serve({echoes("x-tenant", refuse_with)});
  settings.providers["p0"].headers = {{"x-tenant", "tenant-secret-1"}};
  start();
  expect_untold(post(streamed("r")), "tenant-secret-1");
}

TEST_F(errors_test, AShortHeaderThatAProviderEchoesIsNotToldToTheClient) {
  serve({echoes("x-pin", refuse_with)});
  settings.providers["p0"].headers = {{"x-pin", "4711"}};
  start();
  expect_untold(post(whole("r")), "4711");
}

TEST_F(errors_test, AnotherProvidersSecretIsNotToldEither) {
  serve({refuses(403, R"({"error":{"message":"sk-configured-other has no rights"}})")});
  settings.providers["other"] = local_provider("other", closed_port());
  settings.providers["other"].key.value = proxy::secret("sk-configured-other");
  start();
  expect_untold(post(streamed("r")), "sk-configured-other");
}

TEST_F(errors_test, AHeaderInABrokenStreamIsNotToldToTheClient) {
  serve({echoes("x-tenant", [](provider_call& call, const std::string& value) {
    call.stream_head();
    call.event(token_chunk("Hello"));
    call.event(R"({"error":{"message":"tenant )" + value + R"( is out"}})");
    call.end();
  })});
  settings.providers["p0"].headers = {{"x-tenant", "tenant-secret-1"}};
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 200);
  expect_untold(got, "tenant-secret-1");
}

TEST_F(errors_test, SilenceUntilTheRaceTimeoutIsA504) {
  serve({stays_silent(), stays_silent()}).race.race_timeout = 120ms;
  start();
  const auto asked_at = test_clock::now();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 504);
  EXPECT_EQ(got.field_or("x-should-retry", ""), "false");
  EXPECT_GE(milliseconds_between(asked_at, test_clock::now()), 120);
  for (const auto& provider : providers_) provider->closed_at(provider->request());
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="failed")", R"(reason="timeout")"});
}

TEST_F(errors_test, OverloadEverywhereIsA503WorthRepeating) {
  const http_response got = fail({fails(503), fails(529)});
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.field_or("retry-after", ""), "1");
}

TEST_F(errors_test, AProviderThatIsNotThereIsA502) {
  proxy::provider& gone = settings.providers["gone"] = local_provider("gone", closed_port());
  gone.limits.connect_timeout = 500ms;
  add_route("r", {"gone/m"});
  start();
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 502);
  EXPECT_NE(got.error("message").find("connect"), std::string::npos);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="failed")", R"(reason="connect")"});
}

TEST_F(errors_test, ACompressedRefusalKeepsItsStatus) {
  EXPECT_EQ(fail({refuses(429, "\x1f\x8b\x08garbage", "Content-Encoding: gzip\r\nRetry-After: 3\r\n")}).field_or("retry-after", ""), "3");
}

TEST_F(errors_test, ARedirectIsNotFollowed) {
  scripted_provider elsewhere(streams({"stolen"}));
  const http_response got = fail({fails(307, "Location: http://127.0.0.1:" + std::to_string(elsewhere.port()) + "/v1/chat/completions\r\n")});
  EXPECT_EQ(got.status, 502);
  EXPECT_EQ(elsewhere.requests().size(), 0u);
}

TEST_F(errors_test, AFailureAfterAnEarlyHeadIsAnErrorEvent) {
  std::atomic<bool> may_answer = false;
  serve({[&](provider_call& call) {
    if (call.wait_until([&] { return may_answer.load(); })) call.answer(500, "{}");
  }}).race.keepalive_after = 30ms;
  start();
  test_client client = connect();
  client.post(streamed("r"));
  EXPECT_TRUE(client.has_head());
  may_answer = true;
  const http_response got = client.read();
  EXPECT_EQ(got.status, 200);
  EXPECT_FALSE(got.is_complete);
  ASSERT_EQ(got.events().size(), 1u) << got.body;
  EXPECT_TRUE(got.events()[0].starts_with(R"({"error":{)"));
}

TEST_F(errors_test, AWinnerAfterAnEarlyHeadIsNamedInAComment) {
  std::atomic<bool> may_answer = false;
  serve({streams_when([&] { return may_answer.load(); }, {"late"})}).race.keepalive_after = 30ms;
  start();
  test_client client = connect();
  client.post(streamed("r"));
  EXPECT_TRUE(client.has_head());
  may_answer = true;
  const http_response got = client.read();
  EXPECT_EQ(got.text(), "late");
  EXPECT_NE(got.body.find(": race winner=p0/m"), std::string::npos) << got.body;
  EXPECT_TRUE(got.is_complete);
}

TEST_F(errors_test, ACommentHasABlankLineAfterItExceptForSdksInGo) {
  std::atomic<bool> may_answer = false;
  serve({streams_when([&] { return may_answer.load(); }, {"late"})}).race.keepalive_after = 30ms;
  start();
  for (const bool is_go : {true, false}) {
    may_answer = false;
    test_client client = connect();
    client.post(streamed("r"), is_go ? "X-Stainless-Lang: go\r\n" : "");
    EXPECT_TRUE(client.has_head());
    may_answer = true;
    const std::string body = client.read().body;
    const std::size_t comment = body.find(": race winner=");
    ASSERT_NE(comment, std::string::npos) << body;
    EXPECT_EQ(body.substr(body.find('\n', comment) + 1).starts_with("data: "), is_go) << body;
  }
}

}  // namespace
}  // namespace photofinish::testing
