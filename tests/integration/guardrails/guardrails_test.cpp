// Tests guardrails: which requests pass and which are refused. The gateway writes no byte of an answer before the guardrail's verdict.
#include "tests/integration/guardrails/guardrail_fixture.hpp"
#include "tests/support/gateway/captured_log.hpp"

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using gateway::guardrail_mode;
using gateway::without_verdict;

class guardrails_test : public guardrail_fixture {
 protected:
  scripted_provider::script when_allowed(std::string answer) {
    return [this, answer = std::move(answer)](provider_call& call) {
      if (call.wait_until([this] { return may_judge.load(); })) call.answer(200, answer);
    };
  }
  // Waits until the provider has sent its answer and the worker has read this answer.
  void wait_for_spoken() {
    ASSERT_TRUE(comes_true([this] { return spoken == 1; }));
    pass_time();
  }
};

TEST_F(guardrails_test, APassedRequestIsAnswered) {
  captured_log log;
  judge_with(passes);
  pii().headers = {{"authorization", proxy::secret("Bearer its-own")}};
  pii().service.url.path = "/v1";
  start();
  EXPECT_EQ(post(streamed("fast"), "Authorization: Bearer clients\r\nx-request-id: r-1\r\n").text(), "onetwo");
  const received_request shown = service.request();
  EXPECT_TRUE(shown.head.starts_with("POST /v1/request HTTP/1.1\r\n")) << shown.head;
  EXPECT_EQ(shown.field("authorization"), "Bearer its-own");
  EXPECT_EQ(shown.field("x-request-id"), "r-1");
  EXPECT_EQ(shown.head.find("clients"), std::string::npos) << "a client's key is not for it";
  EXPECT_EQ(shown.body, R"({"body":{"messages":[{"role":"user","content":"hi"}]}})");
  expect_verdicts(1, "pass");
  EXPECT_TRUE(log.logs_once({"guardrail=pass", "outcome=ok"}));
}

TEST_F(guardrails_test, ItsConnectionIsUsedAgain) {
  judge_with(passes);
  start();
  for (int each = 0; each < 3; ++each) EXPECT_EQ(post(streamed("fast")).status, 200);
  ASSERT_EQ(asked(), 3u);
  EXPECT_EQ(service.request(2).connection, service.request(1).connection);
}

TEST_F(guardrails_test, OtherRoutesAreNotJudged) {
  judge_with(rejects);
  start();
  EXPECT_EQ(post(streamed("free")).text(), "free");
  EXPECT_EQ(asked(), 0u);
}

// In parallel mode the race starts immediately, but the first token is held until the guardrail's verdict.
TEST_F(guardrails_test, InParallelTheFirstTokenIsHeldUntilTheVerdict) {
  for (const bool is_streamed : {true, false}) {
    spoken = 0, may_judge = false;
    judge_by(when_allowed(passes));
    if (!gateway) start();
    test_client client = connect();
    client.post(is_streamed ? streamed("fast") : whole("fast"));
    wait_for_spoken();
    EXPECT_FALSE(client.has_bytes());
    may_judge = true;
    const http_response got = client.read();
    EXPECT_EQ(got.status, 200);
    EXPECT_NE(got.body.find("one"), std::string::npos);
  }
}

TEST_F(guardrails_test, NoEarlyHeadIsWrittenBeforeTheVerdict) {
  settings.routes["fast"].race.keepalive_after = 1ms;
  may_speak = false;
  judge_by(when_allowed(passes));
  start();
  test_client client = connect();
  client.post(streamed("fast"));
  service.request();
  const auto asked_at = test_clock::now();
  while (test_clock::now() - asked_at < 20ms) pass_time();
  EXPECT_FALSE(client.has_bytes());
  may_judge = true;
  EXPECT_TRUE(client.has_head()) << "and then it is";
  may_speak = true;
  EXPECT_EQ(client.read().text(), "onetwo");
}

TEST_F(guardrails_test, ARejectionInParallelEndsTheRace) {
  captured_log log;
  may_speak = false;
  judge_by(when_allowed(rejects));
  start();
  test_client client = connect();
  client.post(streamed("fast"));
  const received_request raced_one = provider.request();
  may_judge = true;
  const http_response got = client.read();
  EXPECT_EQ(got.status, 403);
  EXPECT_EQ(got.error("code"), "content_blocked");
  EXPECT_EQ(got.error("message"), "the guardrail 'pii' blocks this request: a card number");
  EXPECT_EQ(got.field_or("x-should-retry", ""), "false");
  provider.closed_at(raced_one);
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_error")"});
  expect_verdicts(1, "reject");
  EXPECT_TRUE(log.logs_once({"guardrail=reject:pii", "code=content_blocked", "status=403"}));
  EXPECT_TRUE(log.lines_with({"card number"}).empty());
  may_speak = true;
  judge_with(passes);
  EXPECT_EQ(post(streamed("fast")).text(), "onetwo") << "its target is not cooled down";
}

TEST_F(guardrails_test, ARejectionBehindTheFirstTokenIsNoAnswer) {
  judge_by(when_allowed(rejects));
  start();
  test_client client = connect();
  client.post(streamed("fast"));
  wait_for_spoken();
  may_judge = true;
  const http_response got = client.read();
  EXPECT_EQ(got.status, 403);
  EXPECT_EQ(got.body.find("one"), std::string::npos);
  judge_with(passes);
  EXPECT_EQ(post(streamed("fast")).text(), "onetwo");
}

TEST_F(guardrails_test, BeforeItsVerdictNothingLeavesTheHouse) {
  pii().mode = guardrail_mode::before;
  judge_by(when_allowed(passes));
  start();
  test_client client = connect();
  client.post(streamed("fast"));
  service.request();
  pass_time();
  EXPECT_EQ(raced(), 0u);
  may_judge = true;
  EXPECT_EQ(client.read().text(), "onetwo");
}

TEST_F(guardrails_test, ARejectionBeforeTheRaceAsksNoTarget) {
  pii().mode = guardrail_mode::before;
  judge_with(rejects);
  start();
  EXPECT_EQ(post(streamed("fast")).error("code"), "content_blocked");
  EXPECT_EQ(raced(), 0u);
  expect_metric(0, "photofinish_inflight_requests");
}

TEST_F(guardrails_test, AReasonIsShownWithoutTheServicesKey) {
  pii().headers = {{"authorization", proxy::secret("Bearer guard-key-0123456789")}};
  judge_with(R"({"action":{"body":"blocked","status_code":403,"reason":"guard-key-0123456789 found a card number"}})");
  start();
  const http_response got = post(streamed("fast"));
  EXPECT_EQ(got.error("code"), "content_blocked");
  EXPECT_NE(got.error("message").find("[redacted] found a card number"), std::string::npos) << got.body;
}

// After the guardrail's timeout, and not before, the client gets either the first token or a 503. This is acceptance test 15 of the design.
TEST_F(guardrails_test, OneThatHangsRefusesAfterItsTimeout) {
  for (const guardrail_mode mode : {guardrail_mode::parallel, guardrail_mode::before}) {
    pii().mode = mode;
    pii().timeout = 150ms;
    judge_by([](provider_call& call) { call.hang(); });
    start();
    const auto asked_at = test_clock::now();
    const http_response got = post(streamed("fast"));
    EXPECT_GE(test_clock::now() - asked_at, 150ms);
    EXPECT_EQ(got.status, 503);
    EXPECT_EQ(got.error("code"), "guardrail_unavailable");
    EXPECT_EQ(got.field_or("retry-after", ""), "1");
    EXPECT_EQ(got.body.find("one"), std::string::npos);
    expect_verdicts(1, "timeout");
    gateway.reset();
  }
}

TEST_F(guardrails_test, OneThatHangsLetsThroughAfterItsTimeoutWhereItMay) {
  for (const guardrail_mode mode : {guardrail_mode::parallel, guardrail_mode::before}) {
    pii().mode = mode;
    pii().timeout = 150ms;
    pii().on_failure = without_verdict::allow;
    judge_by([](provider_call& call) { call.hang(); });
    start();
    const auto asked_at = test_clock::now();
    const http_response got = post(streamed("fast"));
    EXPECT_GE(got.first_body_byte_at - asked_at, 150ms);
    EXPECT_EQ(got.text(), "onetwo");
    gateway.reset();
  }
}

TEST_F(guardrails_test, WhatIsNoVerdictRefuses) {
  const std::string redirect = "location: http://127.0.0.1:" + std::to_string(other.port()) + "/request\r\n";
  const std::vector<std::pair<const char*, scripted_provider::script>> broken{
      {"garbage", [](provider_call& call) { call.answer(200, "<html>"); }},
      {"another shape", [](provider_call& call) { call.answer(200, R"({"action":{"pass":{}}})"); }},
      {"a status", [](provider_call& call) { call.answer(500, passes); }},
      {"a redirect", [redirect](provider_call& call) { call.answer(307, passes, redirect); }},
      {"a reset", [](provider_call& call) { call.reset(); }},
      {"half of it", [](provider_call& call) {
         call.send("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"action\":{");
         call.close();
       }},
      {"a flood", [](provider_call& call) {
         call.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
         while (call.chunk(std::string(50'000, ' '))) {}
       }},
      {"a giant's announcement", [](provider_call& call) {
         call.send("HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n");
         while (call.send(std::string(50'000, ' '))) {}
       }},
      {"interim responses for ever", [](provider_call& call) {
         while (call.send("HTTP/1.1 102 Processing\r\n\r\n")) {}
       }}};
  start();
  for (const auto& [what, play] : broken) {
    judge_by(play);
    const http_response got = post(streamed("fast"));
    EXPECT_EQ(got.status, 503) << what;
    EXPECT_EQ(got.error("code"), "guardrail_unavailable") << what;
  }
  expect_verdicts(static_cast<double>(broken.size()), "error");
  EXPECT_EQ(other.requests().size(), 0u);
  judge_with(passes);
  EXPECT_EQ(post(streamed("fast")).text(), "onetwo");
}

TEST_F(guardrails_test, AServiceThatIsNotThereRefuses) {
  pii().service.url.port = 1;  // a port on which no program listens
  start();
  EXPECT_EQ(post(streamed("fast")).error("code"), "guardrail_unavailable");
  expect_verdicts(1, "error");
}

TEST_F(guardrails_test, WhoLeavesIsJudgedNoLonger) {
  captured_log log;
  for (const guardrail_mode mode : {guardrail_mode::parallel, guardrail_mode::before}) {
    pii().mode = mode;
    may_speak = false;
    judge_by([](provider_call& call) { call.hang(); });
    start();
    const std::size_t number = asked();
    test_client client = connect();
    client.post(streamed("fast"));
    const received_request shown = service.request(number);
    if (mode == guardrail_mode::parallel) provider.request(0);
    client.reset();
    service.closed_at(shown);
    expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
    expect_metric(0, "photofinish_inflight_requests");
    EXPECT_TRUE(comes_true([this] { return provider.open_connections() == 0; }));
    EXPECT_EQ(metric("photofinish_guardrail_seconds_count"), 0);
    may_speak = true;
    gateway.reset();
  }
  EXPECT_EQ(log.lines_with({"outcome=client_cancelled"}).size(), 2u);
  EXPECT_TRUE(log.lines_with({"guardrail="}).empty()) << "there was no verdict";
}

// While a winner waits for the guardrail's verdict, the client leaves. The gateway must then cancel the winning attempt.
TEST_F(guardrails_test, WhoLeavesBehindTheFirstTokenLeavesNothingOpen) {
  judge_by([](provider_call& call) { call.hang(); });
  start();
  test_client client = connect();
  client.post(streamed("fast"));
  wait_for_spoken();
  client.reset();
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  expect_metric(0, "photofinish_inflight_attempts");
}

TEST_F(guardrails_test, AllMustPass) {
  scripted_provider second([](provider_call& call) { call.answer(200, rejects); });
  guard("second", second);
  judge_with(passes);
  start();
  const http_response got = post(streamed("fast"));
  EXPECT_EQ(got.status, 403);
  EXPECT_NE(got.error("message").find("'second'"), std::string::npos);
  EXPECT_EQ(post(streamed("free")).status, 403) << "it judges every route";
}

TEST_F(guardrails_test, TheyAreAskedAtOnce) {
  std::atomic<bool> first_is_asked = false;
  scripted_provider second([&](provider_call& call) {
    if (call.wait_until([&] { return first_is_asked.load(); })) call.answer(200, passes);
  });
  guard("second", second).routes = {"fast"};
  judge_by([&](provider_call& call) {
    first_is_asked = true;
    if (call.wait_until([&] { return !second.requests().empty(); })) call.answer(200, passes);
  });
  start();
  EXPECT_EQ(post(streamed("fast")).text(), "onetwo");
}

TEST_F(guardrails_test, AMaskInParallelIsARefusal) {
  captured_log log;
  judge_by([](provider_call& call) { call.answer(200, masks(call.request().body, "hi")); });
  start();
  EXPECT_EQ(post(streamed("fast")).error("code"), "content_blocked");
  expect_verdicts(1, "mask");
  EXPECT_TRUE(log.logs_once({"returned a mask, which needs mode: before"}));
}

TEST_F(guardrails_test, LimitsAreGivenBackButForTheRequest) {
  settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
  settings.access.keys[0].limits.tokens_per_minute = 2000;
  settings.access.keys[0].limits.requests_per_minute = 3;
  settings.access.keys[0].limits.parallel_requests = 1;
  pii().mode = guardrail_mode::before;
  judge_with(rejects);
  start();
  const auto ask = [this] { return post(streamed("fast", R"(,"max_tokens":1500)"), "Authorization: Bearer key-a\r\n"); };
  EXPECT_EQ(ask().status, 403);
  judge_with(passes);
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_error")"});
  EXPECT_EQ(ask().status, 200) << "its 1,500 tokens are there again";
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")"});
  EXPECT_EQ(ask().field_or("x-ratelimit-remaining-requests", ""), "0") << "the refused one counts";
}

TEST_F(guardrails_test, WhoIsOverALimitIsNotJudged) {
  settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
  settings.access.keys[0].limits.requests_per_minute = 1;
  judge_with(passes);
  start();
  for (int each = 0; each < 2; ++each) post(streamed("fast"), "Authorization: Bearer key-a\r\n");
  EXPECT_EQ(asked(), 1u);
}

TEST_F(guardrails_test, AReloadTurnsThemOnAndOff) {
  judge_with(rejects);
  gateway::config without = settings;
  without.guardrails.clear();
  start();
  EXPECT_EQ(post(streamed("fast")).status, 403);
  gateway->reload(without);
  EXPECT_EQ(post(streamed("fast")).status, 200);
}

}  // namespace
}  // namespace photofinish::testing
