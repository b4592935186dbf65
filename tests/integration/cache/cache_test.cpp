// Tests the answer cache end to end: equal requests get stored answers.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

constexpr std::string_view still = R"(,"temperature":0)";

class cache_test : public gateway_fixture {
 protected:
  cache_test() {
    add("a", provider);
    settings.providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add_route("fast", {"a/m"}).cache.emplace();
    add_route("plain", {"a/m"});
  }

  gateway::cache_settings& limits() { return *settings.routes.at("fast").cache; }
  std::size_t raced() const { return provider.requests().size(); }
  static std::string cached(const http_response& answer) { return answer.field_or("x-cache", "none"); }

  std::string finish = "stop";
  bool is_broken = false;
  scripted_provider provider{[this](provider_call& call) {
    call.stream_head();
    for (const char* word : {"one", "two", "three"}) call.event(token_chunk(word));
    if (is_broken) return call.reset();
    call.event(finish_chunk(finish));
    call.event(usage_chunk(3, 3));
    call.event("[DONE]");
  }};
};

TEST_F(cache_test, AnEqualRequestGetsTheSameBytes) {
  start();
  const http_response first = post(streamed("fast", still));
  const http_response second = post(streamed("fast", still));
  EXPECT_EQ(first.text(), "onetwothree");
  EXPECT_EQ(cached(first), "miss");
  EXPECT_EQ(cached(second), "hit");
  EXPECT_EQ(second.body, first.body);
  EXPECT_TRUE(second.is_complete);
  EXPECT_EQ(second.field_or("content-type", ""), first.field_or("content-type", "-"));
  EXPECT_LE(std::stoi(second.field_or("age", "99")), 60);
  EXPECT_FALSE(first.field("age"));
  EXPECT_EQ(raced(), 1u);
}

TEST_F(cache_test, OneEntryServesStreamsAndWholeAnswers) {
  start();
  const http_response stream = post(streamed("fast", still));
  const http_response whole_one = post(whole("fast", still));
  EXPECT_EQ(cached(whole_one), "hit");
  const auto answer = nlohmann::json::parse(whole_one.body);
  EXPECT_EQ(answer.at("object"), "chat.completion");
  EXPECT_EQ(answer.at("choices")[0].at("message").at("content"), "onetwothree");
  EXPECT_EQ(answer.at("usage").at("completion_tokens"), 3);

  const http_response other = post(whole("fast", R"(,"temperature":0,"seed":2)"));
  const http_response other_stream = post(streamed("fast", R"(,"temperature":0,"seed":2)"));
  EXPECT_EQ(cached(other), "miss");
  EXPECT_EQ(cached(other_stream), "hit");
  EXPECT_EQ(other_stream.text(), "onetwothree");
  EXPECT_EQ(other_stream.events().back(), "[DONE]");
  EXPECT_EQ(raced(), 2u);
}

TEST_F(cache_test, UsageIsShownToWhoAsksForIt) {
  start();
  const std::string without = post(streamed("fast", still)).body;
  const std::string with = post(streamed("fast", R"(,"temperature":0,"stream_options":{"include_usage":true})")).body;
  EXPECT_EQ(without.find("completion_tokens"), std::string::npos);
  EXPECT_NE(with.find("\"completion_tokens\":3"), std::string::npos);
  EXPECT_EQ(raced(), 1u);
}

// Even an answer that arrived in one piece is stored as a stream, so that the cache can serve requests with and without streaming.
TEST_F(cache_test, AnAnswerInOnePieceServesStreams) {
  scripted_provider one_piece([](provider_call& call) {
    call.answer(200, R"({"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,)"
                     R"("message":{"role":"assistant","content":"all of it"},"finish_reason":"stop"}],)"
                     R"("usage":{"prompt_tokens":1,"completion_tokens":3,"total_tokens":4}})");
  });
  add("w", one_piece).behaves.stream = proxy::upstream_stream::never;
  add_route("pieces", {"w/m"}).cache.emplace();
  start();
  const http_response first = post(whole("pieces", still)), stream = post(streamed("pieces", still)),
                      again = post(whole("pieces", still));
  EXPECT_EQ(cached(stream), "hit");
  EXPECT_EQ(stream.text(), "all of it");
  EXPECT_EQ(stream.events().back(), "[DONE]");
  EXPECT_EQ(stream.body.find("completion_tokens"), std::string::npos);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(nlohmann::json::parse(first.body).at("choices")[0].at("message").at("content"), "all of it");
  EXPECT_EQ(nlohmann::json::parse(first.body).at("usage").at("completion_tokens"), 3);
}

TEST_F(cache_test, OtherApisHaveTheirOwn) {
  start();
  const std::string body = R"({"model":"fast","max_tokens":9,"temperature":0,"stream":true,)"
                           R"("messages":[{"role":"user","content":"q"}]})";
  std::vector<http_response> answers;
  for (int each = 0; each < 2; ++each) {
    test_client client = connect();
    client.post(body, "", "/v1/messages");
    answers.push_back(client.read());
  }
  EXPECT_EQ(cached(answers[1]), "hit");
  EXPECT_EQ(answers[1].body, answers[0].body);
  EXPECT_NE(answers[1].body.find("message_stop"), std::string::npos);
  EXPECT_EQ(cached(post(body)), "miss");  // a chat request
}

TEST_F(cache_test, WhatMayDifferIsRaced) {
  start();
  for (const std::string_view more : {"", R"(,"temperature":1)", R"(,"temperature":0,"n":2)",
                                      R"(,"temperature":0,"tools":[{"type":"function","function":{"name":"f"}}])"}) {
    EXPECT_EQ(cached(post(streamed("fast", more))), "bypass") << more;
    EXPECT_EQ(cached(post(streamed("fast", more))), "bypass") << more;
  }
  EXPECT_EQ(raced(), 8u);
  expect_metric(8, "photofinish_cache_requests_total", {R"(route="fast")", R"(result="bypass")"});
}

TEST_F(cache_test, ARouteWithoutACacheHasNone) {
  start();
  EXPECT_EQ(cached(post(streamed("plain", still))), "none");
  EXPECT_EQ(cached(post(streamed("plain", still))), "none");
  EXPECT_EQ(raced(), 2u);
  EXPECT_EQ(metric("photofinish_cache_answers"), 0);
}

TEST_F(cache_test, CacheControlIsObeyed) {
  start();
  EXPECT_EQ(cached(post(streamed("fast", still), "Cache-Control: no-store\r\n")), "bypass");
  EXPECT_EQ(cached(post(streamed("fast", still))), "miss");
  EXPECT_EQ(cached(post(streamed("fast", still), "Cache-Control: no-store\r\n")), "hit");
  EXPECT_EQ(cached(post(streamed("fast", still), "Cache-Control: no-cache\r\n")), "miss");
  EXPECT_EQ(cached(post(streamed("fast", ""), "Cache-Control: max-age=600\r\n")), "miss");
  EXPECT_EQ(cached(post(streamed("fast", ""), "Cache-Control: max-age=600\r\n")), "hit");
  EXPECT_EQ(cached(post(streamed("fast", ""))), "bypass");
  EXPECT_EQ(raced(), 5u);
}

TEST_F(cache_test, OnlySoundAnswersAreKept) {
  finish = "length";
  start();
  post(streamed("fast", still));
  EXPECT_EQ(cached(post(streamed("fast", still))), "miss");
}

TEST_F(cache_test, ABrokenAnswerIsNotKept) {
  is_broken = true;
  start();
  EXPECT_FALSE(post(streamed("fast", still)).is_complete);
  EXPECT_FALSE(post(streamed("fast", still)).is_complete);
  EXPECT_EQ(raced(), 2u);
  EXPECT_EQ(metric("photofinish_cache_answers"), 0);
}

TEST_F(cache_test, AnswersExpire) {
  limits().ttl = 50ms;
  start();
  post(streamed("fast", still));
  EXPECT_TRUE(comes_true([&] { return cached(post(streamed("fast", still))) == "miss"; }));
  EXPECT_GE(raced(), 2u);
}

TEST_F(cache_test, ScopesKeepCallersApart) {
  settings.access.keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}},
                          {"carol", proxy::secret("key-c"), {}}, {"dave", proxy::secret("key-d"), {}}};
  settings.access.keys[0].team = settings.access.keys[1].team = "search";
  add_route("own", {"a/m"}).cache.emplace().scope = gateway::cache_scope::key;
  add_route("all", {"a/m"}).cache.emplace().scope = gateway::cache_scope::route;
  start();
  const auto ask = [this](std::string_view route, std::string_view key) {
    return cached(post(streamed(route, still), "Authorization: Bearer " + std::string(key) + "\r\n"));
  };
  EXPECT_EQ(ask("fast", "key-a"), "miss");
  EXPECT_EQ(ask("fast", "key-b"), "hit");
  EXPECT_EQ(ask("fast", "key-c"), "miss");
  EXPECT_EQ(ask("fast", "key-d"), "miss");
  EXPECT_EQ(ask("own", "key-a"), "miss");
  EXPECT_EQ(ask("own", "key-b"), "miss");
  EXPECT_EQ(ask("own", "key-b"), "hit");
  EXPECT_EQ(ask("all", "key-a"), "miss");
  EXPECT_EQ(ask("all", "key-d"), "hit");
}

TEST_F(cache_test, WhoBringsAKeySharesWithNobody) {
  limits().scope = gateway::cache_scope::route;
  start();
  const auto ask = [this](std::string_view key) {
    return cached(post(streamed("fast", still), "x-provider-key-a: " + std::string(key) + "\r\n"));
  };
  EXPECT_EQ(cached(post(streamed("fast", still))), "miss");
  EXPECT_EQ(ask("mine"), "miss");
  EXPECT_EQ(ask("yours"), "miss");
  EXPECT_EQ(ask("mine"), "hit");
}

TEST_F(cache_test, AReloadThatMovesARouteForgetsItsAnswers) {
  scripted_provider other(streams({"else"}));
  add("b", other);
  start();
  post(streamed("fast", still));
  settings.routes.at("fast").targets = {{"b", "m"}};
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] { return post(streamed("fast", still)).text() == "else"; }));
}

// A cache hit counts against the caller's limit of requests per minute, but not against its token limits or budgets. It does not change the
// provider's statistics either.
TEST_F(cache_test, AHitIsNoRace) {
  settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
  settings.access.keys[0].limits.budget_nano_usd = 4'000'000'000;
  settings.access.keys[0].limits.requests_per_minute = 3;
  settings.log.level = "info";
  captured_log log;
  start();
  const std::string key = "Authorization: Bearer key-a\r\n";
  const http_response first = post(streamed("fast", still), key);
  EXPECT_EQ(first.status, 200);
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")"});
  const http_response second = post(streamed("fast", still), key);
  EXPECT_EQ(cached(second), "hit");
  EXPECT_EQ(second.field_or("x-race-attempts", ""), "0");
  EXPECT_FALSE(second.field("x-race-winner"));
  EXPECT_FALSE(second.field("x-race-ttft-ms"));
  EXPECT_EQ(second.field_or("x-ratelimit-remaining-requests", ""), "1");
  EXPECT_EQ(second.field_or("x-photofinish-key-spend-usd", ""), "3");
  expect_metric(2, "photofinish_requests_total", {R"(outcome="ok")"});
  expect_metric(1, "photofinish_cache_requests_total", {R"(route="fast")", R"(result="hit")"});
  EXPECT_EQ(metric("photofinish_attempts_total"), 1);
  EXPECT_EQ(metric("photofinish_request_ttft_seconds_count"), 1);
  EXPECT_EQ(metric("photofinish_attempt_ttft_seconds_count"), 1);
  EXPECT_EQ(metric("photofinish_client_cost_usd_total"), 3);
  EXPECT_EQ(metric("photofinish_cache_answers"), 1);
  EXPECT_GT(metric("photofinish_cache_bytes"), 100);
  post(streamed("fast", still), key);
  EXPECT_EQ(post(streamed("fast", still), key).status, 429);
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"cache=hit"}).empty(); }));
  EXPECT_TRUE(log.lines_with({"cache=hit", "winner"}).empty());
}

// A cache hit costs nothing, so even a caller that has spent its budget gets the stored answer.
TEST_F(cache_test, AHitNeedsNoBudget) {
  settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
  settings.access.keys[0].limits.budget_nano_usd = 1'000'000'000;
  start();
  const std::string key = "Authorization: Bearer key-a\r\n";
  EXPECT_EQ(post(streamed("fast", still), key).status, 200);
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")"});
  EXPECT_EQ(post(streamed("fast", R"(,"temperature":0,"seed":1)"), key).status, 429);
  EXPECT_EQ(cached(post(streamed("fast", still), key)), "hit");
}

TEST_F(cache_test, EmbeddingsAreKeptWithoutATemperature) {
  scripted_provider vectors([](provider_call& call) {
    call.answer(200, R"({"object":"list","data":[{"index":0,"embedding":[0.5]}],"model":"e",)"
                     R"("usage":{"prompt_tokens":1}})");
  });
  add("v", vectors).apis = {proxy::served_api::embeddings};
  add_route("embed", {"v/e"}).cache.emplace();
  start();
  std::vector<http_response> answers;
  for (int each = 0; each < 2; ++each) {
    test_client client = connect();
    client.post(R"({"model":"embed","input":"a"})", "", "/v1/embeddings");
    answers.push_back(client.read());
  }
  EXPECT_EQ(answers[0].status, 200);
  EXPECT_EQ(cached(answers[1]), "hit");
  EXPECT_EQ(answers[1].body, answers[0].body);
  EXPECT_EQ(vectors.requests().size(), 1u);
}

}  // namespace
}  // namespace photofinish::testing
