// Tests the metrics after real requests, and the health endpoints.
#include "tests/support/gateway/gateway_fixture.hpp"

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using std::chrono::operator""s;

class metrics_test : public gateway_fixture {
 protected:
  void serve(scripted_provider& provider) {
    add("p", provider);
    add_route("r", {"p/m"});
  }
};

TEST_F(metrics_test, ThePageIsPrometheusText) {
  start();
  const http_response got = get("/metrics");
  EXPECT_EQ(got.status, 200);
  EXPECT_TRUE(got.field_or("content-type", "").starts_with("text/plain; version=0.0.4")) << got.head;
  EXPECT_NE(got.body.find("photofinish_build_info{"), std::string::npos);
}

TEST_F(metrics_test, AStreamedRequestIsMeasuredFromItsFirstTokenOn) {
  scripted_provider provider(streams({"hi"}, 50ms));
  serve(provider);
  start();
  post(streamed("r"));
  expect_metric(1, "photofinish_request_ttft_seconds_count", {R"(route="r")"});
  expect_metric(1, "photofinish_request_duration_seconds_count", {R"(route="r")"});
  expect_metric(1, "photofinish_attempt_ttft_seconds_count", {R"(sample="won")"});
  expect_metric(1, "photofinish_attempt_first_byte_seconds_count");
  expect_metric(1, "photofinish_overhead_seconds_count");
  const double ttft = metric("photofinish_request_ttft_seconds_sum");
  EXPECT_GE(ttft, 0.049);
  // The gateway's own overhead, not counting the 50 ms that the provider takes.
  EXPECT_LT(metric("photofinish_overhead_seconds_sum"), ttft - 0.049);
}

TEST_F(metrics_test, AWholeAnswerHasNoTimeToItsFirstToken) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  start();
  post(whole("r"));
  expect_metric(1, "photofinish_request_duration_seconds_count");
  expect_metric(0, "photofinish_request_ttft_seconds_count");
  expect_metric(0, "photofinish_overhead_seconds_count");
}

TEST_F(metrics_test, WinnersAndLosersHaveTheirCost) {
  scripted_provider winner([](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(1000, 100));
    call.end();
  });
  scripted_provider loser([](provider_call& call) {
    call.stream_head();
    call.wait(5s);
  });
  add("w", winner).prices = {{"m", *proxy::parse_prices("2/10")}};
  add("l", loser).prices = {{"m", *proxy::parse_prices("4/20")}};
  add_route("r", {"w/m", "l/m"});
  start();
  post(streamed("r"));
  expect_metric(1, "photofinish_requests_total");
  EXPECT_NEAR(metric("photofinish_cost_usd_total", {R"(provider="w")", R"(kind="winner")"}), 0.003, 1e-9);
  // It is unknown whether the provider bills a cancelled loser. The gateway therefore estimates the loser's cost: the 1,000 input tokens
  // and 100 output tokens of the winner, at the loser's prices.
  EXPECT_NEAR(metric("photofinish_cost_usd_total", {R"(provider="l")", R"(kind="loser")"}), 0.006, 1e-9);
  EXPECT_EQ(metric("photofinish_unpriced_attempts_total"), 0);
}

TEST_F(metrics_test, AnUnknownPriceIsNoCostButACount) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  start();
  post(streamed("r"));
  expect_metric(1, "photofinish_unpriced_attempts_total", {R"(provider="p")"});
  EXPECT_EQ(get("/metrics").body.find("photofinish_cost_usd_total{"), std::string::npos);
}

TEST_F(metrics_test, SpeedIsTokensAfterTheFirstChunkOverTheirTime) {
  // The provider sends 21 chunks of two words, 10 ms apart, and reports 63 tokens.
  std::atomic<test_clock::time_point> first_at{}, last_at{};  // times immediately before the first chunk and the last chunk
  std::atomic<bool> has_begun = false;                        // true if the client has begun to read
  scripted_provider provider([&](provider_call& call) {
    call.stream_head();
    first_at = test_clock::now();
    for (int chunk = 0; chunk < 21; ++chunk) {
      last_at = test_clock::now();
      if (!call.event(token_chunk(" two words")) || !call.wait(10ms)) return;
      // waits, because otherwise one read of the gateway would return several chunks
      if (!call.wait_until([&] { return has_begun.load(); })) return;
    }
    call.event(finish_chunk());
    call.event(usage_chunk(5, 63));
    call.end();
  });
  serve(provider);
  start();
  test_client client = connect();
  client.post(streamed("r"));
  client.read_until("two words");
  const auto begun_at = test_clock::now();
  has_begun = true;
  client.read();
  const double longest = milliseconds_between(first_at, test_clock::now()) / 1'000;
  const double shortest = milliseconds_between(begun_at, last_at) / 1'000;
  for (const auto& [source, tokens] : {std::pair(R"(source="tokenizer")", 42.0), std::pair(R"(source="usage")", 63.0)}) {
    expect_metric(tokens, "photofinish_output_tokens_total", {source});
    expect_metric(1, "photofinish_output_tokens_per_second_count", {source});
    expect_metric(tokens * 20 / 21, "photofinish_decode_tokens_total", {source});
    const double speed = metric("photofinish_output_tokens_per_second_sum", {source});
    EXPECT_GE(speed, tokens * 20 / 21 / longest * 0.999);
    if (shortest > 0) {
      EXPECT_LE(speed, tokens * 20 / 21 / shortest * 1.001);
    }
  }
  expect_metric(63, "gen_ai_client_token_usage_sum", {R"(gen_ai_token_type="output")"});
}

TEST_F(metrics_test, AnAnswerWithoutUsageIsCountedByUs) {
  scripted_provider provider([](provider_call& call) {
    call.stream_head();
    for (int chunk = 0; chunk < 20; ++chunk)
      if (!call.event(token_chunk(" word")) || !call.wait(5ms)) return;
    call.event(finish_chunk());
    call.end();
  });
  serve(provider);
  start();
  post(streamed("r"));
  post(whole("r"));
  expect_metric(40, "photofinish_output_tokens_total", {R"(source="tokenizer")"});
  expect_metric(0, "photofinish_output_tokens_total", {R"(source="usage")"});
  expect_metric(2, "photofinish_output_tokens_per_second_count", {R"(source="tokenizer")"});
  expect_metric(0, "gen_ai_client_token_usage_count");
}

TEST_F(metrics_test, ALongBurstIsCountedOnTheHousekeepersThread) {
  std::string words;
  for (int word = 0; word < 5'000; ++word) words += " word";
  scripted_provider provider(streams({words, words}));
  serve(provider);
  start();
  EXPECT_EQ(post(streamed("r")).status, 200);
  EXPECT_EQ(post(whole("r")).status, 200);
  expect_metric(20'000, "photofinish_output_tokens_total", {R"(source="tokenizer")"});
}

TEST_F(metrics_test, AnAnswerCutByItsClientIsCountedAsFarAsItCame) {
  scripted_provider provider(never_ends());
  serve(provider);
  start();
  {
    test_client client = connect();
    client.post(streamed("r"));
    client.read_until("on");
  }
  expect_metric(1, "photofinish_unmeasurable_total", {R"(reason="broken")"});
  EXPECT_GE(metric("photofinish_output_tokens_total", {R"(source="tokenizer")"}), 1);
}

TEST_F(metrics_test, ALosersAgeAndTheTimeOfItsCancelAreSeen) {
  scripted_provider fast(streams({"hi"}, 60ms)), slow(stays_silent());
  add("fast", fast), add("slow", slow);
  add_route("r", {"fast/m", "slow/m"});
  start();
  const auto asked_at = test_clock::now();
  post(streamed("r"));
  expect_metric(1, "photofinish_attempt_abandoned_seconds_count", {R"(provider="slow")"});
  expect_metric(1, "photofinish_cancel_seconds_count", {R"(provider="slow")"});
  const double took = milliseconds_between(asked_at, test_clock::now()) / 1'000;
  // The fast attempt gets its first token after 60 ms. The slow attempt may have begun up to 20 ms later, so it may have run for only 40
  // ms.
  EXPECT_GE(metric("photofinish_attempt_abandoned_seconds_sum"), 0.040);
  EXPECT_LT(metric("photofinish_cancel_seconds_sum"), took - 0.060);
  EXPECT_GT(metric("photofinish_lost_input_tokens_total", {R"(provider="slow")"}), 0);
}

TEST_F(metrics_test, AWinnerWhoseClientLeavesIsCancelledInSight) {
  scripted_provider provider(never_ends());
  serve(provider);
  start();
  {
    test_client client = connect();
    client.post(streamed("r"));
    client.read_until("on");
  }
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="cancelled")"});
  expect_metric(1, "photofinish_cancel_seconds_count", {R"(provider="p")"});
}

TEST_F(metrics_test, NamesThatNoConfigurationHoldsBecomeOther) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  settings.providers["p"].models = {"*"};
  start();
  for (int name = 0; name < 5; ++name) post(streamed("p/made-up-" + std::to_string(name)));
  expect_metric(5, "photofinish_attempts_total", {R"(model="_other")"});
  EXPECT_EQ(get("/metrics").body.find("made-up"), std::string::npos);
}

TEST_F(metrics_test, ProbesAnswerAndReadinessEndsWithLeaving) {
  start();
  for (const char* path : {"/livez", "/healthz", "/readyz"}) EXPECT_EQ(get(path).status, 200) << path;
  gateway->leave();
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 503; }));
  EXPECT_EQ(get("/livez").status, 200);
}

TEST_F(metrics_test, AnAdminListenerTakesThePagesAway) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  settings.server.admin = gateway::listen_address{"127.0.0.1", 0};
  start();
  EXPECT_EQ(get("/metrics").status, 404);
  test_client admin(gateway->admin_port());
  admin.get("/metrics");
  EXPECT_EQ(admin.read().status, 200);
  admin.post(whole("r"));
  EXPECT_EQ(admin.read().status, 404);
  EXPECT_EQ(post(whole("r")).status, 200);
}

}  // namespace
}  // namespace photofinish::testing
