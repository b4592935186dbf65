// Tests that an API and a dialect can be added to the gateway. The added API and dialect are in their own folders, and are not part of the
// product. The tests run races of the real gateway.
#include "tests/prototype/completions/completions_api.hpp"
#include "tests/prototype/words/words_dialect.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

namespace photofinish::prototype {
namespace {

using nlohmann::json;
using testing::gateway_fixture;
using testing::http_response;
using testing::provider_call;
using testing::scripted_provider;

const completions_api completions;
const words_dialect words;

class seams_test : public gateway_fixture {
 protected:
  // Sets up four providers: `speaker` answers in the dialect of words, `silent` never answers, `chat` streams as OpenAI does, and `broken`
  // sends an invalid answer.
  seams_test() {
    apis_ = {gateway::all_apis()[0], &completions};
    dialects_ = {proxy::all_dialects()[0], proxy::named_dialect{"words", &words}};
    speaks = {apis_, dialects_};
    add("speaker", speaker_).dialect = "words";
    add("broken", broken_).dialect = "words";
    add("thinker", thinker_).dialect = "words";
    add("silent", silent_);
    add("chat", chat_);
    add_route("words", {"silent/m", "speaker/engine-1"});
    add_route("thinks", {"thinker/m"});
    add_route("streams", {"chat/m"});
    add_route("broken", {"broken/m"});
    add_route("either", {"speaker/engine-1", "chat/m"});
    start();
  }

  http_response complete(const std::string& model, bool is_streamed) {
    testing::test_client client = connect();
    client.post(R"({"model":")" + model + R"(","prompt":"Say two words","stream":)" + (is_streamed ? "true" : "false") + "}",
                "", "/v1/completions");
    return client.read();
  }

  static std::vector<json> chunks_of(const http_response& streamed) {
    std::vector<json> chunks;
    for (const std::string& event : streamed.events())
      if (event != "[DONE]") chunks.push_back(json::parse(event));
    return chunks;
  }

  std::array<const gateway::api*, 2> apis_;
  std::array<proxy::named_dialect, 2> dialects_;
  std::string asked_;
  scripted_provider speaker_{[this](provider_call& call) {
    asked_ = call.request().body;
    call.answer(200, R"({"words":["two ","words"],"why":"full","spent":[3,2]})");
  }};
  scripted_provider broken_{[](provider_call& call) { call.answer(200, R"({"silence":true})"); }};
  scripted_provider thinker_{[](provider_call& call) {
    call.answer(200, R"({"words":[],"spent":[3,2],"thought":"hm","seal":"S==","call":["look","call_0123456789ab"]})");
  }};
  scripted_provider silent_{[](provider_call& call) { call.hang(); }};
  scripted_provider chat_{testing::streams({"some ", "text"})};
};

// Each test below sends requests of one API, with or without streaming, to a provider of one dialect.

TEST_F(seams_test, AChatClientGetsAStreamFromAProviderThatAnswersInOnePiece) {
  const http_response got = post(testing::streamed("words", R"(,"stream_options":{"include_usage":true})"));
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.text(), "two words");
  const std::vector<json> chunks = chunks_of(got);
  ASSERT_EQ(chunks.size(), 4u) << got.body;
  EXPECT_EQ(chunks[0].at("choices")[0].at("delta").at("role"), "assistant");
  EXPECT_EQ(chunks[0].at("model"), "engine-1");
  EXPECT_EQ(chunks[2].at("choices")[0].at("finish_reason"), "length");
  EXPECT_EQ(chunks[3].at("usage").at("completion_tokens"), 2);
  EXPECT_EQ(json::parse(asked_), (json{{"engine", "engine-1"}, {"say", "hi"}}));
}

TEST_F(seams_test, AChatClientGetsAWholeAnswerFromIt) {
  const http_response got = post(testing::whole("words"));
  ASSERT_EQ(got.status, 200) << got.body;
  const json answer = json::parse(got.body);
  EXPECT_EQ(answer.at("object"), "chat.completion");
  EXPECT_EQ(answer.at("choices")[0].at("message").at("content"), "two words");
  EXPECT_EQ(answer.at("choices")[0].at("finish_reason"), "length");
  EXPECT_EQ(answer.at("usage").at("prompt_tokens"), 3);
}

TEST_F(seams_test, AChatClientGetsSignedReasoningWithTheCallThatItStandsBefore) {
  const json expected = json::parse(
      R"([{"type":"reasoning.text","text":"hm","signature":"S==","id":"call_0123456789ab","format":"anthropic-claude-v1","index":0}])");
  const json message = json::parse(post(testing::whole("thinks")).body).at("choices")[0].at("message");
  EXPECT_EQ(message.at("reasoning_content"), "hm");
  EXPECT_EQ(message.at("reasoning_details"), expected);
  EXPECT_EQ(message.at("tool_calls")[0].at("id"), "call_0123456789ab");
  json streamed = json::array();
  for (const json& chunk : chunks_of(post(testing::streamed("thinks"))))
    for (const json& each : chunk.at("choices")[0].at("delta").value("reasoning_details", json::array())) streamed.push_back(each);
  EXPECT_EQ(streamed, expected);
}

// The memory of a signature counts as used memory until the signature expires.
TEST_F(seams_test, WhatWasSignedBeforeACallIsKeptInTheMemoryOfAllRequests) {
  ASSERT_EQ(post(testing::streamed("words")).status, 200);
  EXPECT_TRUE(testing::comes_true([&] { return metric("photofinish_memory_used_bytes") == 0; }));
  ASSERT_EQ(post(testing::streamed("thinks")).status, 200);
  EXPECT_TRUE(testing::comes_true([&] {
    const double used = metric("photofinish_memory_used_bytes");
    return used > 200 && used < 2000;
  })) << metric("photofinish_memory_used_bytes");
}

TEST_F(seams_test, ACompletionsClientGetsEitherFromEither) {
  for (const std::string model : {"words", "streams"}) {
    const std::string said = model == "words" ? "two words" : "some text";
    const http_response whole = complete(model, false);
    ASSERT_EQ(whole.status, 200) << whole.body;
    EXPECT_EQ(json::parse(whole.body).at("object"), "text_completion");
    EXPECT_EQ(json::parse(whole.body).at("choices")[0].at("text"), said);
    const http_response streamed = complete(model, true);
    ASSERT_EQ(streamed.status, 200) << streamed.body;
    std::string text;
    for (const json& chunk : chunks_of(streamed)) text += chunk.at("choices")[0].at("text").get<std::string>();
    EXPECT_EQ(text, said);
    EXPECT_TRUE(streamed.body.ends_with("data: [DONE]\n\n"));
  }
}

TEST_F(seams_test, ErrorsAreWordedByTheApiThatWasCalled) {
  for (const bool is_streamed : {false, true}) {
    const http_response got = complete("broken", is_streamed);
    EXPECT_EQ(got.status, 502);
    EXPECT_TRUE(json::parse(got.body).contains("completions_error")) << got.body;
  }
  EXPECT_TRUE(json::parse(post(testing::whole("broken")).body).contains("error"));
  EXPECT_TRUE(json::parse(complete("no-such-route", false).body).contains("completions_error"));
}

TEST_F(seams_test, ATargetThatCannotServeTheRequestIsPassedOver) {
  const http_response got = post(testing::streamed("either", R"(,"tools":[{"type":"function"}])"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "chat/m");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "speaker/engine-1;reason=unsupported:tools");
}

TEST_F(seams_test, BothCountInTheMetrics) {
  ASSERT_EQ(post(testing::streamed("words")).status, 200);
  expect_metric(1, "photofinish_attempts_total", {R"(provider="speaker")", R"(outcome="won")"});
  expect_metric(2, "photofinish_output_tokens_total", {R"(provider="speaker")", R"(source="usage")"});
  ASSERT_EQ(complete("words", false).status, 200);
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="chat_completions")", R"(outcome="ok")"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="_other")", R"(outcome="ok")"});
}

}  // namespace
}  // namespace photofinish::prototype
