// Tests answers that the gateway requests without streaming, because of the setting `stream: never` or because the target does not support
// streams.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using std::chrono::operator""s;
using nlohmann::json;
using proxy::upstream_stream;

// An answer whose JSON has unusual spaces and escapes, so that the test notices if the gateway rewrites the JSON.
const std::string completion =
    R"({ "id":"c-9","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"from \u006ason","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5},"service_tier":"default"})"
    "\n";

const std::string refusal =
    R"({"error":{"message":"Your organization must be verified to stream this model.","type":"invalid_request_error","param":"stream","code":"unsupported_value"}})";

bool is_asked_for_stream(const received_request& request) { return json::parse(request.body).at("stream") == true; }

// A provider that does not permit this account to stream the model.
scripted_provider::script streams_for_none() {
  return [](provider_call& call) {
    if (is_asked_for_stream(call.request())) call.answer(400, refusal);
    else call.answer(200, completion);
  };
}

class not_streamed_test : public gateway_fixture {
 protected:
  void serve(scripted_provider::script play, upstream_stream stream = upstream_stream::never) {
    provider_ = std::make_unique<scripted_provider>(std::move(play));
    add("p", *provider_).behaves.stream = stream;
    race_ = &add_route("r", {"p/m"}).race;
  }
  http_response post_to(std::string_view path, const std::string& body) {
    test_client client = connect();
    client.post(body, "", path);
    return client.read();
  }
  void expect_no_ttft() {
    expect_metric(1, "photofinish_unmeasurable_total", {R"(reason="not_streamed")"});
    for (const char* name : {"photofinish_attempt_ttft_seconds_count", "photofinish_request_ttft_seconds_count",
                             "gen_ai_server_time_to_first_token_seconds_count",
                             "photofinish_attempt_first_byte_seconds_count",
                             "photofinish_output_tokens_per_second_count", "photofinish_attempt_abandoned_seconds_count"})
      EXPECT_EQ(metric(name), 0) << name;
  }

  std::unique_ptr<scripted_provider> provider_;
  racing::race_settings* race_ = nullptr;
};

TEST_F(not_streamed_test, AWholeAnswerPassesByteForByte) {
  serve(refuses(200, completion));
  start();
  const http_response got = post(whole("r", R"(,"stream_options":null)"));
  ASSERT_EQ(got.status, 200);
  EXPECT_EQ(got.body, completion);
  EXPECT_EQ(got.field_or("content-type", ""), "application/json");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "p/m");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
  EXPECT_TRUE(got.field("x-race-ttft-ms"));
  const json asked = json::parse(provider_->request().body);
  EXPECT_EQ(asked.at("stream"), false);
  EXPECT_FALSE(asked.contains("stream_options"));
  EXPECT_EQ(provider_->request().field("accept"), "application/json");
}

TEST_F(not_streamed_test, ItHasNoTtftAndNoSpeedButTokensAndALine) {
  serve(refuses(200, completion));
  captured_log log;
  start();
  ASSERT_EQ(post(whole("r")).status, 200);
  expect_no_ttft();
  expect_metric(2, "photofinish_output_tokens_total", {R"(source="usage")"});
  EXPECT_GT(metric("photofinish_output_tokens_total", {R"(source="tokenizer")"}), 0);
  EXPECT_EQ(metric("photofinish_attempts_total", {R"(outcome="won")"}), 1);
  EXPECT_TRUE(comes_true([&log] { return log.lines_with({"p/m won form=whole"}).size() == 1; }));
  EXPECT_TRUE(log.lines_with({"ttft_ms"}).empty());
}

TEST_F(not_streamed_test, AClientThatWantsAStreamGetsOne) {
  serve(refuses(200, completion));
  start();
  const http_response got = post(streamed("r", R"(,"stream_options":{"include_usage":true})"));
  EXPECT_EQ(got.field_or("content-type", ""), "text/event-stream");
  EXPECT_EQ(got.text(), "from json");
  EXPECT_EQ(got.events().back(), "[DONE]");
  EXPECT_NE(got.body.find(R"("choices":[],"usage":{"prompt_tokens":3)"), std::string::npos) << got.body;
  const json asked = json::parse(provider_->request().body);
  EXPECT_EQ(asked.at("stream"), false);
  EXPECT_FALSE(asked.contains("stream_options"));
  expect_no_ttft();
}

TEST_F(not_streamed_test, OtherApisAreServedWholeAndStreamed) {
  serve(refuses(200, completion));
  start();
  const json response = json::parse(post_to("/v1/responses", R"({"model":"r","input":"a"})").body);
  EXPECT_EQ(response.at("output").at(0).at("content").at(0).at("text"), "from json");
  EXPECT_EQ(response.at("usage").at("output_tokens"), 2);
  const json message =
      json::parse(post_to("/v1/messages", R"({"model":"r","max_tokens":9,"messages":[{"role":"user","content":"a"}]})").body);
  EXPECT_EQ(message.at("content").at(0).at("text"), "from json");
  EXPECT_EQ(message.at("stop_reason"), "end_turn");
  const http_response events = post_to("/v1/responses", R"({"model":"r","input":"a","stream":true})");
  EXPECT_NE(events.body.find("event: response.completed"), std::string::npos) << events.body;
  EXPECT_NE(events.body.find(R"("delta":"from json")"), std::string::npos) << events.body;
  const http_response parts = post_to(
      "/v1/messages", R"({"model":"r","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"a"}]})");
  EXPECT_NE(parts.body.find("event: message_stop"), std::string::npos) << parts.body;
  for (const received_request& each : provider_->requests()) EXPECT_FALSE(is_asked_for_stream(each)) << each.body;
}

TEST_F(not_streamed_test, CompletionsPassToo) {
  const std::string text =
      R"({"id":"c","object":"text_completion","created":5,"model":"m","choices":[{"text":" b","index":0,"logprobs":null,"finish_reason":"stop"}]})";
  serve(refuses(200, text));
  settings.providers.at("p").apis = {proxy::served_api::completions};
  start();
  EXPECT_EQ(post_to("/v1/completions", R"({"model":"r","prompt":"a"})").body, text);
  EXPECT_FALSE(is_asked_for_stream(provider_->request()));
}

TEST_F(not_streamed_test, AStreamThatCannotBeRacedCanBeAWholeAnswer) {
  serve(refuses(200, completion));
  settings.providers.at("p").behaves.append_only = false;
  start();
  EXPECT_EQ(post(streamed("r")).text(), "from json");
}

// A provider that ignores `stream: true` answers with one JSON document instead of a stream.
TEST_F(not_streamed_test, OneThatWasAskedForAsAStreamIsTreatedTheSame) {
  serve(refuses(200, completion), upstream_stream::automatic);
  start();
  EXPECT_EQ(post(whole("r")).body, completion);
  EXPECT_TRUE(is_asked_for_stream(provider_->request()));
  expect_no_ttft();
}

TEST_F(not_streamed_test, AProviderThatStreamsAllTheSameIsAStream) {
  serve(streams({"Hel", "lo"}));
  start();
  EXPECT_EQ(json::parse(post(whole("r")).body).at("choices").at(0).at("message").at("content"), "Hello");
  expect_metric(1, "photofinish_attempt_ttft_seconds_count");
}

TEST_F(not_streamed_test, ARefusedStreamIsRepeatedOnceAndRemembered) {
  serve(streams_for_none(), upstream_stream::automatic);
  start();
  const http_response first = post(whole("r"));
  EXPECT_EQ(first.body, completion);
  EXPECT_EQ(first.field_or("x-race-attempts", ""), "1");
  EXPECT_EQ(post(streamed("r")).text(), "from json");
  const std::vector<received_request> asked = provider_->requests();
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_TRUE(is_asked_for_stream(asked[0]));
  EXPECT_FALSE(is_asked_for_stream(asked[1]));
  EXPECT_FALSE(is_asked_for_stream(asked[2])) << "it was not remembered";
  EXPECT_EQ(asked[1].connection, asked[0].connection);
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="won")"});
  EXPECT_EQ(metric("photofinish_attempts_total", {R"(outcome="failed")"}), 0);
  EXPECT_EQ(metric("photofinish_attempt_ttft_seconds_count"), 0);
  EXPECT_EQ(metric("photofinish_inflight_attempts"), 0);
}

TEST_F(not_streamed_test, ARefusalThatStaysIsRepeatedOnce) {
  serve(refuses(400, refusal), upstream_stream::automatic);
  start();
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("param"), "stream");
  EXPECT_EQ(provider_->requests().size(), 2u);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="failed")"});
}

TEST_F(not_streamed_test, AlwaysMeansThatARefusalIsOne) {
  serve(streams_for_none(), upstream_stream::always);
  start();
  EXPECT_EQ(post(whole("r")).status, 400);
  EXPECT_EQ(post(whole("r")).status, 400);
  for (const received_request& each : provider_->requests()) EXPECT_TRUE(is_asked_for_stream(each));
}

const std::string wav = R"(,"modalities":["text","audio"],"audio":{"voice":"ash","format":"wav"})";
const std::string refused_wav =
    R"({"error":{"message":"Unsupported value: 'audio.format' does not support 'wav' when stream=true. Supported values are: 'pcm16'.","type":"invalid_request_error","param":"audio.format","code":"unsupported_value"}})";

// A provider that refuses to stream WAV audio, as OpenAI does.
scripted_provider::script streams_no_wav() {
  return [](provider_call& call) {
    const bool is_wav = call.request().body.find("wav") != std::string::npos;
    if (!is_asked_for_stream(call.request())) return call.answer(200, completion);
    if (is_wav) return call.answer(400, refused_wav);
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.end();
  };
}

TEST_F(not_streamed_test, WhatNoStreamCanHaveIsAskedForInOnePiece) {
  serve(streams_no_wav(), upstream_stream::automatic);
  start();
  EXPECT_EQ(post(whole("r", wav)).body, completion);
  ASSERT_EQ(provider_->requests().size(), 1u);
  EXPECT_NE(post(whole("r")).body.find(R"("content":"hi")"), std::string::npos) << "the target still streams for others";
}

TEST_F(not_streamed_test, ARefusedValueOfAStreamSaysNothingAboutOtherRequests) {
  serve(streams_no_wav(), upstream_stream::automatic);
  start();
  EXPECT_EQ(post(streamed("r", wav)).text(), "from json");
  EXPECT_EQ(provider_->requests().size(), 2u);
  EXPECT_EQ(post(streamed("r")).text(), "hi");
  EXPECT_EQ(provider_->requests().size(), 3u);
}

TEST_F(not_streamed_test, OneKeyThatMayNotStreamDoesNotSpeakForAnother) {
  serve([](provider_call& call) {
    const bool may_stream = call.request().field("authorization") == "Bearer verified";
    if (!is_asked_for_stream(call.request())) return call.answer(200, completion);
    if (!may_stream) return call.answer(400, refusal);
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.end();
  }, upstream_stream::automatic);
  start();
  EXPECT_EQ(post(streamed("r"), "x-provider-key-p: other\r\n").text(), "from json");
  EXPECT_EQ(post(streamed("r"), "x-provider-key-p: verified\r\n").text(), "hi");
}

// Neither the first-token timeout nor the race timeout limits an answer that is not streamed.
TEST_F(not_streamed_test, MayTakeLongerThanAFirstToken) {
  serve(refuses(200, completion, "", 400ms));
  race_->first_token_timeout = 50ms;
  race_->race_timeout = 100ms;
  start();
  EXPECT_EQ(post(whole("r")).body, completion);
}

TEST_F(not_streamed_test, MayTakeLongerWhereItsStreamWasRefused) {
  serve([](provider_call& call) {
    if (is_asked_for_stream(call.request())) return call.answer(400, refusal);
    call.wait(2500ms);
    call.answer(200, completion);
  }, upstream_stream::automatic);
  race_->first_token_timeout = 2s;  // the provider sends its refusal before this timeout ends
  start();
  EXPECT_EQ(post(whole("r")).body, completion);
}

TEST_F(not_streamed_test, MayNotTakeLongerThanTotalTimeout) {
  serve(stays_silent());
  race_->total_timeout = 150ms;
  start();
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 504) << got.body;
  EXPECT_NE(got.error("message").find("total_timeout"), std::string::npos) << got.body;
}

class several_test : public gateway_fixture {
 protected:
  void race(scripted_provider::script first, racing::race_policy policy) {
    first_ = std::make_unique<scripted_provider>(std::move(first));
    add("first", *first_).behaves.stream = upstream_stream::never;
    add("second", second_).behaves.stream = upstream_stream::never;
    route_ = &add_route("r", {"first/m", "second/m"}, policy);
  }

  std::unique_ptr<scripted_provider> first_;
  scripted_provider second_{refuses(200, completion)};
  gateway::route* route_ = nullptr;
};

TEST_F(several_test, ASilentOneIsHedged) {
  race(stays_silent(), racing::race_policy::hedge);
  route_->race.hedge_delay = 20ms;
  start();
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.body, completion);
  EXPECT_EQ(got.field_or("x-race-winner", ""), "second/m");
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="lost")"});
  EXPECT_EQ(metric("photofinish_attempt_abandoned_seconds_count"), 0);
}

TEST_F(several_test, AnAnswerThatIsNoneFailsOver) {
  const std::vector<scripted_provider::script> broken{
      refuses(200, R"({"error":{"message":"slow down","code":429}})"),
      refuses(200, completion.substr(0, 60)),
      refuses(200, "<html>", "", {}, "text/html"),
      refuses(200, R"({"id":"x","choices":[]})"),
      [](provider_call& call) {
        call.send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " +
                  std::to_string(completion.size()) + "\r\n\r\n" + completion.substr(0, 100));
        call.close();
      }};
  race(in_turn(broken), racing::race_policy::fallback);
  for (std::size_t at = 0; at < broken.size(); ++at) {
    start();  // starts a new gateway, because the target is still in cooldown in the old gateway
    const http_response got = post(whole("r"));
    EXPECT_EQ(first_->requests().size(), at + 1);
    EXPECT_EQ(got.status, 200) << at << got.body;
    EXPECT_EQ(got.body, completion) << at;
    EXPECT_EQ(got.field_or("x-race-winner", ""), "second/m") << at;
  }
}

TEST_F(several_test, AnObservedLoserHasNoTtft) {
  race(refuses(200, completion, "", 300ms), racing::race_policy::all);
  route_->race.observe_losers = 1;
  start();
  EXPECT_EQ(post(whole("r")).field_or("x-race-winner", ""), "second/m");
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="lost")"});
  EXPECT_EQ(metric("photofinish_attempt_ttft_seconds_count"), 0);
  EXPECT_EQ(metric("photofinish_attempt_abandoned_seconds_count"), 0);
  EXPECT_EQ(metric("photofinish_race_margin_seconds_count"), 0);
}

}  // namespace
}  // namespace photofinish::testing
