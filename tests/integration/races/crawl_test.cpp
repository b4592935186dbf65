// Tests the settings `min_tokens_per_second`, `on_crawl` and `keep_runner_up`: a winner slows down or breaks off. The tests check the
// client, the metrics and the receipt.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <string>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using std::chrono::operator""s;

class crawl_test : public gateway_fixture {
 protected:
  crawl_test() { keeping.tick = 20ms; }

  // A provider that sends the first token of the race. Afterwards it sends hardly any tokens, until the gateway closes the connection or
  // `may_end` is set.
  std::atomic<bool> may_end = false;
  scripted_provider crawling{[this](provider_call& call) {
    call.stream_head();
    call.event(role_chunk());
    call.event(token_chunk("slow "));
    has_spoken = true;
    while (!may_end && call.wait(20ms)) call.event(token_chunk("word "));
    if (!may_end) return;
    call.event(finish_chunk());
    call.end();
  }};
  // A provider whose first token comes after the first token of the other provider.
  std::atomic<bool> has_spoken = false, may_second_speak = true;
  std::atomic<int> seconds_words = 0;
  scripted_provider second{[this](provider_call& call) {
    if (!call.wait_until([this] { return has_spoken && may_second_speak; })) return;
    call.stream_head();
    for (const char* word : {"quick ", "and ", "whole"}) call.event(token_chunk(word)), ++seconds_words;
    call.event(finish_chunk());
    call.end();
  }};

  racing::race_settings& serve() {
    add("slow", crawling).behaves.billing = proxy::cancel_billing::stops;
    add("quick", second).behaves.billing = proxy::cancel_billing::stops;
    racing::race_settings& race = add_route("r", {"slow/m", "quick/m"}).race;
    race.crawl.min_tokens_per_second = 1'000;
    race.crawl.window = 200ms;
    return race;
  }
  // Checks that the race has ended: no attempt and no request is running, and the gateway uses no memory except the memory that it keeps
  // deliberately.
  void expect_nothing_left() {
    expect_metric(0, "photofinish_inflight_attempts");
    expect_metric(0, "photofinish_inflight_requests");
    expect_metric(0, "photofinish_memory_used_bytes");
  }
};

TEST_F(crawl_test, IsReportedAndGoesOn) {
  serve();
  start();
  test_client client = connect();
  may_second_speak = false;
  client.post(streamed("r"));
  EXPECT_TRUE(comes_true([&] {
    return metric("photofinish_inflight_attempts", {R"(provider="slow")"}) == 1;
  }));
  std::this_thread::sleep_for(600ms);  // waits until at least two windows of the speed measurement have passed
  may_end = true;
  const http_response got = client.read();
  EXPECT_EQ(got.status, 200);
  EXPECT_TRUE(got.text().starts_with("slow word")) << got.text();
  expect_metric(1, "photofinish_crawls_total", {R"(provider="slow")", R"(end="reported")"});
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")"});
  expect_nothing_left();
}

TEST_F(crawl_test, IsCutWithAnErrorInTheStream) {
  serve().crawl.action = racing::on_crawl::cut;
  start();
  may_second_speak = false;
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 200) << "the head had left";
  EXPECT_NE(got.body.find(R"("code":"upstream_too_slow")"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find("below min_tokens_per_second"), std::string::npos) << got.body;
  EXPECT_EQ(got.body.find("[DONE]"), std::string::npos);
  expect_metric(1, "photofinish_crawls_total", {R"(provider="slow")", R"(end="cut")"});
  expect_metric(1, "photofinish_attempts_total", {R"(provider="slow")", R"(outcome="broken")", R"(reason="crawl")"});
  expect_nothing_left();
}

TEST_F(crawl_test, AWholeAnswerIsCutWithA504) {
  serve().crawl.action = racing::on_crawl::cut;
  start();
  may_second_speak = false;
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 504);
  EXPECT_EQ(got.error("code"), "upstream_too_slow");
  expect_nothing_left();
}

TEST_F(crawl_test, TheRunnerUpAnswersInItsPlace) {
  serve().keep_runner_up = 30s;
  start();
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_NE(got.body.find("quick and whole"), std::string::npos) << got.body;
  EXPECT_EQ(got.body.find("slow"), std::string::npos) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "quick/m");
  expect_metric(1, "photofinish_crawls_total", {R"(provider="slow")", R"(end="replaced")"});
  expect_metric(1, "photofinish_runners_up_total", {R"(route="r")", R"(end="answered")"});
  expect_metric(1, "photofinish_attempts_total", {R"(provider="slow")", R"(outcome="failed")", R"(reason="crawl")"});
  EXPECT_GT(metric("photofinish_lost_output_tokens_total", {R"(provider="slow")"}), 0) << "what it said is paid for";
  expect_nothing_left();
}

// Checks that the metric of output tokens does not count the tokens of an answer that no client received.
TEST_F(crawl_test, AndItsTokensAloneAreCounted) {
  serve().keep_runner_up = 30s;
  start();
  post(whole("r"));
  expect_metric(3, "photofinish_output_tokens_total", {R"(source="tokenizer")"});
}

TEST_F(crawl_test, WhereTheRunnerUpIsSilentTheCrawlGoesOnUnlessItIsToBeCut) {
  serve().keep_runner_up = 30s;
  start();
  may_second_speak = false;
  test_client client = connect();
  client.post(whole("r"));
  EXPECT_TRUE(comes_true([&] { return has_spoken.load(); }));
  std::this_thread::sleep_for(600ms);  // a lower bound
  may_end = true;
  const http_response got = client.read();
  EXPECT_EQ(got.status, 200);
  EXPECT_NE(got.body.find("slow word"), std::string::npos) << got.body;
  expect_metric(1, "photofinish_crawls_total", {R"(end="reported")"});
  expect_metric(1, "photofinish_runners_up_total", {R"(end="unused")"});
  expect_nothing_left();
}

class runner_up_test : public gateway_fixture {
 protected:
  std::atomic<bool> has_broken = false, may_break = true;
  // A provider that sends one token, and then resets the connection.
  scripted_provider breaking{[this](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("half"));
    if (!call.wait_until([this] { return may_break.load(); })) return;
    call.wait(30ms);
    call.reset();
    has_broken = true;
  }};
  scripted_provider late{[this](provider_call& call) {
    if (!call.wait_until([this] { return has_broken.load(); })) return;
    streams({"the ", "rest"})(call);
  }};
  racing::race_settings& serve(proxy::cancel_billing billing = proxy::cancel_billing::stops) {
    add("p", breaking).behaves.billing = billing;
    add("q", late).behaves.billing = billing;
    return add_route("r", {"p/m", "q/m"}).race;
  }
};

TEST_F(runner_up_test, AnswersWhereTheWinnerBreaksThoughItWasSilentUntilThen) {
  serve().keep_runner_up = 30s;
  start();
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_NE(got.body.find("the rest"), std::string::npos) << got.body;
  EXPECT_EQ(got.body.find("half"), std::string::npos) << got.body;
  expect_metric(1, "photofinish_attempts_total", {R"(provider="p")", R"(outcome="failed")"});
  expect_metric(1, "photofinish_attempts_total", {R"(provider="q")", R"(outcome="won")"});
  expect_metric(0, "photofinish_inflight_attempts");
}

TEST_F(runner_up_test, IsNotKeptWhereItsProviderBillsOn) {
  serve(proxy::cancel_billing::full).keep_runner_up = 30s;
  start();
  EXPECT_EQ(post(whole("r")).status, 502);
  EXPECT_EQ(metric("photofinish_runners_up_total"), 0);
}

TEST_F(runner_up_test, IsNotKeptUnasked) {
  serve();
  start();
  EXPECT_EQ(post(whole("r")).status, 502);
}

TEST_F(runner_up_test, IsLetGoWhenAStreamBegins) {
  serve().keep_runner_up = 30s;
  may_break = false;
  start();
  test_client client = connect();
  client.post(streamed("r"));
  expect_metric(0, "photofinish_inflight_attempts", {R"(provider="q")"});
  may_break = true;
  EXPECT_NE(client.read().body.find("upstream_broken"), std::string::npos);
  expect_metric(0, "photofinish_inflight_attempts");
}

TEST_F(runner_up_test, IsLetGoWhenTheClientLeaves) {
  serve().keep_runner_up = 30s;
  may_break = false;
  start();
  {
    test_client client = connect();
    client.post(whole("r"));
    expect_metric(2, "photofinish_inflight_attempts");
  }
  expect_metric(0, "photofinish_inflight_attempts");
  expect_metric(0, "photofinish_inflight_requests");
}

TEST_F(runner_up_test, BothFailingIsOneErrorWithBothReasons) {
  add("p", breaking).behaves.billing = proxy::cancel_billing::stops;
  scripted_provider refusing([this](provider_call& call) {
    if (call.wait_until([this] { return has_broken.load(); })) call.answer(503, R"({"error":{"message":"no room"}})");
  });
  add("q", refusing).behaves.billing = proxy::cancel_billing::stops;
  add_route("r", {"p/m", "q/m"}).race.keep_runner_up = 30s;
  start();
  const http_response got = post(whole("r"));
  EXPECT_GE(got.status, 500);
  EXPECT_NE(got.body.find("p/m"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find("no room"), std::string::npos) << got.body;
  expect_metric(1, "photofinish_runners_up_total", {R"(end="failed")"});
  expect_metric(0, "photofinish_inflight_attempts");
}

}  // namespace
}  // namespace photofinish::testing
