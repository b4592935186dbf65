// Tests requests that are forms (transcriptions, translations and image edits). They are raced like any other request.
#include "tests/integration/apis/audio_fixture.hpp"

namespace photofinish::testing {
namespace {

using forms_test = audio_fixture;

const std::string transcript = R"({"text":"hello","usage":{"type":"tokens","input_tokens":14,"output_tokens":2}} )";

TEST_F(forms_test, AFormReachesItsProviderWithTheTargetsModel) {
  serve(refuses(200, transcript)).prices.emplace("m", *proxy::parse_prices("1000000/1000000"));
  run();
  const std::string sound("RIFF\0\r\n--\r\nb--", 14);
  const http_response got = send(field("language", "de") + file("file", sound) + field("model", "r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, transcript);
  EXPECT_EQ(got.field_or("content-type", ""), "application/json");
  EXPECT_EQ(provider(0).request().body, field("language", "de") + file("file", sound) + field("model", "m") + "--b--\r\n");
  EXPECT_EQ(provider(0).request().field("content-type"), "multipart/form-data; boundary=b");
  EXPECT_TRUE(provider(0).request().head.starts_with("POST /v1/audio/transcriptions ")) << provider(0).request().head;
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="audio_transcriptions")", R"(outcome="ok")"});
  expect_metric(16, "photofinish_cost_usd_total", {R"(provider="a")", R"(kind="winner")"});
}

TEST_F(forms_test, EachFormHasItsPathAndItsAnswer) {
  serve([](provider_call& call) {
    const bool is_images = call.request().head.find("/images/") != std::string::npos;
    call.answer(200, is_images ? R"({"created":1,"data":[{"b64_json":"AA=="}]})" : R"({"text":""})");
  }, {served_api::audio, served_api::images});
  run();
  const std::string model = field("model", "r");
  EXPECT_EQ(send(model + file("file"), "/v1/audio/translations").body, R"({"text":""})");
  EXPECT_EQ(send(model + field("prompt", "a cat") + file("image[]") + file("image[]"), "/v1/images/edits").status, 200);
  EXPECT_EQ(send(model + file("image"), "/v1/images/variations").status, 200);
  EXPECT_TRUE(provider(0).request(0).head.starts_with("POST /v1/audio/translations "));
  EXPECT_TRUE(provider(0).request(1).head.starts_with("POST /v1/images/edits "));
  EXPECT_TRUE(provider(0).request(2).head.starts_with("POST /v1/images/variations "));
  for (const char* endpoint : {"audio_translations", "image_edits", "image_variations"})
    expect_metric(1, "photofinish_requests_total", {R"(endpoint=")" + std::string(endpoint) + "\"", R"(outcome="ok")"});
}

TEST_F(forms_test, AnAzureClientsModelIsInItsPath) {
  serve(refuses(200, transcript));
  run();
  EXPECT_EQ(send(file("file"), "/openai/deployments/r/audio/transcriptions?api-version=1").body, transcript);
  EXPECT_EQ(send(field("model", "other") + file("file"), "/openai/deployments/r/audio/transcriptions").body, transcript);
  EXPECT_EQ(provider(0).request(0).body,
            "--b\r\ncontent-disposition: form-data; name=\"model\"\r\n\r\nm\r\n" + file("file") + "--b--\r\n");
  EXPECT_EQ(provider(0).request(1).body, field("model", "m") + file("file") + "--b--\r\n");
}

TEST_F(forms_test, TranscriptsRaceAndFailOver) {
  serve(refuses(200, "<html>busy</html>", "", {}, "text/html"));
  serve(refuses(200, R"({"segments":[]})"));
  serve(stays_silent());
  serve(refuses(200, transcript));
  run(racing::race_policy::hedge);
  const http_response got = transcribe();
  EXPECT_EQ(got.body, transcript);
  EXPECT_EQ(got.field_or("x-race-winner", ""), "d/m");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "4");
  provider(2).closed_at(provider(2).request());
}

TEST_F(forms_test, ATextKeepsItsType) {
  serve(in_turn({refuses(200, "1\n00:00:00,000 --> 00:00:01,000\nhi\n", "", {}, "text/plain; charset=utf-8"),
                 refuses(200, "", "", {}, "text/plain")}));
  run();
  const http_response got = transcribe(field("response_format", "srt"));
  EXPECT_EQ(got.body, "1\n00:00:00,000 --> 00:00:01,000\nhi\n");
  EXPECT_EQ(got.field_or("content-type", ""), "text/plain; charset=utf-8");
  EXPECT_EQ(provider(0).request().field("accept"), "*/*");
  const http_response silence = transcribe(field("response_format", "text"));
  EXPECT_EQ(silence.status, 200);
  EXPECT_EQ(silence.body, "");
  EXPECT_TRUE(silence.is_complete);
}

const std::string transcript_events = "data: {\"type\":\"transcript.text.delta\",\"delta\":\"hi\"}\n\n"
                                      "data: {\"type\":\"transcript.text.done\",\"text\":\"hi\"}\n\n";

TEST_F(forms_test, AStreamedTranscriptRacesOnItsFirstEvent) {
  serve(stays_silent());
  serve(sends_stream(transcript_events));
  run();
  const http_response got = transcribe(field("stream", "true"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "b/m");
  EXPECT_EQ(got.field_or("content-type", ""), "text/event-stream");
  EXPECT_EQ(got.body, transcript_events);
  EXPECT_TRUE(got.is_complete);
  provider(0).closed_at(provider(0).request());
}

TEST_F(forms_test, AnErrorInsteadOfEventsIsAFailedAttempt) {
  serve(sends_stream("data: {\"error\":{\"message\":\"busy\"}}\n\n"));
  serve(refuses(200, R"({"text":"hi"})"));  // this target's model does not support streams
  run(racing::race_policy::fallback);
  const http_response got = transcribe(field("stream", "true"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "b/m");
  EXPECT_EQ(got.body, transcript_events);
}

TEST_F(forms_test, ATranscriptThatIsCutEndsWithAnError) {
  serve(sends_stream("data: {\"type\":\"transcript.text.delta\",\"delta\":\"hi\"}\n\n"));
  run();
  const http_response got = transcribe(field("stream", "true"));
  EXPECT_FALSE(got.is_complete);
  EXPECT_NE(got.body.find("\"upstream_broken\""), std::string::npos) << got.body;
}

TEST_F(forms_test, BadFormsAreRefusedInOpenAisWords) {
  serve(refuses(200, transcript));
  run();
  const http_response twice = send(field("model", "r") + field("model", "x") + file("file"));
  EXPECT_EQ(twice.status, 400);
  EXPECT_EQ(twice.error("type"), "invalid_request_error");
  EXPECT_EQ(twice.error("param"), "model");
  EXPECT_EQ(ask(R"({"model":"r"})", "/v1/audio/transcriptions").status, 400);
  EXPECT_EQ(transcribe(field("stream", "maybe")).error("param"), "stream");
  EXPECT_EQ(send(field("model", "nothing") + file("file")).error("code"), "model_not_found");
  EXPECT_EQ(ask(field("model", "r"), "/v1/audio/speech").status, 400);
  EXPECT_EQ(provider(0).requests().size(), 0u);
}

TEST_F(forms_test, ATargetWithoutTheApiSitsTheRaceOut) {
  serve(refuses(200, transcript), {served_api::chat});
  serve(refuses(200, transcript));
  run();
  EXPECT_EQ(transcribe().field_or("x-race-skipped", ""), "a/m;reason=unsupported:audio");
  const http_response none = send(field("model", "r") + field("prompt", "x") + file("image"), "/v1/images/edits");
  EXPECT_EQ(none.error("code"), "unsupported_parameter");
}

// The form is so long that another thread reads it. The form arrives in pieces, is stored only once, and is sent by two attempts.
TEST_F(forms_test, ALongFormIsHeldOnce) {
  constexpr std::size_t megabyte = 1u << 20;
  settings.limits.max_memory = 64 * megabyte;
  std::string sound(24 * megabyte, '\0');
  for (std::size_t at = 0; at < sound.size(); at += 7) sound[at] = "\r\n-b"[at % 4];
  serve(refuses(500, R"({"error":{"message":"broken"}})"));
  serve(refuses(200, transcript));
  run(racing::race_policy::fallback);
  const std::string form = field("model", "r") + file("file", sound) + "--b--\r\n";
  const std::string request = request_with(form);
  test_client client = connect();
  for (std::size_t at = 0; at < request.size(); at += megabyte / 2 + 1) client.send(request.substr(at, megabyte / 2 + 1));
  EXPECT_EQ(client.read().body, transcript);
  EXPECT_EQ(provider(1).request().body, field("model", "m") + file("file", sound) + "--b--\r\n");
  expect_metric(0, "photofinish_memory_refusals_total");
  EXPECT_EQ(send(field("model", "r") + file("file", std::string(40 * megabyte, 'x'))).status, 413);
  EXPECT_TRUE(comes_true([this] { return metric("photofinish_memory_used_bytes") < megabyte; }));
}

TEST_F(forms_test, AClientThatStopsInItsFormHoldsNothingOfOthers) {
  serve(refuses(200, transcript));
  run();
  test_client stopped = connect();
  const std::string request = request_with(field("model", "r") + file("file", std::string(1u << 20, 'x')) + "--b--\r\n");
  stopped.send(request.substr(0, request.size() / 2));
  EXPECT_EQ(transcribe().body, transcript);
  stopped.send(request.substr(request.size() / 2));
  EXPECT_EQ(stopped.read().body, transcript);
  EXPECT_EQ(provider(0).requests().size(), 2u);
}

}  // namespace
}  // namespace photofinish::testing
