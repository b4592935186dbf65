#include "proxy/dialects/openai/json_answer.hpp"

#include "proxy/dialects/openai/openai_dialect.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr instant read_at{std::chrono::seconds(7)};

std::unique_ptr<dialect_stream> stream_of(wire_format format, std::optional<vector_encoding> vectors = {}) {
  stream_settings settings;
  settings.format = format;
  settings.vectors = vectors;
  return openai_dialect().open_stream(std::move(settings));
}

struct outcome {
  std::string json;                  // the JSON of the answer's only token event
  std::optional<token_usage> usage;  // the usage of the answer's only token event
  std::string failed;                // the reason for the failure if the body is not an answer
};

// Passes the body to the reader in pieces of this size, and returns the result.
outcome read(const std::string& body, wire_format format = wire_format::openai_embeddings, std::size_t piece = SIZE_MAX) {
  const auto stream = stream_of(format);
  EXPECT_EQ(stream->on_head({200, {{"content-type", "application/json"}}}), answer_kind::whole);
  for (std::size_t end = piece; end < body.size(); end += piece)
    if (auto seen = stream->see_whole(std::string_view(body).substr(0, end)); !seen) return {{}, {}, seen.error().detail};
  if (auto taken = stream->on_whole(body); !taken) return {{}, {}, taken.error().detail};
  const auto said = stream->next_of_whole(read_at);
  EXPECT_TRUE(said.has_value());
  EXPECT_EQ(said->size(), 2u);
  const stream_event& token = said->front();
  EXPECT_EQ(token.kind, event_kind::token);
  EXPECT_EQ(token.spoken, format);
  EXPECT_EQ(token.read_at, read_at);
  EXPECT_EQ(said->back().kind, event_kind::end);
  outcome all;
  for (const std::string_view part : token.json) all.json += part;
  if (token.usage != nullptr) all.usage = *token.usage;
  return all;
}

const std::string embeddings =
    R"( {"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.25,-1e-7]}],)"
    "\n"
    R"("model":"e-1","usage":{"prompt_tokens":8,"total_tokens":8},"error":null} )";

TEST(JsonAnswer, IsOneTokenWithTheBytesAsTheyCame) {
  for (const std::size_t piece : {1u, 7u, 4096u}) {
    const outcome seen = read(embeddings, wire_format::openai_embeddings, piece);
    EXPECT_EQ(seen.failed, "");
    EXPECT_EQ(seen.json, embeddings);
    ASSERT_TRUE(seen.usage);
    EXPECT_EQ(seen.usage->input_tokens, 8u);
    EXPECT_EQ(seen.usage->output_tokens, 0u);
  }
}

TEST(JsonAnswer, OfResponsesHoldsWhatWasAskedFor) {
  constexpr auto compaction = wire_format::openai_compaction, tokens = wire_format::openai_input_tokens;
  EXPECT_EQ(read(R"({"output":[],"usage":{"input_tokens":5,"output_tokens":2}})", compaction, 7).failed, "");
  EXPECT_EQ(read(R"({"object":"response.input_tokens","input_tokens":0})", tokens, 7).failed, "");
  EXPECT_NE(read(R"({"data":[1]})", compaction, 7).failed, "");
  EXPECT_NE(read(R"({"output":null})", compaction, 7).failed, "");
  EXPECT_NE(read(R"({"output":[],"error":{"message":"no"}})", compaction, 7).failed, "");
}

// The reader does not copy a long body: the body's characters stay at the same address.
TEST(JsonAnswer, MovesToWhoKeepsIt) {
  std::string body = R"({"data":[")" + std::string(100'000, 'x') + "\"]}";
  const char* const place = body.data();
  const std::size_t bytes = body.size();
  const auto stream = stream_of(wire_format::openai_images);
  ASSERT_TRUE(stream->on_whole(std::move(body)));
  EXPECT_GE(stream->held_bytes(), bytes);
  const auto said = stream->next_of_whole(read_at);
  kept_event kept(said->front());
  EXPECT_EQ(stream->held_bytes(), 0u);
  EXPECT_GE(kept.bytes(), bytes);
  EXPECT_LT(kept.bytes(), bytes + 1000) << "spare room of the string that it came in does not count";
  EXPECT_EQ(kept.view().kind, event_kind::token);
  const std::string taken = kept.take_json();
  EXPECT_EQ(taken.data(), place);
  EXPECT_EQ(taken.size(), bytes);
}

TEST(JsonAnswer, UsageIsReadInTheWordsOfEach) {
  const auto usage = [](const std::string& members, wire_format format) {
    return read(R"({"results":[],"data":[0])" + members + "}", format).usage;
  };
  const auto counts = [&](const std::string& members) {
    const auto seen = usage(members, wire_format::openai_rerank);
    return seen ? std::to_string(seen->input_tokens) + "/" + std::to_string(seen->output_tokens) : "none";
  };
  EXPECT_EQ(counts(R"(,"usage":{"total_tokens":12})"), "12/0");
  EXPECT_EQ(counts(R"(,"usage":{"input_tokens":5,"output_tokens":1056,"total_tokens":1061})"), "5/1056");
  EXPECT_EQ(counts(R"(,"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":1}})"), "none");
  EXPECT_EQ(counts(R"(,"meta":{"billed_units":{"input_tokens":9.0}})"), "9/0");
  EXPECT_EQ(counts(R"(,"meta":{"billed_units":{"search_units":1},"tokens":{"input_tokens":7,"output_tokens":2}})"), "7/2");
  EXPECT_EQ(counts(R"(,"usage":null)"), "none");
  EXPECT_EQ(counts(R"(,"usage":{"prompt_tokens":-1})"), "none");
  EXPECT_EQ(counts(R"(,"usage":{"pad":")" + std::string(70'000, 'x') + R"(","prompt_tokens":1})"), "none");
}

TEST(JsonAnswer, ItsListSaysSomething) {
  EXPECT_NE(read(R"({"data":[]})").failed, "");
  EXPECT_NE(read(R"({"data":"none"})").failed, "");
  EXPECT_NE(read(R"({"object":"list","model":"m"})").failed, "");
  EXPECT_EQ(read(R"({"results":[]})", wire_format::openai_rerank).failed, "");
  EXPECT_EQ(read(R"({"results":[{"flagged":false}]})", wire_format::openai_moderations).failed, "");
  EXPECT_NE(read(R"({"results":[ ]})", wire_format::openai_moderations).failed, "");
}

TEST(JsonAnswer, AnErrorWithStatus200IsNone) {
  EXPECT_EQ(read(R"({"error":{"message":"no such model"},"data":[1]})").failed, "no such model");
  EXPECT_NE(read(R"({"err\u006fr":"no","data":[1]})").failed, "");
}

TEST(JsonAnswer, WhatIsNoJsonFailsWhereItIsSeen) {
  EXPECT_NE(read("<html>busy</html>").failed, "");
  EXPECT_NE(read(embeddings.substr(0, embeddings.size() - 5)).failed, "") << "cut";
  const auto stream = stream_of(wire_format::openai_embeddings);
  EXPECT_FALSE(stream->see_whole("<html>"));
}

TEST(JsonAnswer, AStreamIsNone) {
  const auto stream = stream_of(wire_format::openai_embeddings);
  EXPECT_EQ(stream->on_head({200, {{"content-type", "text/event-stream"}}}), answer_kind::refusal);
  EXPECT_EQ(stream->on_head({500, {{"content-type", "application/json"}}}), answer_kind::refusal);
  EXPECT_FALSE(stream->on_event({"", "{}"}, read_at));
  EXPECT_FALSE(stream->on_body_end("", read_at));
}

TEST(JsonAnswer, HasRoomForALongAnswerWhateverAnEventMayHave) {
  const auto stream = stream_of(wire_format::openai_embeddings);
  EXPECT_EQ(stream->max_whole_bytes(1000), 64u << 20);
  EXPECT_EQ(stream->max_whole_bytes(100u << 20), 100u << 20);
  EXPECT_EQ(stream_of(wire_format::openai_chat)->max_whole_bytes(1000), 1000u);
}

// Returns the answer with the embedding for a client that requested this encoding.
outcome encoded(const std::string& embedding, vector_encoding wanted, std::size_t padding = 0) {
  const auto stream = stream_of(wire_format::openai_embeddings, wanted);
  const std::string body = R"({"data":[{"embedding":)" + embedding + R"(}],"usage":{"prompt_tokens":3},"pad":")" +
                           std::string(padding, ' ') + "\"}";
  if (auto taken = stream->on_whole(body); !taken) return {{}, {}, taken.error().detail};
  const auto said = stream->next_of_whole(read_at);
  outcome all;
  for (const std::string_view part : said->front().json) all.json += part;
  all.usage = *said->front().usage;
  return all;
}

TEST(JsonAnswer, EmbeddingsHaveTheEncodingThatWasAskedFor) {
  using enum vector_encoding;
  EXPECT_TRUE(encoded("[0.25,-1.5,3]", base64).json.starts_with(R"({"data":[{"embedding":"AACAPgAAwL8AAEBA"}])"));
  EXPECT_TRUE(encoded(R"("AACAPgAAwL8AAEBA")", floats).json.starts_with(R"({"data":[{"embedding":[0.25,-1.5,3]}])"));
  EXPECT_EQ(encoded("[0.25,-1.5,3]", base64).usage->input_tokens, 3u);
  EXPECT_TRUE(encoded("[[1,2],[3]]", floats).json.starts_with(R"({"data":[{"embedding":[[1,2],[3]]}])"));
}

TEST(JsonAnswer, EmbeddingsThatCannotBeConvertedAreAFailure) {
  using enum vector_encoding;
  // The length of an embedding decides whether the reader or the writer converts it. The test covers both.
  for (const std::size_t padding : {0u, 1u << 20}) {
    EXPECT_NE(encoded("[[1,2],[3]]", base64, padding).failed, "");
    EXPECT_NE(encoded(R"([{"x":1}])", base64, padding).failed, "");
    EXPECT_NE(encoded(R"("AACAPgAAwL8AAE==")", floats, padding).failed, "");  // ten bytes
    EXPECT_EQ(encoded("[1,2]", base64, padding).failed, "");
    EXPECT_EQ(encoded(R"("AACAPg==")", floats, padding).failed, "");
  }
  EXPECT_NE(encoded(R"("AACAfw==")", floats).failed, "");                      // infinite
  EXPECT_NE(encoded(R"([1],"embedding":[2])", base64).failed, "");
}

TEST(JsonAnswer, AListThatIsThereTwiceIsAFailureThatNamesTheList) {
  const outcome seen = read(R"({"data":[{"embedding":[1]}],"data":[{"embedding":[2]}]})");
  EXPECT_EQ(seen.failed, "HTTP 200 with something other than an answer with the list that this API requires");
  EXPECT_EQ(read(R"({"data":[1],"results":null})").failed, "");
}

}  // namespace
}  // namespace photofinish::proxy
