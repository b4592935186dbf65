// Tests the limits of keys, teams and routes end to end: which requests the gateway serves, which it refuses, and with which message.
#include "tests/integration/clients/own_limits_fixture.hpp"
#include "tests/support/gateway/captured_log.hpp"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

const std::string key = "Authorization: Bearer key-a\r\n";

TEST_F(own_limits_test, RequestsAMinuteAreAKeysOwn) {
  of(0).requests_per_minute = 2;
  start();
  EXPECT_EQ(ask().status, 200);
  const http_response last = ask();
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.field_or("x-ratelimit-limit-requests", ""), "2");
  EXPECT_EQ(last.field_or("x-ratelimit-remaining-requests", ""), "0");
  EXPECT_NE(last.field_or("x-ratelimit-reset-requests", ""), "");
  const http_response refused = ask();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.error("code"), "rate_limit_exceeded");
  EXPECT_LE(std::stoi(refused.field_or("retry-after", "99")), 30);
  EXPECT_GT(std::stoi(refused.field_or("retry-after-ms", "0")), 0);
  EXPECT_FALSE(refused.field("x-should-retry"));
  EXPECT_EQ(ask("key-b").status, 200);
  EXPECT_EQ(provider.requests().size(), 3u);
}

TEST_F(own_limits_test, RequestsThatUseNoProviderAreLimitedApart) {
  of(0).requests_per_minute = 2;
  start();
  const std::string mine = "Authorization: Bearer key-a\r\n";
  EXPECT_EQ(get("/v1/models", mine).status, 200);
  test_client counting = connect();
  counting.post(R"({"model":"fast","messages":[{"role":"user","content":"hi"}]})", mine, "/v1/messages/count_tokens");
  EXPECT_EQ(counting.read().status, 200);
  for (const char* path : {"/v1/models", "/v1/models/fast", "/v1/usage", "/v1/races", "/v1/races/x", "/v1/providers/stats"}) {
    const http_response refused = get(path, mine);
    EXPECT_EQ(refused.status, 429) << path;
    EXPECT_EQ(refused.error("code"), "rate_limit_exceeded") << path;
    EXPECT_GT(std::stoi(refused.field_or("retry-after-ms", "0")), 0) << path;
  }
  EXPECT_EQ(ask().status, 200);
  EXPECT_EQ(ask().status, 200) << "they use up nothing of what answers have";
  EXPECT_EQ(ask().status, 429);
  EXPECT_EQ(get("/v1/models", "Authorization: Bearer key-b\r\n").status, 200) << "which has no limit";
}

TEST_F(own_limits_test, AnAdminsKeyWatchesWithoutALimit) {
  of(0).requests_per_minute = 1;
  settings.access.keys[0].is_admin = true;
  start();
  for (int count = 0; count < 5; ++count)
    EXPECT_EQ(get("/v1/usage", "Authorization: Bearer key-a\r\n").status, 200);
}

TEST_F(own_limits_test, EachApiSaysItInItsOwnWords) {
  of(0).requests_per_minute = 1;
  start();
  ASSERT_EQ(ask().status, 200);
  test_client client = connect();
  client.post(R"({"model":"fast","max_tokens":9,"messages":[{"role":"user","content":"hi"}]})",
              "x-api-key: key-a\r\nanthropic-version: 2023-06-01\r\n", "/v1/messages");
  const http_response refused = client.read();
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.body.find(R"("type":"rate_limit_error")"), std::string::npos) << refused.body;
  EXPECT_NE(refused.body.find(R"("type":"error")"), std::string::npos) << refused.body;
}

TEST_F(own_limits_test, ATeamsLimitIsSharedByItsKeys) {
  settings.access.teams["search"].requests_per_minute = 2;
  settings.access.keys[0].team = settings.access.keys[1].team = "search";
  start();
  EXPECT_EQ(ask("key-a").status, 200);
  EXPECT_EQ(ask("key-b").status, 200);
  EXPECT_EQ(ask("key-a").status, 429);
  EXPECT_EQ(ask("key-b").status, 429);
}

TEST_F(own_limits_test, ARoutesLimitHoldsForAllAndAKeysOnThatRouteForItself) {
  settings.routes["deep"].limits.requests_per_minute = 2;
  settings.access.keys[0].by_route["deep"].requests_per_minute = 1;
  start();
  EXPECT_EQ(ask("key-a", "deep").status, 200);
  EXPECT_EQ(ask("key-a", "deep").status, 429);
  EXPECT_EQ(ask("key-a", "fast").status, 200);
  EXPECT_EQ(ask("key-b", "deep").status, 200);
  EXPECT_EQ(ask("key-b", "deep").status, 429);
}

TEST_F(own_limits_test, APlaceIsFreeAgainWhenItsClientLeaves) {
  of(0).parallel_requests = 2;
  is_held = true;
  start();
  {
    std::vector<test_client> clients;
    for (int each = 0; each < 2; ++each) {
      clients.push_back(connect());
      clients.back().post(streamed("fast"), "Authorization: Bearer key-a\r\n");
      clients.back().read_until("hi");
    }
    const http_response refused = ask();
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.error("code"), "rate_limit_exceeded");
    for (test_client& each : clients) each.reset();
  }
  is_held = false;
  EXPECT_TRUE(comes_true([this] { return ask().status == 200; }));
  EXPECT_EQ(ask().status, 200);
}

TEST_F(own_limits_test, ARefusedRequestUsesUpNothing) {
  of(0).requests_per_minute = 3;
  of(0).parallel_requests = 1;
  is_held = true;
  start();
  test_client holder = connect();
  holder.post(streamed("fast"), "Authorization: Bearer key-a\r\n");
  holder.read_until("hi");
  for (int each = 0; each < 5; ++each) EXPECT_EQ(ask().status, 429);
  is_held = false;
  holder.read();
  EXPECT_TRUE(comes_true([this] { return ask().status == 200; }));
  EXPECT_EQ(ask().status, 200);
  EXPECT_EQ(ask().status, 429);
}

TEST_F(own_limits_test, TokensAreSettledByWhatTheAnswerHad) {
  of(0).tokens_per_minute = 1000;
  start();
  EXPECT_EQ(ask("key-a", "fast", R"(,"max_tokens":900)").status, 200);
  wait_for_answers(1);  // the request uses 5 tokens: 3 tokens of the prompt and 2 tokens of the answer
  output_tokens = 2000;
  const http_response second = ask("key-a", "fast", R"(,"max_tokens":900)");
  EXPECT_EQ(second.status, 200);
  EXPECT_LT(std::stoi(second.field_or("x-ratelimit-remaining-tokens", "9999")), 150);
  wait_for_answers(2);
  const http_response refused = ask("key-a", "fast", R"(,"max_tokens":1)");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.field_or("x-ratelimit-remaining-tokens", ""), "0");
  EXPECT_GT(std::stoi(refused.field_or("retry-after", "0")), 30);  // the limit admits no further requests for about a minute
}

TEST_F(own_limits_test, WhatNeverFitsIsA400) {
  of(0).tokens_per_minute = 1000;
  start();
  const http_response refused = ask("key-a", "fast", R"(,"max_tokens":1000)");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.error("code"), "request_exceeds_limit");
  EXPECT_FALSE(refused.field("retry-after"));
}

TEST_F(own_limits_test, ABudgetThatIsSpentIsNotTriedAgain) {
  of(0).budget_nano_usd = 3'000'000'000;
  start();
  const http_response first = ask();
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.field_or("x-photofinish-key-budget-usd", ""), "3");
  EXPECT_EQ(first.field_or("x-photofinish-key-spend-usd", ""), "0");
  EXPECT_GT(std::stoi(first.field_or("x-photofinish-key-budget-reset", "0")), 0);
  wait_for_answers(1);
  EXPECT_EQ(ask().field_or("x-photofinish-key-spend-usd", ""), "2");
  wait_for_answers(2);
  const http_response refused = ask();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.error("code"), "insufficient_quota");
  EXPECT_NE(refused.error("message").find("budget exceeded"), std::string::npos);
  EXPECT_EQ(refused.field_or("x-should-retry", ""), "false");
  EXPECT_FALSE(refused.field("retry-after"));
  EXPECT_EQ(ask("key-b").status, 200);
  const http_response models = get("/v1/models", "Authorization: Bearer key-a\r\n");
  EXPECT_EQ(models.status, 200);
  EXPECT_EQ(models.field_or("x-photofinish-key-spend-usd", ""), "4");
  expect_metric(4, "photofinish_budget_spend_usd", {R"(scope="key")", R"(name="alice")"});
  expect_metric(3, "photofinish_budget_usd", {R"(scope="key")", R"(name="alice")"});
}

// The provider reports a billion tokens for five letters. These tokens would cost $10,000, but the budget is $5.
TEST_F(own_limits_test, ABudgetSurvivesUsageThatCannotBe) {
  settings.providers["a"].prices = {{"m", *proxy::parse_prices("10/10")}};
  of(0).budget_nano_usd = 5'000'000'000;
  settings.access.keys[0].team = "search";
  settings.access.teams["search"].budget_nano_usd = 5'000'000'000;
  settings.routes["fast"].limits.budget_nano_usd = 5'000'000'000;
  settings.server.workers = 1;
  output_tokens = 1'000'000'000;
  input_tokens = 1'000'000'000;
  captured_log log;
  start();
  EXPECT_EQ(ask().status, 200);
  wait_for_answers(1);
  EXPECT_EQ(ask().status, 200);
  wait_for_answers(2);
  EXPECT_LT(std::stod(get("/v1/models", "Authorization: Bearer key-a\r\n").field_or("x-photofinish-key-spend-usd", "9")),
            4.5);
  EXPECT_LE(metric("photofinish_client_tokens_total", {R"(client="alice")", R"(direction="output")"}), 300'000);
  EXPECT_LE(metric("photofinish_client_tokens_total", {R"(client="alice")", R"(direction="input")"}), 150'000);
  EXPECT_LE(metric("photofinish_output_tokens_total", {R"(source="usage")"}), 300'000);
  EXPECT_TRUE(comes_true([&log] { return log.lines_with({"usage=capped", "status=200"}).size() == 2; }));
  EXPECT_TRUE(log.logs_once({"a/m reports impossible usage: 1000000000 input and 1000000000 output"}))
      << "one line for a target, not one for each request";
}

TEST_F(own_limits_test, UsageThatCanBeIsNotCut) {
  output_tokens = 100'000;  // hidden reasoning
  input_tokens = 20'000;
  captured_log log;
  start();
  EXPECT_EQ(ask().status, 200);
  expect_metric(100'000, "photofinish_client_tokens_total", {R"(client="alice")", R"(direction="output")"});
  expect_metric(20'000, "photofinish_client_tokens_total", {R"(client="alice")", R"(direction="input")"});
  EXPECT_TRUE(log.lines_with({"capped"}).empty());
}

// The limit of tokens per minute admits one request of this test, but not two requests together.
TEST_F(own_limits_test, ABurstIsLimitedHoweverItSaysItsLength) {
  of(0).tokens_per_minute = 25'000;
  is_held = true;
  start();
  for (const char* more : {R"(,"max_tokens":20000.0)", R"(,"max_tokens":2e4)", R"(,"max_tokens":"20000")",
                           R"(,"max_tokens":20000,"max_output_tokens":1)", R"(,"max_completion_tokens":20000)",
                           R"(,"n":20,"max_tokens":1000)", R"(,"n":20)"}) {
    test_client first = connect(), second = connect();
    first.post(streamed("fast", more), key);
    first.read_until("hi");
    second.post(streamed("fast", more), key);
    EXPECT_EQ(second.read_until("hi").status, 429) << more;
    first.reset();
    second.reset();
    ASSERT_TRUE(comes_true([this] { return tokens_left() > 24'000; })) << more << ": " << tokens_left();
  }
}

// Each request reserves 1,024 tokens. The limit therefore admits fewer than 25 requests at first, and a few more as it refills during the
// test.
TEST_F(own_limits_test, ABurstOfUnknownLengthsIsLimited) {
  of(0).tokens_per_minute = 25'000;
  is_held = true;
  start();
  for (const char* more : {"", R"(,"max_tokens":-1)", R"(,"max_tokens":null)"}) {
    std::vector<test_client> clients;
    std::size_t admitted = 0;
    for (int each = 0; each < 40; ++each) {
      test_client& client = clients.emplace_back(connect());
      client.post(streamed("fast", more), key);
      if (client.read_until("hi").status == 200) ++admitted;
    }
    EXPECT_LT(admitted, 35u) << more;
    EXPECT_GE(admitted, 20u) << more;
    for (test_client& each : clients) each.reset();
    ASSERT_TRUE(comes_true([this] { return tokens_left() > 24'000; })) << more << ": " << tokens_left();
  }
}

TEST_F(own_limits_test, WhatLosersCostIsSpent) {
  std::atomic<int> asked = 0;
  scripted_provider loser([&asked](provider_call& call) {
    ++asked;
    call.stream_head();
    call.wait(std::chrono::hours(1));
  });
  add("l", loser).prices = {{"m", *proxy::parse_prices("0/1000000")}};
  settings.providers["l"].behaves.billing = proxy::cancel_billing::full;
  add_route("raced", {"l/m", "a/m"});
  of(0).budget_nano_usd = 100'000'000'000;
  start();
  is_silent = true;
  test_client client = connect();
  client.post(streamed("raced"), "Authorization: Bearer key-a\r\n");
  EXPECT_TRUE(comes_true([&asked] { return asked == 1; }));
  is_silent = false;
  client.read();
  expect_metric(4, "photofinish_client_cost_usd_total", {R"(client="alice")"});  // the winner and the loser cost 2 dollars each
  expect_metric(2, "photofinish_client_cost_usd_total", {R"(client="alice")", R"(kind="loser")"});
  expect_metric(2, "photofinish_client_tokens_total", {R"(direction="lost_output")"});
  expect_metric(2, "photofinish_client_tokens_total", {R"(direction="output")"});
  expect_metric(3, "photofinish_client_tokens_total", {R"(direction="input")"});
  expect_metric(4, "photofinish_budget_spend_usd", {R"(name="alice")"});
}

TEST_F(own_limits_test, AReloadKeepsWhatWasUsed) {
  of(0).requests_per_minute = 2;
  start();
  EXPECT_EQ(ask().status, 200);
  EXPECT_EQ(ask().status, 200);
  of(0).requests_per_minute = 4;  // the earlier requests have used up the limit
  settings.server.drain_delay += 1ms;
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([this] {
    return get("/v1/models", "Authorization: Bearer key-a\r\n").field_or("x-ratelimit-limit-requests", "") == "4";
  }));
  EXPECT_EQ(ask().status, 429);
}

TEST_F(own_limits_test, ABlockedAndAnExpiredKeyOpenNothing) {
  settings.access.keys[0].is_blocked = true;
  settings.access.keys[1].expires = std::chrono::sys_seconds(std::chrono::seconds(1));
  settings.access.keys.push_back({"carol", proxy::secret("key-c"), {}});
  settings.access.keys[2].expires = std::chrono::sys_days(std::chrono::year(2999) / 1 / 1);
  settings.views.open_metrics = true;
  captured_log log;
  start();
  for (const char* key : {"key-a", "key-b"}) {
    const http_response refused = ask(key);
    EXPECT_EQ(refused.status, 401) << key;
    EXPECT_EQ(refused.error("code"), "invalid_api_key");
    EXPECT_EQ(get("/v1/models", "Authorization: Bearer " + std::string(key) + "\r\n").status, 401);
  }
  EXPECT_EQ(ask("key-c").status, 200);
  EXPECT_TRUE(provider.requests().size() == 1);
  expect_metric(2, "photofinish_limit_rejections_total", {R"(client="alice")", R"(kind="blocked")"});
  expect_metric(2, "photofinish_limit_rejections_total", {R"(client="bob")", R"(kind="expired")"});
  EXPECT_TRUE(comes_true([&log] { return log.lines_with({"alice", "invalid_api_key"}).size() == 2; }));
}

TEST_F(own_limits_test, ARefusalIsLoggedAndCounted) {
  of(0).requests_per_minute = 1;
  settings.access.keys[0].team = "search";
  settings.access.teams["search"] = {};
  captured_log log;
  start();
  ASSERT_EQ(ask().status, 200);
  EXPECT_EQ(ask().status, 429);
  expect_metric(1, "photofinish_limit_rejections_total", {R"(client="alice")", R"(team="search")", R"(kind="rpm")"});
  expect_metric(1, "photofinish_limit_reached_total", {R"(scope="key")", R"(name="alice")", R"(kind="rpm")"});
  EXPECT_TRUE(comes_true([&log] { return log.lines_with({"alice", "rate_limit_exceeded", R"(limit="key alice rpm")"}).size() == 1; }));
}

TEST_F(own_limits_test, ARefusalSaysWhoseLimitItWas) {
  settings.access.keys[0].team = "search";
  settings.access.teams["search"].tokens_per_minute = 10'000;
  settings.routes["deep"].limits.requests_per_minute = 1;
  captured_log log;
  start();
  EXPECT_EQ(ask("key-b", "deep").status, 200);
  EXPECT_EQ(ask("key-b", "deep").status, 429);
  expect_metric(1, "photofinish_limit_reached_total", {R"(scope="route")", R"(name="deep")", R"(kind="rpm")"});
  EXPECT_TRUE(comes_true([&log] { return log.lines_with({"bob", R"(limit="route deep rpm")"}).size() == 1; }));
  EXPECT_EQ(ask("key-a", "fast", R"(,"max_tokens":9000)").status, 200);
  EXPECT_EQ(ask("key-a", "fast", R"(,"max_tokens":9999999)").status, 400);
  expect_metric(1, "photofinish_limit_reached_total", {R"(scope="team")", R"(name="search")", R"(kind="size")"});
  EXPECT_TRUE(comes_true([&log] { return log.lines_with({"alice", R"(limit="team search size")"}).size() == 1; }));
}

TEST_F(own_limits_test, AKeyIsKnownByItsHashAlone) {
  settings.access.keys = {{.name = "old", .key = proxy::secret("key-a"), .routes = {}},
                          {.name = "new", .key = {}, .routes = {"fast"},
                           .hashes = {gateway::digest_of_key("key-1"), gateway::digest_of_key("key-2")}}};
  start();
  EXPECT_EQ(ask("key-1").status, 200);
  EXPECT_EQ(ask("key-2").status, 200);
  EXPECT_EQ(ask("key-3").status, 401);
  EXPECT_EQ(ask("key-1", "deep").status, 403);
  for (const received_request& each : provider.requests()) EXPECT_EQ(each.head.find("key-"), std::string::npos);
}

TEST_F(own_limits_test, WithoutLimitsNoHeaderTellsOfAny) {
  start();
  const http_response got = ask();
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.head.find("x-ratelimit"), std::string::npos) << got.head;
  EXPECT_EQ(got.head.find("x-photofinish-key"), std::string::npos) << got.head;
}

// Sends many requests to several workers, and checks that exactly the permitted number of requests is served.
TEST_F(own_limits_test, WorkersShareOneLimit) {
  of(0).requests_per_minute = 3;
  settings.server.workers = 3;
  start();
  int served = 0;
  const auto begun = test_clock::now();
  std::vector<test_client> clients;
  for (int each = 0; each < 30; ++each) {
    clients.push_back(connect());
    clients.back().post(streamed("fast"), "Authorization: Bearer key-a\r\n");
  }
  for (test_client& each : clients) served += each.read().status == 200 ? 1 : 0;
  const auto refilled = static_cast<int>((test_clock::now() - begun) / std::chrono::seconds(20));
  EXPECT_GE(served, 3);
  EXPECT_LE(served, 3 + refilled);
}

}  // namespace
}  // namespace photofinish::testing
