// Tests the conversion of a non-streamed answer to an equivalent stream, and the stream that the client gets.
#include "proxy/dialects/openai/whole_answer.hpp"

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

test::played_stream play_answer(const std::string& body, usage_chunk usage = usage_chunk::wanted) {
  test::stream_player player(test::settings_for_test(usage));
  player.answer(body);
  EXPECT_FALSE(player.played().failed) << body;
  return player.played();
}

std::vector<std::string> chunks_of(const std::string& body) {
  whole_answer answer(body);
  EXPECT_TRUE(answer.is_completion()) << body.substr(0, 80);
  std::vector<std::string> chunks;
  for (auto chunk = answer.next_chunk(); !chunk.empty(); chunk = answer.next_chunk()) chunks.emplace_back(chunk);
  return chunks;
}

std::size_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

std::string answer(const std::string& choices, const std::string& more = "") {
  return R"({"id":"c-1","object":"chat.completion","created":5,"model":"m","choices":)" + choices + more + "}";
}

// Returns an answer with one choice, number 0. `members` are additional members of its message.
std::string message(const std::string& members, const std::string& beside = R"(,"finish_reason":"stop")") {
  return answer(R"([{"index":0,"message":{"role":"assistant",)" + members + "}" + beside + "}]");
}

json delta_of(const std::string& chunk) { return json::parse(chunk)["choices"][0]["delta"]; }

TEST(WholeAnswer, IsOneTokenAFinishAndTheUsage) {
  const auto played = play_answer(answer(
      R"([{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}])",
      R"(,"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5})"));
  const std::string head = R"({"object":"chat.completion.chunk","id":"c-1","created":5,"model":"m","choices":)";
  EXPECT_EQ(played.json,
            (std::vector<std::string>{
                head + R"([{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]})",
                head + R"([{"index":0,"delta":{},"finish_reason":"stop"}]})",
                head + R"([],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}})"}));
  EXPECT_EQ(played.kinds.front(), event_kind::token);
  EXPECT_EQ(played.kinds.back(), event_kind::end);
  EXPECT_EQ(played.ends, 1u);
  EXPECT_EQ(played.summary.usage->output_tokens, 2u);
  EXPECT_EQ(played.summary.text_bytes, 5u);
}

TEST(WholeAnswer, KeepsItsUsageFromClientsThatDidNotAsk) {
  const std::string body = answer(R"([{"message":{"content":"a"},"finish_reason":"stop"}])", R"(,"usage":{"prompt_tokens":3})");
  EXPECT_EQ(play_answer(body, usage_chunk::unwanted).json.size(), 2u);
}

TEST(WholeAnswer, TellsToolCallsApart) {
  const auto played = play_answer(message(
      R"("content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}])",
      R"(,"finish_reason":"tool_calls")"));
  const json calls = delta_of(played.json.at(0))["tool_calls"];
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0]["index"], 0);
  EXPECT_EQ(calls[1]["index"], 1);
  EXPECT_EQ(calls[0]["function"]["arguments"], R"({"x":1})");
  EXPECT_EQ(calls[1]["id"], "b");
  EXPECT_EQ(json::parse(played.json.at(1))["choices"][0]["finish_reason"], "tool_calls");
}

TEST(WholeAnswer, KeepsReasoningRefusalAndLogprobs) {
  const auto reasoned = play_answer(message(R"("reasoning_content":"hm","content":"a")"));
  EXPECT_EQ(delta_of(reasoned.json.at(0))["reasoning_content"], "hm");
  EXPECT_EQ(reasoned.summary.reasoning_bytes, 2u);
  EXPECT_EQ(delta_of(play_answer(message(R"("content":null,"refusal":"no")")).json.at(0))["refusal"], "no");
  const auto probable = play_answer(message(
      R"("content":"a")", R"(,"logprobs":{"content":[{"token":"a","logprob":-0.10000000000000000555}]},"finish_reason":"stop")"));
  EXPECT_NE(probable.json.at(0).find("-0.10000000000000000555"), std::string::npos) << probable.text();
}

TEST(WholeAnswer, GivesEachChoiceItsChunks) {
  const auto played = play_answer(answer(
      R"([{"index":0,"message":{"content":"a"},"finish_reason":"stop"},{"index":1,"message":{"content":"b"},"finish_reason":"length"}])",
      R"(,"provider":"X","citations":["u"])"));
  ASSERT_EQ(played.json.size(), 4u);
  EXPECT_EQ(json::parse(played.json[2])["choices"][0]["index"], 1);
  EXPECT_EQ(delta_of(played.json[2])["content"], "b");
  EXPECT_EQ(json::parse(played.json[3])["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(json::parse(played.json[0])["citations"][0], "u");
  EXPECT_FALSE(json::parse(played.json[1]).contains("citations"));
}

TEST(WholeAnswer, GetsWhatItLacks) {
  const auto played = play_answer("\n\n{\n \"choices\": [ {\"message\": {\"content\": \"two\\nlines\"}} ],\r\n \"error\": null\n}\n");
  ASSERT_EQ(played.json.size(), 2u);
  EXPECT_EQ(delta_of(played.json[0])["role"], "assistant");
  EXPECT_EQ(delta_of(played.json[0])["content"], "two\nlines");
  EXPECT_EQ(json::parse(played.json[0])["id"], "chatcmpl-invented");
  EXPECT_EQ(json::parse(played.json[1])["choices"][0]["finish_reason"], "stop");
}

TEST(WholeAnswer, MayMixUpTheForms) {
  EXPECT_EQ(delta_of(play_answer(answer(R"([{"delta":{"content":"a"}}])")).json.at(0))["content"], "a");
  EXPECT_EQ(delta_of(play_answer(answer(R"([{"text":"a"}])")).json.at(0))["content"], "a");
}

TEST(WholeAnswer, DoesNotRepeatWhatIsLong) {
  const std::string long_word(100'000, 'x');
  const auto chunks = chunks_of(
      answer(R"([{"message":{"content":"a"}},{"message":{"content":"b"}}])", R"(,"system_fingerprint":")" + long_word + "\""));
  EXPECT_EQ(chunks.size(), 2u);
  EXPECT_LT(bytes_of(chunks), long_word.size() + 2'000);
}

TEST(WholeAnswer, DoesNotRepeatWhatIsSaidOften) {
  std::string ids, choices = R"({"text":"a"})";
  for (int count = 0; count < 10'000; ++count) ids += R"("id":"a",)";
  for (int count = 1; count < 100; ++count) choices += R"(,{"text":"a"})";
  const std::string body = "{" + ids + R"("choices":[)" + choices + "]}";
  EXPECT_LT(bytes_of(chunks_of(body)), ids.size() + 200'000);
  EXPECT_EQ(json::parse(play_answer(body, usage_chunk::unwanted).json.at(0))["id"], "a");
}

TEST(WholeAnswer, IsNotAnErrorNorAnythingElse) {
  std::string many = R"({"choices":[{"text":"a"})";
  for (int count = 0; count < 1024; ++count) many += R"(,{"text":"a"})";
  const std::vector<std::string> bodies{"",
                                        "null",
                                        "[]",
                                        "{",
                                        R"({"choices":[]})",
                                        R"({"choices":[7]})",
                                        R"({"choices":[{"message":"a"}]})",
                                        R"({"choices":{"message":{"content":"a"}}})",
                                        R"({"error":{"message":"no"},"choices":[{"message":{"content":"a"}}]})",
                                        R"({"choices":[{"message":{"content":"a"}}]} and more)",
                                        many + "]}"};
  for (const std::string& body : bodies) EXPECT_FALSE(whole_answer(body).is_completion()) << body.substr(0, 80);
}

TEST(WholeAnswer, ThatIsAnErrorFailsWithWhatItSays) {
  test::stream_player player(test::settings_for_test());
  player.answer(R"({"error":{"message":"slow down","code":429}})");
  ASSERT_TRUE(player.played().failed);
  EXPECT_EQ(player.played().failed->detail, "slow down");
  EXPECT_EQ(player.played().failed->kind, failure_kind::rate_limited);
  EXPECT_TRUE(player.played().json.empty());
}

TEST(WholeAnswer, ThatItsProviderGaveUpFailsBeforeAnyOfItIsRelayed) {
  for (const char* word : {"abort", "insufficient_system_resource", "MALFORMED_FUNCTION_CALL", "error"}) {
    test::stream_player player(test::settings_for_test());
    player.answer(message(R"("content":"a")", R"(,"finish_reason":")" + std::string(word) + '"'));
    ASSERT_TRUE(player.played().failed) << word;
    EXPECT_NE(player.played().failed->detail.find(word), std::string::npos) << player.played().failed->detail;
    EXPECT_TRUE(player.played().json.empty()) << word;
  }
}

TEST(WholeAnswer, HoldsItsBodyAndOneChunkAtATime) {
  std::string choices = R"({"text":"a"})";
  for (int count = 1; count < 1'000; ++count) choices += R"(,{"text":"a"})";
  const std::string body = R"({"id":"i","choices":[)" + choices + "]}";
  whole_answer answer(body);
  std::size_t most = 0;
  while (!answer.next_chunk().empty()) most = std::max(most, answer.held_bytes());
  EXPECT_GT(most, body.size());
  EXPECT_LT(most, body.size() + 500);
}

}  // namespace
}  // namespace photofinish::proxy
