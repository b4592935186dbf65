#include "proxy/dialects/bedrock/converse_stream.hpp"

#include "tests/support/streams/frames.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::event_frame_of;
using test::exception_frame_of;
using test::played_stream;
using player = test::player_of<converse_stream>;
using events = std::vector<std::pair<const char*, std::string>>;

const std::string start = event_frame_of("messageStart", R"({"p":"abc","role":"assistant"})");
const std::string stop = event_frame_of("messageStop", R"({"stopReason":"end_turn"})");
const std::string usage =
    event_frame_of("metadata", R"({"metrics":{"latencyMs":9},"p":"ab","usage":{"inputTokens":5,"outputTokens":7,"totalTokens":12}})");

std::string delta(const std::string& said, int index = 0) {
  return event_frame_of("contentBlockDelta",
                        R"({"contentBlockIndex":)" + std::to_string(index) + R"(,"delta":)" + said + R"(,"p":"abcdef"})");
}
std::string text(const std::string& said) { return delta(R"({"text":")" + said + "\"}"); }

played_stream play(const std::string& bytes, std::size_t piece = std::string::npos) {
  player one(stream_settings{});
  for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size()))
    one.feed_frames(std::string_view(bytes).substr(at, piece));
  one.end_frames();
  return one.played();
}

// The parts of a stream's content other than text.
struct heard {
  std::vector<std::string> calls;  // id and name of each tool call
  std::optional<token_usage> usage;
  std::string reason;
};
heard hear(const std::string& bytes) {
  converse_stream stream(stream_settings{});
  frame_reader reader(1u << 20);
  heard all;
  const test::padded_bytes fed(bytes);
  reader.feed(fed.view());
  while (const auto frame = reader.next()) {
    const auto given = stream.on_frame(*frame, {});
    if (!given) return all;
    for (const stream_event& event : *given) {
      if (event.usage != nullptr) all.usage = *event.usage;
      for (const proxy::delta& each : event.deltas) {
        if (each.kind == delta_kind::call)
          all.calls.push_back(std::to_string(each.part) + " " + std::string(each.id) + " " + std::string(each.text));
        if (each.kind == delta_kind::finish)
          all.reason = std::string(to_string(each.reason)) + (each.is_foreign ? " foreign " : " ") + std::string(each.text);
      }
    }
  }
  return all;
}

TEST(ConverseStream, IsAStreamOfFramesOrAWholeAnswer) {
  const auto kind = [](int status, const char* type) {
    return converse_stream(stream_settings{}).on_head({status, {{"content-type", type}}});
  };
  EXPECT_EQ(kind(200, "application/vnd.amazon.eventstream"), answer_kind::frames);
  EXPECT_EQ(kind(200, "application/json"), answer_kind::whole);
  EXPECT_EQ(kind(200, "text/event-stream"), answer_kind::refusal);
  EXPECT_EQ(kind(429, "application/json"), answer_kind::refusal);
  EXPECT_EQ(kind(500, "application/vnd.amazon.eventstream"), answer_kind::refusal);
}

TEST(ConverseStream, SaysItsTextAndEndsWithItsUsage) {
  const played_stream played =
      play(start + text("Hel") + text("lo \\u00e9") + event_frame_of("contentBlockStop", R"({"contentBlockIndex":0})") + stop + usage);
  ASSERT_FALSE(played.failed) << played.failed->detail;
  EXPECT_EQ(played.said.at(delta_kind::text), "Hello é");
  EXPECT_EQ(played.ends, 1u);
  EXPECT_TRUE(played.json.empty());
  ASSERT_TRUE(played.summary.usage);
  EXPECT_EQ(played.summary.usage->input_tokens, 5u);
  EXPECT_EQ(played.summary.usage->output_tokens, 7u);
  EXPECT_EQ(played.kinds, (std::vector<event_kind>{event_kind::progress, event_kind::token, event_kind::token, event_kind::progress,
                                                   event_kind::progress, event_kind::progress, event_kind::end}));
}

TEST(ConverseStream, AnySplitSaysTheSame) {
  const std::string bytes = start + text("a") + delta(R"({"reasoningContent":{"text":"hm"}})", 1) + stop + usage;
  const played_stream whole = play(bytes);
  for (std::size_t piece = 1; piece < bytes.size(); piece += 3) {
    const played_stream cut = play(bytes, piece);
    ASSERT_EQ(cut.said, whole.said) << piece;
    ASSERT_EQ(cut.kinds, whole.kinds) << piece;
  }
}

// The sum of these token counts exceeds 64 bits and would wrap around to 0.
TEST(ConverseStream, HugeCountsDoNotWrapAround) {
  const heard all = hear(
      start + text("a") + stop +
      event_frame_of(
          "metadata", R"({"usage":{"inputTokens":18446744073709551615,"outputTokens":7,"cacheReadInputTokens":100}})"));
  ASSERT_TRUE(all.usage);
  EXPECT_GT(all.usage->input_tokens, 1'000'000'000u);
}

TEST(ConverseStream, UsageCountsWhatTheCacheBroughtAndTook) {
  const heard all = hear(
      start + text("a") + stop +
      event_frame_of(
          "metadata",
          R"({"usage":{"inputTokens":5,"outputTokens":7,"cacheReadInputTokens":100,"cacheWriteInputTokens":30,"cacheDetails":[{"ttl":"1h","inputTokens":20},{"ttl":"5m","inputTokens":10}]}})"));
  ASSERT_TRUE(all.usage);
  EXPECT_EQ(all.usage->input_tokens, 135u);
  EXPECT_EQ(all.usage->cached_input_tokens, 100u);
  EXPECT_EQ(all.usage->written_input_tokens, 30u);
  EXPECT_EQ(all.usage->written_for_hour_tokens, 20u);
}

TEST(ConverseStream, CallsHaveTheirArgumentsAlsoWithoutAny) {
  const auto open = [](int index, const char* id) {
    return event_frame_of("contentBlockStart", R"({"contentBlockIndex":)" + std::to_string(index) +
                                                   R"(,"start":{"toolUse":{"name":"f","toolUseId":")" + id + R"("}}})");
  };
  const auto close = [](int index) { return event_frame_of("contentBlockStop", R"({"contentBlockIndex":)" + std::to_string(index) + "}"); };
  const std::string bytes = start + open(0, "a") + delta(R"({"toolUse":{"input":"{\"x\":"}})") + delta(R"({"toolUse":{"input":"1}"}})") +
                            close(0) + open(1, "b") + close(1) + event_frame_of("messageStop", R"({"stopReason":"tool_use"})") + usage;
  EXPECT_EQ(play(bytes).said.at(delta_kind::call_arguments), R"({"x":1}{})");
  EXPECT_EQ(hear(bytes).calls, (std::vector<std::string>{"0 a f", "1 b f"}));
  EXPECT_EQ(hear(bytes).reason, "tool_calls tool_use");
}

TEST(ConverseStream, AToolOfTheServersIsNoTokenAndNoClientsCall) {
  const std::string bytes =
      start +
      event_frame_of(
          "contentBlockStart",
          R"({"contentBlockIndex":0,"start":{"toolUse":{"name":"nova_code_interpreter","toolUseId":"a","type":"server_tool_use"}}})") +
      delta(R"({"toolUse":{"input":"{}"}})") + stop + usage;
  const played_stream played = play(bytes);
  EXPECT_EQ(played.kinds.at(1), event_kind::progress);
  EXPECT_EQ(played.said.at(delta_kind::lost_part), "toolUse (server_tool_use)");
  EXPECT_FALSE(played.said.contains(delta_kind::call));
  EXPECT_FALSE(played.said.contains(delta_kind::call_arguments));
  ASSERT_TRUE(played.failed);
  EXPECT_EQ(played.failed->code, "unsupported_answer");
}

TEST(ConverseStream, ReasoningKeepsItsSignatureAndWhatIsHidden) {
  const played_stream played =
      play(start + delta(R"({"reasoningContent":{"text":"hm"}})") + delta(R"({"reasoningContent":{"signature":"sig=="}})") +
           delta(R"({"reasoningContent":{"redactedContent":"YmxvYg=="}})", 1) + text("so") + stop + usage);
  EXPECT_EQ(played.said.at(delta_kind::reasoning), "hm");
  EXPECT_EQ(played.said.at(delta_kind::signature), "sig==");
  EXPECT_EQ(played.said.at(delta_kind::opaque), "YmxvYg==");
  EXPECT_EQ(played.kinds.at(1), event_kind::reasoning_token);
}

struct stop_case {
  const char* word;
  const char* reason;
};
TEST(ConverseStream, EachStopHasAReason) {
  for (const auto& [word, reason] : {stop_case{"end_turn", "stop end_turn"},
                                     {"tool_use", "tool_calls tool_use"},
                                     {"max_tokens", "length max_tokens"},
                                     {"stop_sequence", "stop stop_sequence"},
                                     {"guardrail_intervened", "content_filter guardrail_intervened"},
                                     {"content_filtered", "content_filter content_filtered"},
                                     {"malformed_tool_use", "length malformed_tool_use"},
                                     {"model_context_window_exceeded", "length model_context_window_exceeded"},
                                     {"new_word", "length foreign new_word"}})
    EXPECT_EQ(hear(start + text("a") + event_frame_of("messageStop", R"({"stopReason":")" + std::string(word) + "\"}")).reason, reason);
}

TEST(ConverseStream, AMalformedAnswerThatSaidNothingIsAFailure) {
  const played_stream played = play(start + event_frame_of("messageStop", R"({"stopReason":"malformed_tool_use"})") + usage);
  ASSERT_TRUE(played.failed);
  EXPECT_EQ(played.failed->kind, failure_kind::server_error);
  EXPECT_EQ(played.failed->code, "malformed_tool_use");
}

TEST(ConverseStream, WithoutItsUsageAnAnswerThatStoppedIsWhole) {
  const played_stream played = play(start + text("a") + stop);
  EXPECT_FALSE(played.failed);
  EXPECT_EQ(played.ends, 1u);
  EXPECT_FALSE(played.summary.usage);
}

TEST(ConverseStream, UsageMayComeBeforeTheStop) {
  const played_stream played = play(start + text("a") + usage + stop);
  EXPECT_FALSE(played.failed);
  EXPECT_EQ(played.ends, 1u);
  EXPECT_TRUE(played.summary.usage);
}

TEST(ConverseStream, WhatIsCutIsAFailure) {
  EXPECT_EQ(play(start + text("a")).failed->detail, "the stream ended early");
  EXPECT_EQ(play(start + text("a") + stop + usage.substr(0, 20)).failed->detail, "the stream ended early");
  std::string wrong = start + text("a");
  wrong.back() = static_cast<char>(~wrong.back());
  EXPECT_EQ(play(wrong).failed->detail, "the checksum of a frame is wrong");
}

TEST(ConverseStream, UnknownEventsSayNothing) {
  const played_stream played = play(event_frame_of("initial-response", "{}") + start + event_frame_of("newEvent", R"({"x":1})") +
                                    delta(R"({"image":{}})") + text("a") + stop + usage);
  EXPECT_FALSE(played.failed);
  EXPECT_EQ(played.said.at(delta_kind::text), "a");
}

struct exception_case {
  const char* type;
  failure_kind kind;
  int status;
};
TEST(ConverseStream, AnExceptionIsTheFailureThatItNames) {
  for (const auto& [type, kind, status] : {exception_case{"throttlingException", failure_kind::rate_limited, 429},
                                           {"validationException", failure_kind::bad_request, 400},
                                           {"internalServerException", failure_kind::server_error, 500},
                                           {"serviceUnavailableException", failure_kind::server_error, 503},
                                           {"modelStreamErrorException", failure_kind::server_error, 424},
                                           {"modelTimeoutException", failure_kind::server_error, 408}}) {
    const played_stream played = play(start + exception_frame_of(type, R"({"message":"Slow down","originalStatusCode":500})"));
    ASSERT_TRUE(played.failed) << type;
    EXPECT_EQ(played.failed->kind, kind) << type;
    EXPECT_EQ(played.failed->status, status) << type;
    EXPECT_EQ(played.failed->type, type);
    EXPECT_EQ(played.failed->detail, "Slow down");
    EXPECT_EQ(played.ends, 0u);
  }
}

TEST(ConverseStream, AnErrorFrameIsOneToo) {
  const played_stream played =
      play(test::frame_of(test::text_header(":message-type", "error") + test::text_header(":error-code", "InternalServerException") +
                              test::text_header(":error-message", "it \"broke\""),
                          ""));
  ASSERT_TRUE(played.failed);
  EXPECT_EQ(played.failed->detail, "it \"broke\"");
  EXPECT_EQ(played.failed->status, 500);
}

TEST(ConverseStream, AWholeAnswerSaysItsBlocks) {
  player one(stream_settings{});
  one.answer(
      R"({"metrics":{"latencyMs":1},"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s=="}}},
      {"reasoningContent":{"redactedContent":"YQ=="}},{"text":"Hi \"you\""},{"citationsContent":{"content":[{"text":" cited"}],"citations":[]}},
      {"toolUse":{"toolUseId":"a","name":"f","input":{"x":[1,"é"]}}},{"toolUse":{"toolUseId":"b","name":"g","input":{}}}]}},
      "stopReason":"tool_use","usage":{"inputTokens":5,"outputTokens":7,"totalTokens":12,"serverToolUsage":{}}})");
  const played_stream& played = one.played();
  ASSERT_FALSE(played.failed) << played.failed->detail;
  EXPECT_EQ(played.said.at(delta_kind::reasoning), "hm");
  EXPECT_EQ(played.said.at(delta_kind::signature), "s==");
  EXPECT_EQ(played.said.at(delta_kind::opaque), "YQ==");
  EXPECT_EQ(played.said.at(delta_kind::text), "Hi \"you\" cited");
  EXPECT_EQ(played.said.at(delta_kind::call), "fg");
  EXPECT_EQ(played.said.at(delta_kind::call_arguments), R"({"x":[1,"é"]}{})");
  EXPECT_EQ(played.said.at(delta_kind::finish), "tool_use");
  EXPECT_EQ(played.summary.usage->output_tokens, 7u);
  EXPECT_EQ(played.ends, 1u);
}

TEST(ConverseStream, JsonWithoutAnAnswerIsAFailure) {
  for (const char* body : {R"({"Output":{"__type":"com.amazon.coral.service#UnknownOperationException"},"Version":"1.0"})",
                           R"({"message":"no"})", "{", "[]", "", R"({"output":{"message":{"content":"x"}}})"}) {
    player one(stream_settings{});
    one.answer(body);
    EXPECT_TRUE(one.played().failed) << body;
  }
}

}  // namespace
}  // namespace photofinish::proxy
