// Tests the parser of requests for audio and image edits. Invalid requests must be refused.
#include "gateway/api/audio/speech_api.hpp"
#include "gateway/api/audio/transcript_apis.hpp"
#include "gateway/api/multipart/image_form_apis.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

using proxy::wire_format;

const speech_api speech;
const transcriptions_api transcriptions;
const translations_api translations;
const image_edits_api edits;
const image_variations_api variations;

std::string field(const std::string& name, const std::string& content) {
  return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + content + "\r\n";
}
std::string file(const std::string& name) {
  return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"f\"\r\n\r\nbytes of a file\r\n";
}

std::variant<parsed_request, api_error> read(const api& by, const std::string& parts, std::string_view path_model = "") {
  return by.read_form({parts + "--b--\r\n", "multipart/form-data; boundary=b", path_model});
}
parsed_request taken(const api& by, const std::string& parts, std::string_view path_model = "") {
  auto got = read(by, parts, path_model);
  if (const auto* error = std::get_if<api_error>(&got)) ADD_FAILURE() << error->message;
  return std::get<parsed_request>(std::move(got));
}
std::string complaint(const api& by, const std::string& parts, std::string_view path_model = "") {
  const auto got = read(by, parts, path_model);
  const auto* error = std::get_if<api_error>(&got);
  return error == nullptr ? std::string() : error->param + ": " + error->message;
}

const std::string form = field("model", "fast") + file("file");

TEST(AudioRequests, ATranscriptIsWhatItsFormAsksFor) {
  const parsed_request plain = taken(transcriptions, form + field("prompt", "names"));
  EXPECT_EQ(plain.model, "fast");
  EXPECT_EQ(plain.form, answer_form::whole);
  EXPECT_EQ(plain.format, wire_format::openai_transcription);
  EXPECT_EQ(plain.prompt, "names");
  EXPECT_EQ(plain.longest_field, "bytes of a file");
  EXPECT_EQ(plain.body->boundary(), "b");
  for (const char* word : {"json", "verbose_json", "diarized_json", "new_word"})
    EXPECT_EQ(taken(transcriptions, form + field("response_format", word)).format, wire_format::openai_transcription);
  for (const char* word : {"text", "srt", "vtt"}) {
    EXPECT_EQ(taken(transcriptions, form + field("response_format", word)).format, wire_format::openai_transcription_text);
    EXPECT_EQ(taken(translations, form + field("response_format", word)).format, wire_format::openai_translation_text);
  }
  EXPECT_EQ(taken(translations, form).format, wire_format::openai_translation);
}

TEST(AudioRequests, AStreamIsAskedForInAnyOfItsSpellings) {
  for (const char* word : {"true", "True", "1"}) {
    const parsed_request got = taken(transcriptions, form + field("stream", word));
    EXPECT_EQ(got.form, answer_form::stream) << word;
    EXPECT_EQ(got.format, wire_format::openai_transcription_events) << word;
  }
  for (const char* word : {"false", "False", "0", ""})
    EXPECT_EQ(taken(transcriptions, form + field("stream", word)).form, answer_form::whole) << word;
  EXPECT_EQ(complaint(transcriptions, form + field("stream", "yes")), "stream: 'stream' must be true or false");
}

TEST(AudioRequests, TheModelOfThePathCounts) {
  EXPECT_EQ(taken(transcriptions, form, "deployed").model, "deployed");
  EXPECT_EQ(taken(transcriptions, file("file"), "deployed").model, "deployed");
  EXPECT_NE(complaint(transcriptions, form, "a\r\nb").find("control characters"), std::string::npos);
}

TEST(AudioRequests, WhatIsMissingIsNamed) {
  EXPECT_EQ(complaint(transcriptions, file("file")).substr(0, 6), "model:");
  EXPECT_EQ(complaint(transcriptions, field("model", "") + file("file")).substr(0, 6), "model:");
  EXPECT_EQ(complaint(transcriptions, field("model", "a\nb") + file("file")), "model: 'model' contains control characters");
  EXPECT_EQ(complaint(translations, field("model", "fast")), "file: 'file' is missing");
  EXPECT_EQ(complaint(edits, field("model", "fast") + field("prompt", "x")), "image: 'image' is missing");
  EXPECT_EQ(complaint(edits, field("model", "fast") + file("image")), "prompt: 'prompt' is missing");
  EXPECT_EQ(complaint(variations, field("model", "fast") + file("images")), "image: 'image' is missing");
}

TEST(AudioRequests, ImagesMayBeSeveralAndAreNotStreamed) {
  const std::string asked = field("model", "fast") + field("prompt", "a cat");
  EXPECT_EQ(taken(edits, asked + file("image[]") + file("image[]")).format, wire_format::openai_image_edits);
  EXPECT_EQ(taken(edits, asked + file("image")).prompt, "a cat");
  EXPECT_EQ(taken(variations, field("model", "fast") + file("image")).format, wire_format::openai_image_variations);
  EXPECT_EQ(complaint(edits, asked + file("image") + field("stream", "true")).substr(0, 7), "stream:");
}

std::variant<parsed_request, api_error> speak(const std::string& body) {
  proxy::tolerant_parser parser;
  return speech.read(body, parser);
}

TEST(AudioRequests, SpeechIsBytesOrEvents) {
  const parsed_request sound = std::get<parsed_request>(speak(R"({"model":"fast","input":"hello","voice":"alloy"})"));
  EXPECT_EQ(sound.form, answer_form::bytes);
  EXPECT_EQ(sound.format, wire_format::openai_speech);
  EXPECT_EQ(std::get<parsed_request>(speak(R"({"model":"fast","input":"x","stream_format":"audio"})")).form, answer_form::bytes);
  const parsed_request events = std::get<parsed_request>(speak(R"({"model":"fast","input":"x","stream_format":"sse"})"));
  EXPECT_EQ(events.form, answer_form::stream);
  EXPECT_EQ(events.format, wire_format::openai_speech_events);
  for (const char* wrong : {R"({"model":"m","input":["x"]})", R"({"model":"m"})", R"({"input":"x"})",
                            R"({"model":"m","input":"x","stream_format":"mp3"})", R"({"model":"m","model":"n","input":"x"})"})
    EXPECT_TRUE(std::holds_alternative<api_error>(speak(wrong))) << wrong;
}

TEST(AudioRequests, JsonIsNoForm) {
  proxy::tolerant_parser parser;
  EXPECT_TRUE(std::holds_alternative<api_error>(transcriptions.read("{}", parser)));
  const auto got = transcriptions.read_form({R"({"model":"m"})", "application/json", ""});
  EXPECT_NE(std::get<api_error>(got).message.find("'application/json'"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
