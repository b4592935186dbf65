// Tests the chat reader with streams of OpenAI's older Completions API. These streams have their text in a different member. They are
// repaired in the same way as chat streams.
#include "proxy/dialects/openai/openai_dialect.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr auto completions = wire_format::openai_completions;

stream_settings settings(usage_chunk usage = usage_chunk::unwanted) {
  stream_settings all = test::settings_for_test(usage);
  all.format = completions;
  return all;
}

test::played_stream play(const std::vector<std::string>& chunks, usage_chunk usage = usage_chunk::unwanted) {
  test::stream_player player(settings(usage));
  for (const std::string& chunk : chunks) player.feed("data: " + chunk + "\n\n");
  player.end_body();
  return player.played();
}

std::string chunk(const std::string& choices, const std::string& more = "") {
  return R"({"id":"cmpl-1","object":"text_completion","created":5,"model":"m","choices":[)" + choices + "]" + more + "}";
}

std::string text(const std::string& said) {
  return chunk(R"({"text":")" + said + R"(","index":0,"logprobs":null,"finish_reason":null})");
}

TEST(CompletionsStream, CleanChunksPassAsTheyAre) {
  const std::vector<std::string> chunks{text("Hel"), text("lo"), text(" \\u00e9"), text("!"),
                                        chunk(R"({"text":"","index":0,"logprobs":null,"finish_reason":"stop"})")};
  std::vector<std::string> sent = chunks;
  sent.push_back("[DONE]");
  const auto played = play(sent);
  EXPECT_FALSE(played.failed);
  EXPECT_EQ(played.json, chunks);
  EXPECT_EQ(played.ends, 1u);
  EXPECT_EQ(played.summary.token_events, 4u);
  EXPECT_EQ(played.summary.text_bytes, 9u);
}

TEST(CompletionsStream, TheFirstTextThatSaysSomethingIsTheFirstToken) {
  const auto played = play({text(""), text("a"), chunk(R"({"text":null,"index":0,"finish_reason":"length"})"), "[DONE]"});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.kinds, (std::vector{event_kind::progress, event_kind::token, event_kind::progress, event_kind::end}));
  EXPECT_EQ(played.json.back(), chunk(R"({"text":"","index":0,"finish_reason":"length"})"));
}

TEST(CompletionsStream, IsMendedAsChatIs) {
  const auto played = play({R"({"object":"chat.completion.chunk","choices":[{"text":"a"}]})",
                            R"({"id":"other","choices":[{"text":"b","finish_reason":"eos"}]})", "[DONE]"});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.json.size(), 2u);
  EXPECT_NE(played.json[0].find(R"("object":"text_completion")"), std::string::npos) << played.json[0];
  EXPECT_NE(played.json[0].find(R"("index":0)"), std::string::npos) << played.json[0];
  EXPECT_NE(played.json[1].find(R"("finish_reason":"stop")"), std::string::npos) << played.json[1];
  EXPECT_EQ(played.text().find("delta"), std::string::npos) << played.text();
  EXPECT_EQ(played.text().find("role"), std::string::npos) << played.text();
}

TEST(CompletionsStream, AMissingFinishIsWrittenInItsOwnForm) {
  const auto played = play({text("a"), "[DONE]"});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.json.back(),
            R"({"id":"cmpl-1","object":"text_completion","created":5,"model":"m","choices":[{"index":0,"text":"","finish_reason":"stop"}]})");
}

TEST(CompletionsStream, UsageComesOnceAndOnlyToWhoAskedForIt) {
  const std::vector<std::string> chunks{
      text("a"), chunk(R"({"text":"","index":0,"finish_reason":"stop"})"),
      chunk("", R"(,"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4})"), "[DONE]"};
  EXPECT_EQ(play(chunks).json.size(), 2u);
  const auto asked = play(chunks, usage_chunk::wanted);
  ASSERT_EQ(asked.json.size(), 3u);
  EXPECT_EQ(asked.json.back(), chunks[2]);
  EXPECT_EQ(asked.summary.usage->output_tokens, 1u);
}

TEST(CompletionsStream, ChoicesAreKeptApart) {
  const auto played = play({chunk(R"({"text":"a","index":1,"finish_reason":null},{"text":"b","index":0,"finish_reason":null})"),
                            chunk(R"({"text":"","index":1,"finish_reason":"stop"})"),
                            chunk(R"({"text":"","index":0,"finish_reason":"length"})"), "[DONE]"});
  EXPECT_FALSE(played.failed);
  EXPECT_EQ(played.summary.text_bytes, 2u);
}

TEST(CompletionsStream, WhatIsNoTextIsNoAnswer) {
  EXPECT_TRUE(play({chunk(R"({"text":["a"],"index":0})"), "[DONE]"}).failed);
  EXPECT_TRUE(play({chunk(R"({"text":"a","text":"b","index":0})"), "[DONE]"}).failed);
  EXPECT_TRUE(play({"[DONE]"}).failed);
  EXPECT_TRUE(play({R"({"error":{"message":"no"}})"}).failed);
}

TEST(CompletionsStream, AWholeAnswerIsReadAsItsChunks) {
  test::stream_player player(settings(usage_chunk::wanted));
  player.answer(R"({"id":"cmpl-1","object":"text_completion","created":5,"model":"m","choices":[{"text":"ab","index":0,"logprobs":{"tokens":["ab"]},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})");
  const auto& played = player.played();
  ASSERT_FALSE(played.failed);
  const std::string head = R"({"object":"text_completion","id":"cmpl-1","created":5,"model":"m","choices":)";
  EXPECT_EQ(played.json, (std::vector<std::string>{
                             head + R"([{"index":0,"text":"ab","logprobs":{"tokens":["ab"]},"finish_reason":null}]})",
                             head + R"([{"index":0,"text":"","finish_reason":"stop"}]})",
                             head + R"([],"usage":{"prompt_tokens":3,"completion_tokens":2}})"}));
}

// The Completions reader refuses a chat answer, because a client of the Completions API would find no text in it.
TEST(CompletionsStream, AChatAnswerIsNone) {
  test::stream_player player(settings());
  player.answer(R"({"choices":[{"message":{"content":"hi"}}]})");
  EXPECT_TRUE(player.played().failed);
}

std::string sent(const std::string& body) {
  provider target;
  target.apis = {served_api::completions};
  target.behaves.rename_params = {{"max_tokens", "max_completion_tokens"}};
  const secret key("k");
  const auto kept = std::make_shared<const client_body>(body);
  EXPECT_EQ(openai_dialect().unsupported(*kept, completions, target), std::nullopt);
  prepared_request prepared = openai_dialect().prepare({kept, completions, target, "big", key, {}});
  EXPECT_EQ(prepared.head.path, "/completions");
  std::string text;
  for (const std::string_view piece : prepared.body.pieces()) text += piece;
  return text;
}

TEST(CompletionsStream, IsAskedForAsAStreamByItsOwnNames) {
  EXPECT_EQ(sent(R"({"model":"m","prompt":"a","max_tokens":5,"stream":false,"suffix":"z"})"),
            R"({"stream_options":{"include_usage":true},"model":"big","prompt":"a","max_tokens":5,"stream":true,"suffix":"z"})");
}

TEST(CompletionsStream, TheBestOfSeveralIsAskedForWhole) {
  EXPECT_EQ(sent(R"({"model":"m","prompt":"a","best_of":3})"), R"({"model":"big","prompt":"a","best_of":3})");
  EXPECT_NE(sent(R"({"model":"m","prompt":"a","best_of":1})").find(R"("stream":true)"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::proxy
