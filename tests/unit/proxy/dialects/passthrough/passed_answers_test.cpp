// Tests answers that the gateway passes on unchanged (sound, events, text), and the multipart forms that it sends to providers.
#include "proxy/dialects/openai/openai_dialect.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr instant read_at{std::chrono::seconds(7)};

std::unique_ptr<dialect_stream> stream_of(wire_format format) {
  stream_settings settings;
  settings.format = format;
  return openai_dialect().open_stream(std::move(settings));
}

answer_kind kind_of(wire_format format, const std::string& type, int status = 200) {
  return stream_of(format)->on_head({status, {{"content-type", type}}});
}

struct said {
  std::string tokens;   // the bytes for the client, with brackets around each token event
  std::string media;
  std::uint64_t input_tokens = 0;
  bool has_ended = false;
  std::string failed;
};

void add(said& all, const result<std::span<const stream_event>>& events) {
  if (!events) {
    all.failed = events.error().detail.empty() ? "failed" : events.error().detail;
    return;
  }
  for (const stream_event& each : *events) {
    std::string json;
    for (const std::string_view piece : each.json) json += piece;
    if (!json.empty()) all.tokens += each.kind == event_kind::token ? "[" + json + "]" : json;
    for (const delta& one : each.deltas)
      if (one.kind == delta_kind::media_type) all.media += one.text;
    if (each.usage != nullptr) all.input_tokens = each.usage->input_tokens;
    all.has_ended = all.has_ended || each.kind == event_kind::end;
  }
}

TEST(PassedAnswers, WhatWasAskedDecidesWhatIsAnAnswer) {
  using enum wire_format;
  for (const char* sound : {"audio/mpeg", "Audio/WAV; rate=24000", "application/octet-stream", "application/ogg"})
    EXPECT_EQ(kind_of(openai_speech, sound), answer_kind::bytes) << sound;
  for (const char* other : {"", "application/json", "text/html", "text/event-stream", "text/plain", "audio"})
    EXPECT_EQ(kind_of(openai_speech, other), answer_kind::refusal) << other;
  EXPECT_EQ(kind_of(openai_speech, "audio/mpeg", 500), answer_kind::refusal);
  EXPECT_EQ(kind_of(openai_speech, "audio/" + std::string(300, 'x')), answer_kind::refusal);
  EXPECT_EQ(kind_of(openai_speech_events, "text/event-stream"), answer_kind::events);
  EXPECT_EQ(kind_of(openai_speech_events, "audio/mpeg"), answer_kind::refusal);
  EXPECT_EQ(kind_of(openai_speech_events, "application/json"), answer_kind::refusal);
  EXPECT_EQ(kind_of(openai_transcription_events, "application/json"), answer_kind::whole);
  EXPECT_EQ(kind_of(openai_transcription, "application/json"), answer_kind::whole);
  EXPECT_EQ(kind_of(openai_transcription, "text/plain"), answer_kind::refusal);
  for (const char* text : {"text/plain; charset=utf-8", "text/vtt", "application/x-subrip"})
    EXPECT_EQ(kind_of(openai_translation_text, text), answer_kind::whole) << text;
  for (const char* other : {"text/html", "text/event-stream", "application/json", ""})
    EXPECT_EQ(kind_of(openai_transcription_text, other), answer_kind::refusal) << other;
}

TEST(PassedAnswers, SoundIsATokenAReadAndSaysItsTypeOnce) {
  const auto stream = stream_of(wire_format::openai_speech);
  stream->on_head({200, {{"content-type", "audio/wav; rate=8000"}}});
  said all;
  add(all, stream->on_bytes(std::string_view("RI\0F", 4), read_at));
  add(all, stream->on_bytes("{\"error\":1}", read_at));
  EXPECT_FALSE(all.has_ended);
  add(all, stream->on_body_end({}, read_at));
  EXPECT_EQ(all.tokens, std::string("[RI\0F][{\"error\":1}]", 19));
  EXPECT_EQ(all.media, "audio/wav; rate=8000");
  EXPECT_TRUE(all.has_ended);
}

TEST(PassedAnswers, SoundWithoutAByteIsAFailure) {
  const auto stream = stream_of(wire_format::openai_speech);
  stream->on_head({200, {{"content-type", "audio/wav"}}});
  EXPECT_FALSE(stream->on_body_end({}, read_at).has_value());
}

said events(const std::vector<sse_event>& sent, std::string_view unfinished = "", std::string_view its_name = "") {
  const auto stream = stream_of(wire_format::openai_transcription_events);
  said all;
  for (const sse_event& each : sent) {
    add(all, stream->on_event(each, read_at));
    if (all.has_ended || !all.failed.empty()) return all;
  }
  stream->name_unfinished(its_name);
  add(all, stream->on_body_end(unfinished, read_at));
  return all;
}

const std::string first = R"({"type":"transcript.text.delta","delta":"hi"})";
const std::string last = R"({"type":"transcript.text.done","text":"hi","usage":{"type":"tokens","input_tokens":14}})";

TEST(PassedAnswers, EventsPassWithTheirNames) {
  const said all = events({{"transcript.text.delta", first}, {"", last}});
  EXPECT_EQ(all.tokens, "[event: transcript.text.delta\ndata: " + first + "\n\n][data: " + last + "\n\n]");
  EXPECT_EQ(all.input_tokens, 14u);
  EXPECT_TRUE(all.has_ended);
  EXPECT_EQ(events({{"", first}, {"", "[DONE]"}}).tokens, "[data: " + first + "\n\n]data: [DONE]\n\n");
  EXPECT_EQ(events({{"", first}}, "[DONE]").tokens, "[data: " + first + "\n\n]data: [DONE]\n\n");
  EXPECT_TRUE(events({{"", first}}, last).has_ended);
  EXPECT_EQ(events({{"", first}}, last, "transcript.text.done").tokens,
            "[data: " + first + "\n\n][event: transcript.text.done\ndata: " + last + "\n\n]");
  EXPECT_EQ(events({{"", "{\n\"a\":1}"}, {"", "[DONE]"}}).tokens, "[data: {\ndata: \"a\":1}\n\n]data: [DONE]\n\n");
}

TEST(PassedAnswers, WhatIsNoStreamOfEventsIsAFailure) {
  EXPECT_NE(events({}).failed, "");
  EXPECT_NE(events({{"", "[DONE]"}}).failed, "");
  EXPECT_NE(events({{"", first}}).failed, "") << "it ends in the middle";
  EXPECT_NE(events({{"", first}}, R"({"type":"transcript.text.do)").failed, "");
  for (const char* wrong : {R"({"error":{"message":"busy"}})", R"({"type":"error","message":"busy"})", "<html>", "{}", "[1]"})
    EXPECT_NE(events({{"", wrong}, {"", "[DONE]"}}).failed, "") << wrong;
  EXPECT_NE(events({{"error", R"({"message":"busy"})"}}).failed, "");
  EXPECT_EQ(events({{"", R"({"error":null,"type":"x"})"}, {"", "[DONE]"}}).failed, "");
}

said whole(wire_format format, const std::string& body, const std::string& type) {
  const auto stream = stream_of(format);
  EXPECT_EQ(stream->on_head({200, {{"content-type", type}}}), answer_kind::whole);
  said all;
  if (auto taken = stream->on_whole(body); !taken) {
    all.failed = "failed";
    return all;
  }
  add(all, stream->next_of_whole(read_at));
  return all;
}

TEST(PassedAnswers, AModelThatDoesNotStreamIsRelayedAsEvents) {
  const std::string body = R"({"text":"h\u00e9","usage":{"input_tokens":3}})";
  const said all = whole(wire_format::openai_transcription_events, body, "application/json");
  EXPECT_EQ(all.tokens, "[data: {\"type\":\"transcript.text.delta\",\"delta\":\"h\\u00e9\"}\n\n"
                        "data: {\"type\":\"transcript.text.done\",\"text\":\"h\\u00e9\",\"usage\":{\"input_tokens\":3}}\n\n]");
  EXPECT_EQ(all.input_tokens, 3u);
  EXPECT_TRUE(all.has_ended);
  for (const char* wrong : {R"({"error":"x","text":"y"})", R"({"text":1})", "{}", "text"})
    EXPECT_NE(whole(wire_format::openai_transcription_events, wrong, "application/json").failed, "") << wrong;
}

TEST(PassedAnswers, ATranscriptPromisesItsText) {
  const said all = whole(wire_format::openai_transcription, R"({"text":"","usage":{"type":"duration","seconds":3}})", "application/json");
  EXPECT_EQ(all.tokens, R"([{"text":"","usage":{"type":"duration","seconds":3}}])");
  EXPECT_EQ(all.input_tokens, 0u);
  for (const char* wrong : {R"({"data":[1]})", R"({"text":null})", R"({"text":"x","error":{"message":"y"}})"})
    EXPECT_NE(whole(wire_format::openai_translation, wrong, "application/json").failed, "") << wrong;
}

TEST(PassedAnswers, ATextPassesWithItsType) {
  const said all = whole(wire_format::openai_transcription_text, "1\n00:00 --> 00:01\nhi\n", "text/plain; charset=utf-8");
  EXPECT_EQ(all.tokens, "[1\n00:00 --> 00:01\nhi\n]");
  EXPECT_EQ(all.media, "text/plain; charset=utf-8");
  EXPECT_NE(whole(wire_format::openai_transcription_text, R"({"error":{"message":"x"}})", "text/plain").failed, "");
  const said silence = whole(wire_format::openai_transcription_text, "", "text/plain");
  EXPECT_EQ(silence.tokens, "");
  EXPECT_EQ(silence.media, "text/plain");
  EXPECT_TRUE(silence.has_ended);
}

// --- forms

std::shared_ptr<const client_body> form_of(std::initializer_list<std::pair<std::string, std::string>> fields,
                                           const std::string& boundary = "b") {
  std::string text;
  text.reserve(4096);
  form_fields index{boundary, {}};
  for (const auto& [name, value] : fields) {
    const std::size_t from = text.size();
    text += "--" + boundary + "\r\ncontent-disposition: form-data; name=" + name + "\r\n\r\n" + value + "\r\n";
    const std::string_view whole(text.data() + from, text.size() - from);
    index.all.push_back({whole.substr(whole.find("name=") + 5, name.size()),
                         whole.substr(whole.size() - value.size() - 2, value.size()), whole});
  }
  text += "--" + boundary + "--\r\n";
  return std::make_shared<const client_body>(std::move(text), std::move(index));
}

struct sent_form {
  std::string body;
  std::string content_type, accept;
  std::vector<std::string> dropped;
};

sent_form prepared(std::shared_ptr<const client_body> body, const provider& target,
                   wire_format format = wire_format::openai_transcription) {
  const secret key;
  prepared_request made = openai_dialect().prepare({std::move(body), format, target, "whisper/large", key, {}});
  sent_form sent{{}, {}, {}, made.dropped};
  for (const std::string_view piece : made.body.pieces()) sent.body += piece;
  for (const auto& [name, value] : made.head.fields) {
    if (name == "content-type") sent.content_type = value;
    if (name == "accept") sent.accept = value;
  }
  return sent;
}

TEST(PassedForms, TheModelAloneIsReplaced) {
  const sent_form sent = prepared(form_of({{"file", "sound"}, {"model", "fast"}, {"language", "de"}}), provider());
  EXPECT_EQ(sent.body, form_of({{"file", "sound"}, {"model", "whisper/large"}, {"language", "de"}})->json());
  EXPECT_EQ(sent.content_type, "multipart/form-data; boundary=b");
  EXPECT_EQ(sent.accept, "application/json");
}

TEST(PassedForms, AFormWithoutAModelGetsOneInFront) {
  const sent_form sent = prepared(form_of({{"file", "sound"}}), provider());
  EXPECT_EQ(sent.body, "--b\r\ncontent-disposition: form-data; name=\"model\"\r\n\r\nwhisper/large\r\n" +
                           std::string(form_of({{"file", "sound"}})->json()));
}

TEST(PassedForms, WhatATargetDoesNotTakeGoesWithItsPart) {
  provider target;
  target.behaves.drop_params = {"user", "x"};
  target.behaves.reject_params = {"n", "temperature"};
  const auto body = form_of({{"user", "me"}, {"model", "fast"}, {"x", ""}, {"n", "1"}, {"user", "too"}});
  const sent_form sent = prepared(body, target);
  EXPECT_EQ(sent.body, form_of({{"model", "whisper/large"}})->json());
  EXPECT_EQ(sent.dropped, std::vector<std::string>{"user"});
  target.apis = {served_api::audio};
  EXPECT_EQ(openai_dialect().unsupported(*body, wire_format::openai_transcription, target), std::nullopt);
  EXPECT_EQ(openai_dialect().unsupported(*form_of({{"temperature", "0.5"}}), wire_format::openai_transcription, target), "temperature");
  EXPECT_EQ(openai_dialect().unsupported(*body, wire_format::openai_image_edits, target), "images");
}

TEST(PassedForms, ABoundaryIsQuotedWhereItMustBe) {
  EXPECT_EQ(prepared(form_of({{"model", "m"}}, "a:b c"), provider()).content_type, R"(multipart/form-data; boundary="a:b c")");
  EXPECT_EQ(prepared(form_of({{"model", "m"}}, "----WebKit_1.2"), provider()).content_type,
            "multipart/form-data; boundary=----WebKit_1.2");
}

TEST(PassedForms, WhatIsAcceptedIsWhatIsAskedFor) {
  const auto body = form_of({{"model", "m"}});
  EXPECT_EQ(prepared(body, provider(), wire_format::openai_transcription_events).accept, "text/event-stream");
  EXPECT_EQ(prepared(body, provider(), wire_format::openai_transcription_text).accept, "*/*");
  EXPECT_EQ(prepared(body, provider(), wire_format::openai_speech).accept, "application/octet-stream, audio/*");
}

}  // namespace
}  // namespace photofinish::proxy
