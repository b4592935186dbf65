// Losers that run to their first token: measured, never seen by the client, and never waited for.
#include "tests/support/gateway_fixture.hpp"

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
  scripted_provider fast(streams({"fast ", "answer"}, 20ms)), slow(streams({"slow ", "words"}, 150ms));
  serve(fast, slow);
  test_client client = connect();
  const auto asked_at = test_clock::now();
  client.post(streamed("r"));
  const http_response got = client.read();
  EXPECT_LT(milliseconds_between(asked_at, test_clock::now()), 100 * slowness) << "the answer waited for a loser";
  EXPECT_EQ(got.text(), "fast answer");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "fast/m");
  expect_metric(1, "photofinish_attempt_ttft_seconds_count", {R"(provider="slow")", R"(sample="observed")"});
  expect_metric(1, "photofinish_race_margin_seconds_count", {R"(route="r")"});
  expect_metric(1, "photofinish_attempts_total", {R"(provider="slow")", R"(outcome="lost")"});
  expect_metric(0, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
  EXPECT_GE(metric("photofinish_attempt_ttft_seconds_sum", {R"(sample="observed")"}), 0.149);
  EXPECT_GT(metric("photofinish_race_margin_seconds_sum"), 0.090);
  EXPECT_LT(metric("photofinish_race_margin_seconds_sum"), 0.140 * slowness);
  EXPECT_LT(metric("photofinish_request_duration_seconds_sum", {R"(route="r")"}), 0.100 * slowness);
}

TEST_F(observed_losers_test, OneThatIsRefusedBehindTheWinCostsNothingAndCoolsDown) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(refuses(429, "{}", "retry-after: 60\r\n", 100ms));
  serve(fast, slow);
  test_client client = connect();
  client.post(streamed("r"));
  EXPECT_EQ(client.read().text(), "fast");
  expect_metric(1, "photofinish_attempts_total", {R"(provider="slow")", R"(outcome="lost")"});
  EXPECT_EQ(metric("photofinish_lost_input_tokens_total", {R"(provider="slow")"}), 0);
  EXPECT_EQ(metric("photofinish_unpriced_attempts_total", {R"(provider="slow")"}), 0);
  EXPECT_TRUE(comes_true([&] {
    post(streamed("r"));
    return metric("photofinish_attempts_total", {R"(provider="slow")", R"(reason="cooldown")"}) > 0;
  }));
}

TEST_F(observed_losers_test, AreCancelledRightAfterTheirFirstToken) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow([](provider_call& call) {
    if (!call.wait(100ms)) return;
    call.stream_head();
    while (call.event(token_chunk("on and ")) && !call.wait(1ms)) {}
  });
  serve(fast, slow);
  test_client client = connect();
  client.post(streamed("r"));
  EXPECT_EQ(client.read().text(), "fast");
  expect_metric(1, "photofinish_attempt_ttft_seconds_count", {R"(provider="slow")", R"(sample="observed")"});
  EXPECT_TRUE(comes_true([&] { return slow.open_connections() == 0; }));
  EXPECT_LT(slow.bytes_sent(), 20'000u);
}

TEST_F(observed_losers_test, TheNextRequestOnTheConnectionEndsTheObserving) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(stays_silent());
  serve(fast, slow);
  test_client client = connect();
  for (int turn = 0; turn < 3; ++turn) {
    const auto asked_at = test_clock::now();
    client.post(streamed("r"));
    EXPECT_EQ(client.read().text(), "fast");
    EXPECT_LT(milliseconds_between(asked_at, test_clock::now()), 500 * slowness);
  }
  expect_metric(2, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
}

TEST_F(observed_losers_test, AClientThatAsksToCloseIsNotKeptWaiting) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(stays_silent());
  serve(fast, slow);
  test_client client = connect();
  client.post(streamed("r"), "connection: close\r\n");
  client.read();
  EXPECT_TRUE(client.is_closed_within(milliseconds(500 * slowness)));
  expect_metric(1, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
}

TEST_F(observed_losers_test, AClientThatLeavesCancelsThemToo) {
  scripted_provider fast(stalls_after("fast")), slow(stays_silent());
  serve(fast, slow);
  {
    test_client client = connect();
    client.post(streamed("r"));
    client.read_until("fast");
    EXPECT_TRUE(comes_true([&] { return slow.open_connections() == 1; }, milliseconds(1'000 * slowness)));
    client.reset();
  }
  EXPECT_TRUE(comes_true([&] { return slow.open_connections() == 0; }, milliseconds(1'000 * slowness)));
}

TEST_F(observed_losers_test, HaveTheirGraceBehindTheAnswerAndNoMore) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(stays_silent());
  serve(fast, slow);
  test_client client = connect();
  client.post(streamed("r"));
  client.read();
  expect_metric(0, "photofinish_inflight_requests", {R"(route="r")"});
  EXPECT_EQ(metric("photofinish_inflight_attempts", {R"(provider="slow")"}), 1);
  EXPECT_TRUE(comes_true([&] { return slow.open_connections() == 0; }, milliseconds(4'000)));
}

TEST_F(observed_losers_test, ByDefaultNobodyIsObserved) {
  scripted_provider fast(streams({"fast"}, 10ms)), slow(streams({"slow"}, 100ms));
  serve(fast, slow, 0);
  post(streamed("r"));
  expect_metric(1, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
  EXPECT_EQ(metric("photofinish_attempt_ttft_seconds_count", {R"(sample="observed")"}), 0);
}

}  // namespace
}  // namespace photofinish::testing
