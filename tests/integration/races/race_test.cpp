// Tests races end to end: which attempt wins, when each attempt starts, and which requests and cancellations the other targets receive.
#include "tests/support/canary.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using racing::race_policy;

class race_test : public gateway_fixture {
 protected:
  // Three providers. Provider `b` answers after 50 ms, and the other two would answer only after minutes.
  scripted_provider a{streams({"from a"}, 600'000ms)};
  scripted_provider b{streams({"from b"}, 50ms)};
  scripted_provider c{streams({"from c"}, 300'000ms)};

  void start_three() {
    add("a", a), add("b", b), add("c", c);
    add_route("r", {"a/m", "b/m", "c/m"});
    start();
  }
};

TEST_F(race_test, TheFastestOfThreeProvidersWinsAndTheClientWaitsForItAlone) {
  start_three();
  canary machine;
  std::vector<double> ttfts;
  for (int run = 0; run < 20; ++run) {
    test_client client = connect();
    const auto asked_at = test_clock::now();
    client.post(streamed("r"));
    const http_response got = client.read();
    ttfts.push_back(milliseconds_between(asked_at, got.first_body_byte_at));
    ASSERT_EQ(got.text(), "from b");
    ASSERT_EQ(got.field_or("x-race-winner", ""), "b/m");
    ASSERT_EQ(got.field_or("x-race-attempts", ""), "3");
  }
  std::printf("client's TTFT against a provider of 50 ms: median %.2f ms of 20 runs\n", median(ttfts));
  EXPECT_GE(median(ttfts), 50);
  EXPECT_LT(median(ttfts), 50 + 20 + machine.allowance_ms());
}

TEST_F(race_test, LosersSeeTheirConnectionsClosedAtOnce) {
  start_three();
  canary machine;
  std::vector<double> delays;
  for (std::size_t run = 0; run < 9; ++run) {
    ASSERT_EQ(post(streamed("r")).status, 200);
    const auto won_at = b.request(run).arrived_at + 50ms;
    for (const scripted_provider* loser : {&a, &c})
      delays.push_back(milliseconds_between(won_at, loser->closed_at(loser->request(run))));
  }
  std::printf("from the winner's first token to a loser's end: median %.2f ms\n", median(delays));
  const double allowance = machine.allowance_ms();
  EXPECT_LT(quantile(delays, 0.25), 10 + allowance);
  EXPECT_LT(median(delays), 50 + allowance);
}

TEST_F(race_test, OneWonAndTwoLostAreCounted) {
  start_three();
  ASSERT_EQ(post(streamed("r")).status, 200);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="won")", R"(provider="b")"});
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="lost")"});
  expect_metric(3, "photofinish_attempts_total");
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")", R"(route="r")"});
  expect_metric(0, "photofinish_inflight_attempts");
  expect_metric(0, "photofinish_inflight_requests");
}

TEST_F(race_test, AWholeAnswerComesFromTheProviderWhoseFirstTokenWasFirst) {
  // This provider sends the first token of the race. It completes its answer only after the other attempt was cancelled or has completed
  // its own answer.
  std::atomic<bool> has_other_ended = false;
  scripted_provider slow_end([&](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("slow"));
    if (!call.wait_until([&] { return has_other_ended.load(); })) return;
    call.event(token_chunk(" end"));
    call.event(finish_chunk());
    call.end();
  });
  scripted_provider quick_end([&](provider_call& call) {
    streams({"quick end"}, 5'000ms)(call);
    has_other_ended = true;
  });
  add("x", slow_end), add("y", quick_end);
  add_route("r", {"y/m", "x/m"});
  start();
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "x/m");
  EXPECT_NE(got.body.find("slow end"), std::string::npos);
  EXPECT_EQ(got.field_or("content-type", ""), "application/json");
}

TEST_F(race_test, TheTimeToTheFirstTokenIsTold) {
  start_three();
  const auto asked_at = test_clock::now();
  const double ttft_ms = std::strtod(post(streamed("r")).field_or("x-race-ttft-ms", "0").c_str(), nullptr);
  EXPECT_GE(ttft_ms, 49);
  EXPECT_LE(ttft_ms, milliseconds_between(asked_at, test_clock::now()) + 1);
}

struct no_token {
  const char* name;
  scripted_provider::script play;
  int status_alone;  // the status of the client's error if this provider is the only target
};

class no_token_test : public gateway_fixture, public ::testing::WithParamInterface<no_token> {};

TEST_P(no_token_test, NeverWinsWhileARivalLives) {
  scripted_provider quick(GetParam().play), slow(streams({"late but whole"}, 150ms));
  add("quick", quick), add("slow", slow);
  add_route("r", {"quick/m", "slow/m"});
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.field_or("x-race-winner", ""), "slow/m");
  EXPECT_EQ(got.text(), "late but whole");
}

TEST_P(no_token_test, AloneItGivesATrueStatus) {
  scripted_provider quick(GetParam().play);
  add("quick", quick);
  add_route("r", {"quick/m"});
  start();
  for (const std::string& body : {streamed("r"), whole("r")}) {
    const http_response got = post(body);
    EXPECT_EQ(got.status, GetParam().status_alone) << got.body;
    EXPECT_TRUE(got.is_complete);
    if (got.status == 200) continue;
    EXPECT_NE(got.error("message").find("quick/m"), std::string::npos) << got.body;
  }
}

std::string sse(std::initializer_list<std::string> events) {
  std::string bytes;
  for (const std::string& event : events) bytes += "data: " + event + "\n\n";
  return bytes;
}

std::string html() { return "<html><body>Welcome to nginx</body></html>"; }

INSTANTIATE_TEST_SUITE_P(
    , no_token_test,
    ::testing::Values(
        no_token{"ErrorEvent", sends_stream(sse({R"({"error":{"message":"overloaded","type":"server_error","code":null}})"}), 5ms), 502},
        no_token{"ErrorEventBehindARole", sends_stream(sse({role_chunk(), R"({"error":{"message":"overloaded"}})"}), 5ms), 503},
        no_token{"RateLimitInsideA200", sends_stream(sse({R"({"error":{"message":"slow down","code":429}})"}), 5ms), 429},
        no_token{"EmptyAnswer", sends_stream(sse({role_chunk(), finish_chunk(), "[DONE]"}), 5ms), 200},
        no_token{"BareDone", sends_stream(sse({"[DONE]"}), 5ms), 502},
        no_token{"RoleAndDone", sends_stream(sse({role_chunk(), "[DONE]"}), 5ms), 502},
        no_token{"RoleAndEnd", sends_stream(sse({role_chunk()}), 5ms), 502},
        no_token{"NoEventAtAll", sends_stream("", 5ms), 502},
        no_token{"BrokenJson", sends_stream(sse({R"({"choices":[{"delta":{"content":"x"})"}), 5ms), 502},
        no_token{"Html", refuses(200, html(), "", 5ms, "text/html"), 502},
        no_token{"HtmlAsAStream", refuses(200, html(), "", 5ms, "text/event-stream"), 502},
        no_token{"JsonErrorWith200", refuses(200, R"({"error":{"message":"no","type":"server_error"}})", "", 5ms), 502},
        no_token{"Status500", refuses(500, R"({"error":{"message":"boom"}})", "", 5ms), 502},
        no_token{"Status503", refuses(503, "busy", "", 5ms, "text/plain"), 503},
        no_token{"Status404", refuses(404, R"({"error":{"message":"no such model","code":"model_not_found"}})", "", 5ms), 404},
        no_token{"Reset", [](provider_call& call) { call.reset(); }, 502},
        no_token{"CloseBeforeAByte", [](provider_call& call) { call.close(); }, 502},
        no_token{"NotHttp", [](provider_call& call) { call.send("SSH-2.0-OpenSSH_9.2\r\n\r\n"); call.close(); }, 502}),
    [](const auto& row) { return row.param.name; });

class pace_test : public gateway_fixture {
 protected:
  // Returns the time in milliseconds from the first request at one provider to the first request at the other.
  static double lag_ms(const scripted_provider& first, const scripted_provider& second) {
    return milliseconds_between(first.request().arrived_at, second.request().arrived_at);
  }
};

TEST_F(pace_test, AHedgeStartsTheSecondOnlyAfterItsDelayInSilence) {
  scripted_provider silent(stays_silent()), second(streams({"second"}));
  add("a", silent), add("b", second);
  add_route("r", {"a/m", "b/m"}, race_policy::hedge).race.hedge_delay = 100ms;
  start();
  canary machine;
  const auto asked_at = test_clock::now();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "b/m");
  EXPECT_GE(milliseconds_between(asked_at, second.request().arrived_at), 100);
  EXPECT_LT(lag_ms(silent, second), 100 + 50 + machine.allowance_ms());
}

TEST_F(pace_test, AHedgeDoesNotStartTheSecondWhenTheFirstAnswersInTime) {
  scripted_provider first(streams({"first"}, 30ms)), second(streams({"second"}));
  add("a", first), add("b", second);
  add_route("r", {"a/m", "b/m"}, race_policy::hedge).race.hedge_delay = 60'000ms;
  start();
  EXPECT_EQ(post(streamed("r")).field_or("x-race-attempts", ""), "1");
  EXPECT_EQ(second.requests().size(), 0u);
}

TEST_F(pace_test, AFailedAttemptStartsTheNextAtOnce) {
  scripted_provider broken(refuses(500, "{}")), second(streams({"second"}));
  add("a", broken), add("b", second);
  add_route("r", {"a/m", "b/m"}, race_policy::hedge).race.hedge_delay = 600'000ms;
  start();
  EXPECT_EQ(post(streamed("r")).field_or("x-race-winner", ""), "b/m");
}

TEST_F(pace_test, FallbackStartsTheNextOnlyWhenOneHasFailed) {
  scripted_provider slow_to_fail(refuses(500, "{}", "", 120ms)), second(streams({"second"}));
  add("a", slow_to_fail), add("b", second);
  add_route("r", {"a/m", "b/m"}, race_policy::fallback);
  start();
  EXPECT_EQ(post(streamed("r")).field_or("x-race-winner", ""), "b/m");
  EXPECT_GE(lag_ms(slow_to_fail, second), 115);
}

TEST_F(pace_test, FallbackGivesASilentTargetItsShareOfTheTimeOnly) {
  scripted_provider silent(stays_silent()), second(streams({"second"}));
  add("a", silent), add("b", second);
  add_route("r", {"a/m", "b/m"}, race_policy::fallback).race.first_token_timeout = 300ms;
  start();
  EXPECT_EQ(post(streamed("r")).field_or("x-race-winner", ""), "b/m");
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="failed")", R"(reason="timeout")"});
}

TEST_F(pace_test, AllStartsNoMoreThanMaxParallelAtOnce) {
  scripted_provider a(streams({"a"}, 30ms)), b(streams({"b"}, 30ms)), c(streams({"c"}));
  add("a", a), add("b", b), add("c", c);
  add_route("r", {"a/m", "b/m", "c/m"}).race.max_parallel = 2;
  start();
  EXPECT_EQ(post(streamed("r")).field_or("x-race-attempts", ""), "2");
  EXPECT_EQ(c.requests().size(), 0u);
}

TEST_F(pace_test, AllStartsAWaitingTargetWhenOneFails) {
  scripted_provider a(refuses(500, "{}")), b(stays_silent()), c(streams({"c"}));
  add("a", a), add("b", b), add("c", c);
  add_route("r", {"a/m", "b/m", "c/m"}).race.max_parallel = 2;
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "c/m");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "3");
}

TEST_F(pace_test, ReasoningDoesNotWinWhereOnlyVisibleTextMay) {
  std::atomic<bool> has_talker_lost = false;
  scripted_provider thinker([&](provider_call& call) {
    call.stream_head();
    call.event(R"({"id":"t","created":1,"model":"m","choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]})");
    if (!call.wait_until([&] { return has_talker_lost.load(); })) return;
    call.event(token_chunk("thought"));
    call.event(finish_chunk());
    call.end();
  });
  scripted_provider talker(in_turn({streams({"said"}, 50ms), [&](provider_call& call) {
                                      call.hang();
                                      has_talker_lost = true;
                                    }}));
  add("a", thinker), add("b", talker);
  add_route("r", {"a/m", "b/m"});
  add_route("visible", {"a/m", "b/m"}).race.wins = racing::win_on::visible;
  start();
  EXPECT_EQ(post(streamed("visible")).field_or("x-race-winner", ""), "b/m");
  EXPECT_EQ(post(streamed("r")).field_or("x-race-winner", ""), "a/m");
}

}  // namespace
}  // namespace photofinish::testing
