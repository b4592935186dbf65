// Tests losing attempts that run until their first token, so that the gateway can measure their targets' speeds. The client never sees
// their tokens, and the answer does not wait for them.
#include "tests/support/canary.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class observed_losers_test : public gateway_fixture {
 protected:
  void serve(scripted_provider& fast, scripted_provider& slow, double share = 1) {
    add("fast", fast), add("slow", slow);
    add_route("r", {"fast/m", "slow/m"}).race.observe_losers = share;
    start();
  }
};

TEST_F(observed_losers_test, TheirFirstTokenIsMeasuredAndNothingOfItReachesTheClient) {
  std::atomic<bool> may_answer = false;
  scripted_provider slow(streams_when([&] { return may_answer.load(); }, {"slow ", "words"}));
  scripted_provider fast(streams_when([&] { return slow.requests().size() == 1; }, {"fast ", "answer"}));
  serve(fast, slow);
  test_client client = connect();
  const auto asked_at = test_clock::now();
  client.post(streamed("r"));
  const http_response got = client.read();  // the client gets the answer while the loser is still silent
  const auto read_at = test_clock::now();
  expect_metric(0, "photofinish_inflight_requests", {R"(route="r")"});
  std::this_thread::sleep_for(30ms);
  const auto said_at = test_clock::now();
  may_answer = true;
  EXPECT_EQ(got.text(), "fast answer");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "fast/m");
  expect_metric(1, "photofinish_attempt_ttft_seconds_count", {R"(provider="slow")", R"(sample="observed")"});
  expect_metric(1, "photofinish_race_margin_seconds_count", {R"(route="r")"});
  expect_metric(1, "photofinish_attempts_total", {R"(provider="slow")", R"(outcome="lost")"});
  expect_metric(0, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
  const auto seconds_since = [](test_clock::time_point from, test_clock::time_point to = test_clock::now()) {
    return milliseconds_between(from, to) / 1'000;
  };
  EXPECT_GE(metric("photofinish_attempt_ttft_seconds_sum", {R"(sample="observed")"}),
            seconds_since(slow.request().arrived_at, said_at));
  EXPECT_GE(metric("photofinish_race_margin_seconds_sum"), seconds_since(read_at, said_at));
  EXPECT_LE(metric("photofinish_race_margin_seconds_sum"), seconds_since(asked_at));
  EXPECT_LT(metric("photofinish_request_duration_seconds_sum", {R"(route="r")"}), seconds_since(asked_at, said_at));
}

TEST_F(observed_losers_test, OneThatIsRefusedBehindTheWinCostsNothingAndCoolsDown) {
  std::atomic<bool> may_answer = false;
  scripted_provider fast(streams({"fast"}, 10ms)), slow([&](provider_call& call) {
    if (call.wait_until([&] { return may_answer.load(); })) call.answer(429, "{}", "retry-after: 60\r\n");
  });
  serve(fast, slow);
  test_client client = connect();
  client.post(streamed("r"));
  EXPECT_EQ(client.read().text(), "fast");
  may_answer = true;
  expect_metric(1, "photofinish_attempts_total", {R"(provider="slow")", R"(outcome="lost")"});
  EXPECT_EQ(metric("photofinish_lost_input_tokens_total", {R"(provider="slow")"}), 0);
  EXPECT_EQ(metric("photofinish_unpriced_attempts_total", {R"(provider="slow")"}), 0);
  EXPECT_TRUE(comes_true([&] {
    post(streamed("r"));
    return metric("photofinish_attempts_total", {R"(provider="slow")", R"(reason="cooldown")"}) > 0;
  }));
}

TEST_F(observed_losers_test, AreCancelledRightAfterTheirFirstToken) {
  std::atomic<bool> may_answer = false;
  scripted_provider fast(streams({"fast"}, 10ms)), slow([&](provider_call& call) {
    if (!call.wait_until([&] { return may_answer.load(); })) return;
    call.stream_head();
    while (call.event(token_chunk("on and ")) && call.wait(10ms)) continue;
  });
  serve(fast, slow);
  test_client client = connect();
  client.post(streamed("r"));
  EXPECT_EQ(client.read().text(), "fast");
  may_answer = true;
  expect_metric(1, "photofinish_attempt_ttft_seconds_count", {R"(provider="slow")", R"(sample="observed")"});
  EXPECT_TRUE(comes_true([&] { return slow.open_connections() == 0; }));
  EXPECT_LT(slow.bytes_sent(), 20'000u) << "it has two seconds of grace";
}

TEST_F(observed_losers_test, TheNextRequestOnTheConnectionEndsTheObserving) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(stays_silent());
  serve(fast, slow);
  test_client client = connect();
  canary machine;
  const auto asked_at = test_clock::now();
  for (int turn = 0; turn < 3; ++turn) {
    client.post(streamed("r"));
    EXPECT_EQ(client.read().text(), "fast");
  }
  const double took_ms = milliseconds_between(asked_at, test_clock::now());
  EXPECT_LT(took_ms, 1'500 + machine.allowance_ms()) << "their grace is two seconds";
  expect_metric(2, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
}

TEST_F(observed_losers_test, AClientThatAsksToCloseIsNotKeptWaiting) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(stays_silent());
  serve(fast, slow);
  test_client client = connect();
  canary machine;
  const auto asked_at = test_clock::now();
  client.post(streamed("r"), "connection: close\r\n");
  client.read();
  EXPECT_TRUE(client.is_closed());
  const double took_ms = milliseconds_between(asked_at, test_clock::now());
  EXPECT_LT(took_ms, 1'500 + machine.allowance_ms()) << "their grace is two seconds";
  expect_metric(1, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
}

TEST_F(observed_losers_test, AClientThatLeavesCancelsThemToo) {
  scripted_provider fast(stalls_after("fast")), slow(stays_silent());
  serve(fast, slow);
  {
    test_client client = connect();
    client.post(streamed("r"));
    client.read_until("fast");
    EXPECT_TRUE(comes_true([&] { return slow.open_connections() == 1; }));
    client.reset();
  }
  EXPECT_TRUE(comes_true([&] { return slow.open_connections() == 0; }));
}

TEST_F(observed_losers_test, HaveTheirGraceBehindTheAnswerAndNoMore) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(stays_silent());
  serve(fast, slow);
  test_client client = connect();
  client.post(streamed("r"));
  client.read();
  expect_metric(0, "photofinish_inflight_requests", {R"(route="r")"});
  EXPECT_EQ(metric("photofinish_inflight_attempts", {R"(provider="slow")"}), 1);
  EXPECT_TRUE(comes_true([&] { return slow.open_connections() == 0; }));
}

TEST_F(observed_losers_test, ByDefaultNobodyIsObserved) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(stays_silent());
  serve(fast, slow, 0);
  post(streamed("r"));
  expect_metric(1, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
  EXPECT_EQ(metric("photofinish_attempt_ttft_seconds_count", {R"(sample="observed")"}), 0);
}

}  // namespace
}  // namespace photofinish::testing
