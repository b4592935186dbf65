#include "proxy/dialects/bedrock/claude_stream.hpp"

#include "proxy/json/base64.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::event_frame_of;
using test::played_stream;
using player = test::player_of<claude_stream>;

std::string chunk(const std::string& json) {
  return event_frame_of("chunk", R"({"bytes":")" + base64_encoded(json, base64_padding::wanted) + R"(","p":"abcdefgh"})");
}

const std::vector<std::string> message{
    R"({"type":"message_start","message":{"id":"msg_bdrk_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":3,"cache_read_input_tokens":4,"output_tokens":1}}})",
    R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
    R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})",
    R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig=="}})",
    R"({"type":"content_block_stop","index":0})",
    R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
    R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hé"}})",
    R"({"type":"content_block_stop","index":1})",
    R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}})",
    R"({"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":3}})"};

std::string all_chunks() {
  std::string bytes;
  for (const std::string& each : message) bytes += chunk(each);
  return bytes;
}

played_stream play(const std::string& bytes, std::size_t piece = std::string::npos) {
  player one(stream_settings{});
  for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size()))
    one.feed_frames(std::string_view(bytes).substr(at, piece));
  one.end_frames();
  return one.played();
}

TEST(ClaudeStream, ItsFramesHoldEventsOfMessagesWhichPassAsTheyAre) {
  const played_stream played = play(all_chunks());
  ASSERT_FALSE(played.failed) << played.failed->detail;
  EXPECT_EQ(played.json, message);
  EXPECT_EQ(played.names.front(), "message_start");
  EXPECT_EQ(played.said.at(delta_kind::text), "Hé");
  EXPECT_EQ(played.said.at(delta_kind::reasoning), "hm");
  EXPECT_EQ(played.said.at(delta_kind::signature), "sig==");
  EXPECT_EQ(played.summary.usage->input_tokens, 7u);
  EXPECT_EQ(played.ends, 1u);
}

TEST(ClaudeStream, AnySplitSaysTheSame) {
  const std::string bytes = all_chunks();
  for (std::size_t piece = 1; piece < 400; piece += 7) EXPECT_EQ(play(bytes, piece).json, message) << piece;
}

// Base64 contains slashes, and some JSON writers escape slashes.
TEST(ClaudeStream, BytesMayHaveEscapes) {
  std::string encoded = base64_encoded(R"({"type":"ping","x":"???>>>"})", base64_padding::wanted);
  ASSERT_NE(encoded.find('/'), std::string::npos);
  for (std::size_t at = encoded.find('/'); at != std::string::npos; at = encoded.find('/', at + 2)) encoded.insert(at, "\\");
  EXPECT_EQ(play(chunk(message[0]) + event_frame_of("chunk", R"({"bytes":")" + encoded + "\"}")).json.back(),
            R"({"type":"ping","x":"???>>>"})");
}

TEST(ClaudeStream, ExceptionsAreNotWrapped) {
  const played_stream played =
      play(chunk(message[0]) + test::exception_frame_of("modelStreamErrorException", R"({"message":"it broke","originalStatusCode":500})"));
  ASSERT_TRUE(played.failed);
  EXPECT_EQ(played.failed->kind, failure_kind::server_error);
  EXPECT_EQ(played.failed->detail, "it broke");
}

TEST(ClaudeStream, AnErrorOfMessagesIsAFailure) {
  const played_stream played =
      play(chunk(message[0]) + chunk(R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"));
  ASSERT_TRUE(played.failed);
  EXPECT_EQ(played.failed->status, 529);
}

TEST(ClaudeStream, WhatHoldsNoEventIsAFailure) {
  for (const char* payload : {"{}", R"({"bytes":"%%%"})", R"({"bytes":7})", R"({"bytes":""})", "", "["}) {
    const played_stream played = play(event_frame_of("chunk", payload));
    ASSERT_TRUE(played.failed) << payload;
    EXPECT_EQ(played.failed->kind, failure_kind::bad_stream) << payload;
  }
}

TEST(ClaudeStream, WhatIsCutIsAFailure) {
  EXPECT_TRUE(play(chunk(message[0]) + chunk(message[5])).failed);
  EXPECT_TRUE(play(all_chunks().substr(0, all_chunks().size() - 5)).failed);
}

TEST(ClaudeStream, WhatComesBehindTheEndIsNotRead) {
  for (const std::string& more : {event_frame_of("chunk", "["), test::exception_frame_of("throttlingException", "{}"),
                                  event_frame_of("chunk", "{}").substr(0, 20)}) {
    const played_stream played = play(all_chunks() + more);
    EXPECT_FALSE(played.failed) << more.size();
    EXPECT_EQ(played.ends, 1u);
  }
}

TEST(ClaudeStream, AGiantEventIsCountedAndDoesNotStay) {
  claude_stream stream(stream_settings{});
  frame_reader frames(1u << 20);
  const auto feed = [&](const std::string& bytes) {
    const test::padded_bytes fed(bytes);
    frames.feed(fed.view());
    while (const auto frame = frames.next()) ASSERT_TRUE(stream.on_frame(*frame, {}));
  };
  feed(chunk(message[0]));
  feed(chunk(R"({"type":"ping","x":")" + std::string(200'000, 'x') + "\"}"));
  EXPECT_GT(stream.held_bytes(), 200'000u);
  feed(chunk(R"({"type":"ping"})"));
  EXPECT_LT(stream.held_bytes(), 100u);
}

TEST(ClaudeStream, AWholeMessageIsItsEvents) {
  player one(stream_settings{});
  one.answer(
      R"({"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}})");
  EXPECT_FALSE(one.played().failed);
  EXPECT_EQ(one.played().said.at(delta_kind::text), "Hi");
  EXPECT_EQ(one.played().ends, 1u);
}

}  // namespace
}  // namespace photofinish::proxy
