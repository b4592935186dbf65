// Tests APIs whose answers come in one piece. The first whole answer wins the race, and is relayed unchanged.
#include "tests/integration/apis/served_fixture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using std::chrono::operator""s;
using nlohmann::json;

const std::string spelled_oddly =
    R"( {"object":"list","data":[{"object":"embedding","index":0,"embedding":[2.50e-1,-1.5,3]}],"x":1e400,)"
    "\n"
    R"("model":"theirs","usage":{"prompt_tokens":8,"total_tokens":8}} )";

class whole_apis_test : public served_fixture {
 protected:
  whole_apis_test() : served_fixture({served_api::embeddings}) {}

  http_response ask(const std::string& path, const std::string& body) { return post_to(path, body); }
  http_response embed(const std::string& more = "") {
    return ask("/v1/embeddings", R"({"model":"r","input":"text")" + more + "}");
  }
};

TEST_F(whole_apis_test, AnAnswerPassesByteForByte) {
  serve(refuses(200, spelled_oddly));
  run();
  const http_response got = embed(R"(,"dimensions":3,"y":1e400)");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, spelled_oddly);
  EXPECT_EQ(got.field_or("content-type", ""), "application/json");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "a/m");
  EXPECT_EQ(provider(0).request().body, R"({"model":"m","input":"text","dimensions":3,"y":1e400})");
  EXPECT_TRUE(provider(0).request().head.starts_with("POST /v1/embeddings ")) << provider(0).request().head;
}

TEST_F(whole_apis_test, EachApiHasItsPathAndItsAnswer) {
  serve([](provider_call& call) {
    const bool is_images = call.request().head.starts_with("POST /v1/images/generations ");
    call.answer(200, is_images ? R"({"created":1,"data":[{"b64_json":"AA=="}]})" : R"({"results":[{"index":0}]})");
  }, {served_api::rerank, served_api::moderations, served_api::images});
  add_route("omni-moderation-latest", {"a/omni"});
  run();
  EXPECT_EQ(ask("/v1/rerank", R"({"model":"r","query":"q","documents":["a"]})").body, R"({"results":[{"index":0}]})");
  EXPECT_EQ(ask("/v1/moderations", R"({"input":"x"})").body, R"({"results":[{"index":0}]})");
  EXPECT_EQ(ask("/v1/images/generations", R"({"model":"r","prompt":"cat"})").status, 200);
  EXPECT_TRUE(provider(0).request(0).head.starts_with("POST /v1/rerank "));
  EXPECT_TRUE(provider(0).request(1).head.starts_with("POST /v1/moderations "));
  EXPECT_EQ(provider(0).request(1).body, R"({"model":"omni","input":"x"})");
  for (const char* endpoint : {"rerank", "moderations", "images"})
    expect_metric(1, "photofinish_requests_total", {R"(endpoint=")" + std::string(endpoint) + "\"", R"(outcome="ok")"});
}

TEST_F(whole_apis_test, ATargetWithoutTheApiSitsTheRaceOut) {
  serve(streams({"chat"}), {served_api::chat});
  serve(refuses(200, spelled_oddly));
  run();
  const http_response got = embed();
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "a/m;reason=unsupported:embeddings");
  EXPECT_EQ(post(streamed("r")).field_or("x-race-skipped", ""), "b/m;reason=unsupported:chat");
  const http_response none = ask("/v1/moderations", R"({"model":"r","input":"x"})");
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(none.error("code"), "unsupported_parameter");
  EXPECT_EQ(none.error("param"), "model");
  EXPECT_NE(none.error("message").find("a/m (unsupported: moderations)"), std::string::npos);
  EXPECT_NE(none.error("message").find("apis"), std::string::npos);
}

TEST_F(whole_apis_test, AProviderWhoseApisAreNotKnownIsTriedIfNoOtherServesThem) {
  serve(refuses(200, spelled_oddly), {served_api::chat}).may_serve_others = true;
  serve(streams({"chat"}), {served_api::chat});
  run();
  const http_response got = embed();
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "a/m");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "b/m;reason=unsupported:embeddings");
}

TEST_F(whole_apis_test, AProviderWhoseApisAreNotKnownWaitsWhereAnotherServesThem) {
  serve(refuses(200, spelled_oddly), {served_api::chat}).may_serve_others = true;
  serve(refuses(200, spelled_oddly));
  run();
  const http_response got = embed();
  EXPECT_EQ(got.field_or("x-race-winner", ""), "b/m");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "a/m;reason=unsupported:embeddings");
}

TEST_F(whole_apis_test, ResponsesAreNeverTried) {
  serve(streams({"chat"}), {served_api::chat}).may_serve_others = true;
  run();
  EXPECT_EQ(ask("/v1/responses", R"({"model":"r","input":"a"})").status, 200);
  EXPECT_TRUE(provider(0).request().head.starts_with("POST /v1/chat/completions ")) << provider(0).request().head;
  EXPECT_EQ(ask("/v1/responses/compact", R"({"model":"r","input":"a"})").status, 400);
  EXPECT_EQ(provider(0).requests().size(), 1u);
}

TEST_F(whole_apis_test, ARefusalNamesTheSettingOfTheProvider) {
  serve(streams({"chat"}), {served_api::chat});
  run();
  EXPECT_NE(embed().error("message").find("if a serves embeddings, add that API to providers.a.apis"), std::string::npos) << embed().body;
}

TEST_F(whole_apis_test, TheFirstWholeAnswerWinsAndTheOthersAreCancelled) {
  serve(stays_silent());
  serve([](provider_call& call) {  // a target that sends only the beginning of its answer, which must not count as a first token
    call.send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"data\":[");
    call.hang();
  });
  serve(refuses(200, spelled_oddly, "", 20ms));
  run();
  EXPECT_EQ(embed().field_or("x-race-winner", ""), "c/m");
  provider(0).closed_at(provider(0).request());
  provider(1).closed_at(provider(1).request());
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="lost")"});
  expect_metric(1, "photofinish_attempts_total", {R"(provider="c")", R"(outcome="won")"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="embeddings")", R"(outcome="ok")"});
}

TEST_F(whole_apis_test, ASilentTargetIsHedgedAndAFailedOneFailedOver) {
  serve(stays_silent());
  serve(refuses(500, R"({"error":{"message":"broken"}})"));
  serve(refuses(200, spelled_oddly));
  run(racing::race_policy::hedge);
  const http_response got = embed();
  EXPECT_EQ(got.field_or("x-race-winner", ""), "c/m");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "3");
}

// A response with status 200 but without an answer is a failed attempt, and never wins.
class NoAnswer : public whole_apis_test, public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(WholeApis, NoAnswer,
                         ::testing::Values(std::pair{"error", R"({"error":{"message":"no such model"}})"},
                                           std::pair{"html", "<html>busy</html>"}, std::pair{"empty", ""},
                                           std::pair{"cut", R"({"data":[{"embedding":[1,2)"},
                                           std::pair{"no_data", R"({"object":"list","data":[]})"},
                                           std::pair{"list", R"([{"embedding":[1]}])"}),
                         [](const auto& tested) { return tested.param.first; });
TEST_P(NoAnswer, FailsOver) {
  serve(refuses(200, GetParam().second));
  serve(refuses(200, spelled_oddly));
  run(racing::race_policy::fallback);
  EXPECT_EQ(embed().field_or("x-race-winner", ""), "b/m");
  expect_metric(1, "photofinish_attempts_total", {R"(provider="a")", R"(outcome="failed")"});
}

TEST_F(whole_apis_test, WhenAllFailTheErrorIsOpenAis) {
  serve(refuses(429, R"({"error":{"message":"slow down","code":"rate_limit_exceeded"}})", "retry-after: 3\r\n"));
  run();
  const http_response got = embed();
  EXPECT_EQ(got.status, 429);
  EXPECT_EQ(got.error("code"), "rate_limit_exceeded");
  EXPECT_EQ(got.field_or("retry-after", ""), "3");
}

TEST_F(whole_apis_test, TokensAreCounted) {
  serve(refuses(200, spelled_oddly)).prices.emplace("m", *proxy::parse_prices("1000000/1"));  // each prompt token costs a dollar
  run();
  embed();
  expect_metric(8, "photofinish_cost_usd_total", {R"(provider="a")", R"(kind="winner")"});
}

// float32: 0.25, -1.5, 3
constexpr std::string_view as_base64 = "AACAPgAAwL8AAEBA";

std::string answer_in(const std::string& embedding) {
  return R"({"data":[{"index":0,"embedding":)" + embedding + R"(}],"usage":{"prompt_tokens":1}})";
}

TEST_F(whole_apis_test, AClientGetsTheEncodingThatItAskedFor) {
  serve([](provider_call& call) {
    const bool asks_base64 = call.request().body.find("base64") != std::string::npos;
    call.answer(200, asks_base64 ? answer_in("\"" + std::string(as_base64) + "\"") : answer_in("[0.25,-1.5,3.0]"));
  });
  run();
  EXPECT_EQ(embed().body, answer_in("[0.25,-1.5,3.0]"));
  EXPECT_EQ(embed(R"(,"encoding_format":"float")").body, answer_in("[0.25,-1.5,3.0]"));
  EXPECT_EQ(embed(R"(,"encoding_format":"base64")").body, answer_in("\"" + std::string(as_base64) + "\""));
}

TEST_F(whole_apis_test, AProviderThatAnswersInTheOtherEncodingIsConverted) {
  serve(in_turn({refuses(200, answer_in("[0.25,-1.5,3.0]")), refuses(200, answer_in("\"" + std::string(as_base64) + "\""))}));
  run();
  EXPECT_EQ(embed(R"(,"encoding_format":"base64")").body, answer_in("\"" + std::string(as_base64) + "\""));
  EXPECT_EQ(embed().body, answer_in("[0.25,-1.5,3]"));
}

TEST_F(whole_apis_test, AProviderThatRefusesBase64IsNotAskedForIt) {
  serve([](provider_call& call) {
    const bool asks = call.request().body.find("encoding_format") != std::string::npos;
    call.answer(asks ? 400 : 200, asks ? R"({"error":{"message":"unknown encoding_format"}})" : answer_in("[0.25,-1.5,3]"));
  }).behaves.base64_embeddings = false;
  run();
  const http_response got = embed(R"(,"encoding_format":"base64")");
  EXPECT_EQ(got.body, answer_in("\"" + std::string(as_base64) + "\""));
  EXPECT_FALSE(got.field("x-race-dropped"));
}

TEST_F(whole_apis_test, WhatCannotBeConvertedIsABadGateway) {
  serve(refuses(200, answer_in("[null]")));
  run();
  const http_response got = embed(R"(,"encoding_format":"base64")");
  EXPECT_EQ(got.status, 502);
  EXPECT_NE(got.error("message").find("not a list of finite numbers"), std::string::npos) << got.body;
}

TEST_F(whole_apis_test, AfterWhatCannotBeConvertedTheNextTargetAnswers) {
  std::string nested = "[[0.25";
  for (int count = 0; count < 50'000; ++count) nested += ",0.12345678";
  nested += "]]";
  serve(refuses(200, answer_in("[[1,2],[3]]")));
  serve(refuses(200, answer_in(nested)));  // this answer is so large that a separate thread must convert it
  serve(refuses(200, answer_in("[0.25,-1.5,3]")));
  settings.routes["r"].race.policy = racing::race_policy::fallback;
  run();
  const http_response got = embed(R"(,"encoding_format":"base64")");
  EXPECT_EQ(got.body, answer_in("\"" + std::string(as_base64) + "\""));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "c/m");
}

// The answer has 16 MB, which is more than the limit for an event of a stream. Another thread converts it.
TEST_F(whole_apis_test, ALongAnswerIsConvertedWhileOthersAreServed) {
  std::string list = "[0.25";
  for (int count = 1; count < 1'500'000; ++count) list += ",0.12345678";
  list += "]";
  serve(refuses(200, answer_in(list)));
  scripted_provider chat(streams({"hi"}));
  add("chat", chat);
  add_route("talk", {"chat/m"});
  run();
  test_client waiting = connect();
  waiting.post(R"({"model":"r","input":"x","encoding_format":"base64"})", "", "/v1/embeddings");
  EXPECT_EQ(post(streamed("talk")).text(), "hi");
  const http_response got = waiting.read();
  ASSERT_EQ(got.status, 200) << got.body.substr(0, 300);
  EXPECT_EQ(json::parse(got.body)["data"][0]["embedding"].get<std::string>().size(), 8'000'000u);
  EXPECT_EQ(embed().body.size(), answer_in(list).size());
}

// A growing answer is counted only once against the memory limit, although both the race and the client's relay use it. If the answer were
// counted twice, it would exceed the limit.
TEST_F(whole_apis_test, ALongAnswerCountsOnceAgainstTheMemory) {
  constexpr std::size_t megabyte = 1u << 20;
  settings.limits.max_memory = 64 * megabyte;
  const std::string body = R"({"data":[{"embedding":[0],"pad":")" + std::string(36 * megabyte, 'x') + "\"}]}";
  serve(refuses(200, body));
  run();
  for (int round = 0; round < 2; ++round) EXPECT_EQ(embed().body.size(), body.size());
  expect_metric(0, "photofinish_memory_refusals_total");
  EXPECT_TRUE(comes_true([this] { return metric("photofinish_memory_used_bytes") < megabyte; }));
}

TEST_F(whole_apis_test, AnAnswerThatFindsNoRoomIsAnOverload) {
  constexpr std::size_t megabyte = 1u << 20;
  settings.limits.max_memory = 32 * megabyte;
  serve(refuses(200, R"({"data":[")" + std::string(40 * megabyte, 'x') + "\"]}"));
  run();
  const http_response got = embed();
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.error("code"), "gateway_overloaded");
}

TEST_F(whole_apis_test, AnAnswerAboveTheLimitIsRefused) {
  serve([](provider_call& call) {
    call.send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{\"data\":[\"");
    const std::string megabyte(1u << 20, 'x');
    for (int count = 0; count < 66 && call.send(megabyte); ++count) {}
    call.close();
  });
  run();
  const http_response got = embed();
  EXPECT_EQ(got.status, 502);
  EXPECT_NE(got.error("message").find("larger than 67108864 bytes"), std::string::npos) << got.body;
}

TEST_F(whole_apis_test, AClientThatLeavesCancelsItsAttempts) {
  serve(stays_silent());
  run();
  {
    test_client client = connect();
    client.post(R"({"model":"r","input":"x"})", "", "/v1/embeddings");
    provider(0).request();
    client.reset();
  }
  provider(0).closed_at(provider(0).request());
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="embeddings")", R"(outcome="client_cancelled")"});
}

TEST_F(whole_apis_test, BadInputIsRefusedInOpenAisWords) {
  serve(refuses(200, spelled_oddly));
  run();
  const http_response got = ask("/v1/embeddings", R"({"model":"r","input":[]})");
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("param"), "input");
  EXPECT_EQ(ask("/v1/images/generations", R"({"model":"r","prompt":"x","stream":true})").error("param"), "stream");
  EXPECT_EQ(provider(0).requests().size(), 0u);
}

}  // namespace
}  // namespace photofinish::testing
