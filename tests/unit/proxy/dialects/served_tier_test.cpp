// Tests the service tier that a provider reports in its answer, in streamed and non-streamed answers of each dialect.
#include "proxy/dialects/anthropic/message_stream.hpp"
#include "proxy/dialects/bedrock/converse_stream.hpp"
#include "proxy/dialects/gemini/gemini_stream.hpp"
#include "proxy/dialects/openai/chunks/chunk_shapes.hpp"
#include "proxy/dialects/openai/openai_stream.hpp"
#include "proxy/dialects/responses/response_stream.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace photofinish::proxy {
namespace {

using test::player_of;

std::optional<price_tier> tier_in(const test::played_stream& played) {
  EXPECT_FALSE(played.failed);
  EXPECT_TRUE(played.summary.usage);
  return played.summary.usage ? played.summary.usage->tier : std::nullopt;
}

std::string chat_chunk(const std::string& choices, const std::string& more) {
  return R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":)" + choices + more + "}";
}
const std::string chat_word = chat_chunk(R"([{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}])", "");
const std::string chat_stop = chat_chunk(R"([{"index":0,"delta":{},"finish_reason":"stop"}])", "");
const std::string chat_counts = R"("usage":{"prompt_tokens":3,"completion_tokens":2})";

std::optional<price_tier> in_chat(const std::string& last_members) {
  return tier_in(test::play_chunks({chat_word, chat_stop, chat_chunk("[]", last_members)}));
}

TEST(ServedTier, OfAChatStreamComesWithTheUsage) {
  EXPECT_EQ(in_chat(R"(,"service_tier":"priority",)" + chat_counts), price_tier::priority);
  EXPECT_EQ(in_chat("," + chat_counts + R"(,"service_tier":"flex")"), price_tier::flex);
  EXPECT_EQ(in_chat("," + chat_counts + R"(,"service_tier":"fast")"), price_tier::fast);
  EXPECT_EQ(in_chat("," + chat_counts + R"(,"service_tier":"default")"), price_tier::standard);
  EXPECT_EQ(in_chat("," + chat_counts + R"(,"service_tier":null)"), std::nullopt);
  EXPECT_EQ(in_chat("," + chat_counts + R"(,"service_tier":"unheard-of")"), std::nullopt);
}

TEST(ServedTier, OfAChatStreamMayComeBeforeTheUsage) {
  const std::string first = chat_chunk(R"([{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}])",
                                       R"(,"service_tier":"ultrafast")");
  EXPECT_EQ(tier_in(test::play_chunks({first, chat_stop, chat_chunk("[]", "," + chat_counts)})), price_tier::ultrafast);
}

// Plays a stream whose last chunk contains the usage but no service tier. Returns the service tier that the reader found.
std::optional<price_tier> in_next_stream(const std::shared_ptr<chunk_shapes>& shapes, const std::string& tier) {
  const std::string words = R"([{"index":0,"delta":{"content":" there"},"finish_reason":null}])";
  stream_settings settings = test::settings_for_test();
  settings.shapes = shapes;
  test::stream_player player(settings);
  player.feed(test::events_of({chat_chunk(R"([{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}])", tier),
                               chat_chunk(words, tier), chat_chunk(R"([{"index":0,"delta":{},"finish_reason":"stop"}])", tier),
                               chat_chunk("[]", "," + chat_counts)}) +
              "data: [DONE]\n\n");
  player.end_body();
  return tier_in(player.played());
}

TEST(ServedTier, IsReadFromEachStreamOfATarget) {
  const auto shapes = std::make_shared<chunk_shapes>(chat_form);
  EXPECT_EQ(in_next_stream(shapes, R"(,"service_tier":"priority")"), price_tier::priority);
  EXPECT_EQ(in_next_stream(shapes, R"(,"service_tier":"priority")"), price_tier::priority);
  EXPECT_EQ(in_next_stream(shapes, R"(,"service_tier":"default")"), price_tier::standard);
  EXPECT_EQ(in_next_stream(shapes, R"(,"service_tier":"flex")"), price_tier::flex);
  EXPECT_EQ(in_next_stream(shapes, ""), std::nullopt);
  EXPECT_EQ(in_next_stream(shapes, R"(,"service_tier":"unheard-of")"), std::nullopt);
  EXPECT_EQ(in_next_stream(shapes, R"(,"service_tier":"priority")"), price_tier::priority);
}

TEST(ServedTier, MayChangeBetweenPaddedChunksOfOneStream) {
  const auto text = [](const std::string& padding, const std::string& tier) {
    return chat_chunk(R"([{"index":0,"delta":{"content":"Hi"},"finish_reason":null}])",
                      R"(,"service_tier":")" + tier + R"(","obfuscation":")" + padding + "\"");
  };
  EXPECT_EQ(tier_in(test::play_chunks({chat_word, text("a", "default"), text("bc", "default"), text("d", "default"),
                                       text("efg", "priority"), chat_stop, chat_chunk("[]", "," + chat_counts)})),
            price_tier::priority);
}

TEST(ServedTier, OfAWholeChatAnswerStandsNextToItsChoices) {
  for (const auto form : {usage_chunk::unwanted, usage_chunk::wanted}) {
    test::stream_player player(test::settings_for_test(form));
    player.answer(R"({"id":"c","object":"chat.completion","created":1,"model":"m","service_tier":"priority",
      "choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],)" + chat_counts + "}");
    EXPECT_EQ(tier_in(player.played()), price_tier::priority);
  }
}

TEST(ServedTier, OfAWholeChatAnswerThatPassesIsTheSame) {
  stream_settings settings = test::settings_for_test(usage_chunk::wanted);
  settings.passes_whole = true;
  test::stream_player player(settings);
  player.answer(R"({"id":"c","object":"chat.completion","created":1,"model":"m",
    "choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],)" + chat_counts +
                R"(,"service_tier":"flex"})");
  EXPECT_EQ(tier_in(player.played()), price_tier::flex);
}

TEST(ServedTier, OfVertexIsInTheUsageOfItsChatAnswers) {
  const auto vertex = [](const std::string& word) {
    return in_chat(R"(,"usage":{"prompt_tokens":3,"completion_tokens":2,"extra_properties":{"google":{"traffic_type":")" + word +
                   R"("}}})");
  };
  EXPECT_EQ(vertex("ON_DEMAND_PRIORITY"), price_tier::priority);
  EXPECT_EQ(vertex("ON_DEMAND_FLEX"), price_tier::flex);
  EXPECT_EQ(vertex("ON_DEMAND"), price_tier::standard);
  EXPECT_EQ(vertex("PROVISIONED_THROUGHPUT"), price_tier::standard);
}

std::string response(const std::string& status, const std::string& tier) {
  return R"({"id":"resp_1","object":"response","created_at":1,"model":"m","status":")" + status + R"(","service_tier":")" + tier +
         R"(","output":[{"type":"message","id":"m1","role":"assistant","status":"completed",
         "content":[{"type":"output_text","text":"Hi","annotations":[]}]}],)"
         R"("usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}})";
}

TEST(ServedTier, OfResponsesIsThatOfTheCompletedResponse) {
  const auto event = [](const std::string& type, const std::string& of) {
    std::string line = R"({"type":")" + type + R"(","sequence_number":1,"response":)" + of + "}";
    std::erase(line, '\n');
    return "event: " + type + "\ndata: " + line + "\n\n";
  };
  player_of<response_stream> player(nullptr, json_use::passes, true);
  player.feed(event("response.created", response("in_progress", "auto")));
  player.feed(event("response.completed", response("completed", "priority")));
  player.end_body();
  EXPECT_EQ(tier_in(player.played()), price_tier::priority);
}

TEST(ServedTier, OfAWholeResponse) {
  player_of<response_stream> player(nullptr, json_use::passes, true);
  player.answer(response("completed", "flex"));
  EXPECT_EQ(tier_in(player.played()), price_tier::flex);
}

std::optional<price_tier> in_message(const std::string& more) {
  player_of<message_stream> player(nullptr);
  player.answer(R"({"id":"msg_1","type":"message","role":"assistant","model":"claude","stop_reason":"end_turn",
    "content":[{"type":"text","text":"Hi"}],"usage":{"input_tokens":3,"output_tokens":2)" + more + "}}");
  return tier_in(player.played());
}

TEST(ServedTier, OfAnthropicIsTheSpeed) {
  EXPECT_EQ(in_message(R"(,"service_tier":"standard","speed":"fast")"), price_tier::fast);
  EXPECT_EQ(in_message(R"(,"service_tier":"standard","speed":"standard")"), price_tier::standard);
  EXPECT_EQ(in_message(R"(,"service_tier":"priority")"), price_tier::standard) << "capacity that was bought before";
  EXPECT_EQ(in_message(""), std::nullopt);
}

TEST(ServedTier, OfAMessageStreamComesWithItsBeginning) {
  player_of<message_stream> player(nullptr);
  const auto feed = [&player](const std::string& type, const std::string& more) {
    player.feed("event: " + type + "\ndata: {\"type\":\"" + type + "\"" + more + "}\n\n");
  };
  feed("message_start", R"(,"message":{"id":"m","type":"message","role":"assistant","model":"claude","content":[],)"
                        R"("usage":{"input_tokens":3,"output_tokens":1,"speed":"fast"}})");
  feed("content_block_start", R"(,"index":0,"content_block":{"type":"text","text":""})");
  feed("content_block_delta", R"(,"index":0,"delta":{"type":"text_delta","text":"Hi"})");
  feed("content_block_stop", R"(,"index":0)");
  feed("message_delta", R"(,"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9})");
  feed("message_stop", "");
  player.end_body();
  EXPECT_EQ(tier_in(player.played()), price_tier::fast);
}

std::string gemini_answer(const std::string& more) {
  return R"({"candidates":[{"content":{"parts":[{"text":"Hi"}],"role":"model"},"index":0,"finishReason":"STOP"}],)"
         R"("usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2)" + more + "}}";
}

TEST(ServedTier, OfGeminiIsTheTypeOfTraffic) {
  const stream_settings settings{.format = wire_format::gemini, .id = "r"};
  player_of<gemini_stream> stream(settings);
  stream.feed(test::events_of({gemini_answer(R"(,"trafficType":"ON_DEMAND_PRIORITY")")}));
  stream.end_body();
  EXPECT_EQ(tier_in(stream.played()), price_tier::priority);
  player_of<gemini_stream> whole(settings);
  whole.answer(gemini_answer(R"(,"trafficType":"ON_DEMAND_FLEX")"));
  EXPECT_EQ(tier_in(whole.played()), price_tier::flex);
}

TEST(ServedTier, OfGeminiMayBeAHeader) {
  gemini_stream stream({.format = wire_format::gemini, .id = "r"});
  response_head head;
  head.status = 200;
  head.fields = {{"content-type", "application/json"}, {"x-gemini-service-tier", "Flex"}};
  EXPECT_EQ(stream.on_head(head), answer_kind::whole);
  ASSERT_TRUE(stream.on_whole(gemini_answer("")));
  const auto given = stream.next_of_whole({});
  ASSERT_TRUE(given);
  ASSERT_TRUE(given->front().usage);
  EXPECT_EQ(given->front().usage->tier, price_tier::flex);
}

TEST(ServedTier, OfBedrockIsRepeatedNextToTheUsage) {
  const std::string counts = R"("usage":{"inputTokens":5,"outputTokens":7,"totalTokens":12})";
  player_of<converse_stream> stream(stream_settings{});
  stream.feed_frames(test::event_frame_of("messageStart", R"({"role":"assistant"})"));
  stream.feed_frames(test::event_frame_of("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"text":"Hi"}})"));
  stream.feed_frames(test::event_frame_of("messageStop", R"({"stopReason":"end_turn"})"));
  stream.feed_frames(test::event_frame_of("metadata", "{" + counts + R"(,"serviceTier":{"type":"priority"}})"));
  stream.end_frames();
  EXPECT_EQ(tier_in(stream.played()), price_tier::priority);
  player_of<converse_stream> whole(stream_settings{});
  whole.answer(R"({"output":{"message":{"role":"assistant","content":[{"text":"Hi"}]}},"stopReason":"end_turn",)" + counts +
               R"(,"serviceTier":{"type":"flex"}})");
  EXPECT_EQ(tier_in(whole.played()), price_tier::flex);
}

}  // namespace
}  // namespace photofinish::proxy
