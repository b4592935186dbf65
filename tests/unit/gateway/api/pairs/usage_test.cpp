// Tests how the client gets the usage that a provider reports, for each dialect and each client API.
#include "gateway/records/cost.hpp"
#include "proxy/dialects/anthropic/message_stream.hpp"
#include "proxy/json/base64.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/unit/gateway/api/pairs/answering.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

struct counted_answer {
  std::string name;
  sent_answer sent;
  spoken_usage usage = {};
  bool is_own_usage_kept = false;  // true if a client gets the usage unchanged when provider and client use the same API
};
void PrintTo(const counted_answer& each, std::ostream* to) { *to << each.name; }

sent_answer chat_stream(const std::vector<std::string>& reports) {
  const auto chunk = [](const std::string& choices, const std::string& usage) {
    return R"(data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":)" + choices + R"(,"usage":)" + usage + "}\n\n";
  };
  std::string bytes = chunk(R"([{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}])", reports.front());
  bytes += chunk(R"([{"index":0,"delta":{},"finish_reason":"stop"}])", "null");
  for (std::size_t at = 1; at < reports.size(); ++at) bytes += chunk("[]", reports[at]);
  return {"openai", wire_format::openai_chat, sent_as::events, bytes + "data: [DONE]\n\n"};
}

sent_answer responses_stream(const std::string& early, const std::string& late) {
  const auto event = [](const std::string& type, const std::string& status, const std::string& usage) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + R"(","sequence_number":1,"response":{"id":"resp_1","object":"response","created_at":1,"model":"m","status":")" +
           status + R"(","output":[{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]}],"usage":)" +
           usage + "}}\n\n";
  };
  return {"openai", wire_format::openai_responses, sent_as::events,
          event("response.in_progress", "in_progress", early) + event("response.completed", "completed", late)};
}

std::vector<std::string> message_events(const std::string& early, const std::string& late) {
  return {R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":)" + early + "}}",
          R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
          R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}})", R"({"type":"content_block_stop","index":0})",
          R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":)" + late + "}", R"({"type":"message_stop"})"};
}
sent_answer messages_stream(const std::string& early, const std::string& late) {
  std::string bytes;
  for (const std::string& each : message_events(early, late)) bytes += "event: " + json::parse(each).at("type").get<std::string>() + "\ndata: " + each + "\n\n";
  return {"anthropic", wire_format::anthropic_messages, sent_as::events, bytes};
}
sent_answer messages_whole(const std::string& usage) {
  return {"anthropic", wire_format::anthropic_messages, sent_as::whole,
          R"({"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":)" + usage + "}"};
}
sent_answer claude_frames(const std::string& early, const std::string& late) {
  std::string bytes;
  for (const std::string& each : message_events(early, late))
    bytes += test::event_frame_of("chunk", json{{"bytes", proxy::base64_encoded(each, proxy::base64_padding::wanted)}}.dump());
  return {"bedrock", wire_format::anthropic_messages, sent_as::frames, bytes};
}

sent_answer gemini_stream(const std::string& early, const std::string& late) {
  const auto chunk = [](const std::string& text, const std::string& finish, const std::string& usage) {
    return R"(data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":")" + text + R"("}]})" + finish + R"(}],"usageMetadata":)" + usage + "}\n\n";
  };
  return {"gemini", wire_format::gemini, sent_as::events, chunk("H", "", early) + chunk("i", R"(,"finishReason":"STOP")", late)};
}

sent_answer converse_frames(const std::string& early, const std::string& late) {
  const std::string metadata = R"({"metrics":{"latencyMs":1},"usage":)";
  return {"bedrock", wire_format::bedrock_converse, sent_as::frames,
          test::event_frame_of("messageStart", R"({"role":"assistant"})") +
              test::event_frame_of("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"text":"Hi"}})") +
              test::event_frame_of("metadata", metadata + early + "}") + test::event_frame_of("metadata", metadata + late + "}") +
              test::event_frame_of("messageStop", R"({"stopReason":"end_turn"})")};
}

// Returns answers that report token counts early in the stream, and smaller counts at its end.
std::vector<counted_answer> all_repeated_reports() {
  const std::string chat = R"({"prompt_tokens":18,"completion_tokens":7,"total_tokens":25,"prompt_tokens_details":{"cached_tokens":5,"cache_write_tokens":3}})";
  const std::string chat_zeros = R"({"prompt_tokens":0,"completion_tokens":0,"total_tokens":0})";
  const std::string responses = R"({"input_tokens":18,"input_tokens_details":{"cached_tokens":5,"cache_write_tokens":3},"output_tokens":7,"total_tokens":25})";
  const std::string messages = R"({"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":3,"output_tokens":7})";
  const std::string messages_zeros = R"({"input_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":0})";
  const std::string messages_less = R"({"input_tokens":2,"output_tokens":7})";
  const std::string gemini = R"({"promptTokenCount":15,"cachedContentTokenCount":5,"candidatesTokenCount":3,"thoughtsTokenCount":4})";
  const std::string converse = R"({"inputTokens":10,"cacheReadInputTokens":5,"cacheWriteInputTokens":3,"outputTokens":7,"totalTokens":25})";
  const spoken_usage at_gemini{.written = 0};
  return {{"ChatZeros", chat_stream({chat, chat_zeros})},
          {"ChatTwoZeros", chat_stream({chat, chat_zeros, chat_zeros})},
          {"ChatOutputAlone", chat_stream({R"({"prompt_tokens":18,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":5,"cache_write_tokens":3}})",
                                           R"({"prompt_tokens":0,"completion_tokens":7})"})},
          {"ResponsesZeros", responses_stream(responses, R"({"input_tokens":0,"output_tokens":0,"total_tokens":0})")},
          {"ResponsesOutputAlone", responses_stream(responses, R"({"input_tokens":0,"output_tokens":7,"total_tokens":7})")},
          {"MessagesZeros", messages_stream(messages, messages_zeros)},
          {"MessagesLess", messages_stream(messages, messages_less)},
          {"ClaudeAtBedrockZeros", claude_frames(messages, messages_zeros)},
          {"GeminiZeros", gemini_stream(gemini, R"({"promptTokenCount":0,"candidatesTokenCount":0})"), at_gemini},
          {"GeminiOutputAlone", gemini_stream(R"({"promptTokenCount":15,"cachedContentTokenCount":5,"thoughtsTokenCount":4})", R"({"candidatesTokenCount":3})"), at_gemini},
          {"ConverseZeros", converse_frames(converse, R"({"inputTokens":0,"outputTokens":0,"totalTokens":0})")}};
}

// Returns answers whose usage consists of several iterations that are billed separately.
std::vector<counted_answer> all_iterations() {
  const auto usage = [](const std::string& iterations) {
    return R"({"input_tokens":23000,"output_tokens":1000,"iterations":[)" + iterations + "]}";
  };
  const std::string compaction = usage(R"({"type":"compaction","input_tokens":180000,"output_tokens":3500},)"
                                       R"({"type":"message","input_tokens":23000,"output_tokens":1000})");
  const std::string server_tools = usage(R"({"type":"message","input_tokens":9000,"cache_creation_input_tokens":1000,"output_tokens":400},)"
                                         R"({"type":"message","input_tokens":12000,"cache_read_input_tokens":1000,"output_tokens":600})");
  const std::string fallback = usage(R"({"type":"message","model":"a","input_tokens":23000,"output_tokens":200},)"
                                     R"({"type":"fallback_message","model":"b","input_tokens":23000,"output_tokens":1000})");
  const std::string early = R"({"input_tokens":23000,"output_tokens":1})";
  const spoken_usage compacted{203'000, 0, 0, 4500}, looped{21'000, 1000, 1000, 1000}, fell_back{46'000, 0, 0, 1200};
  std::vector<counted_answer> all;
  for (const auto& [name, late, sum] : {std::tuple{"Compaction", compaction, compacted},
                                        {"ServerTools", server_tools, looped},
                                        {"Fallback", fallback, fell_back}}) {
    all.push_back({std::string(name) + "Streamed", messages_stream(early, late), sum, true});
    all.push_back({std::string(name) + "AtBedrock", claude_frames(early, late), sum, true});
    all.push_back({std::string(name) + "Whole", messages_whole(late), sum, true});
  }
  return all;
}

// Returns answers of xAI, which counts reasoning tokens separately: the 9 completion tokens do not include the 94 reasoning tokens.
std::vector<counted_answer> all_apart() {
  const std::string chat =
      R"({"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}})";
  const std::string responses =
      R"({"input_tokens":32,"output_tokens":9,"output_tokens_details":{"reasoning_tokens":94},"total_tokens":135})";
  const spoken_usage sum{32, 0, 0, 103};
  return {{"ChatReasoning", chat_stream({"null", chat}), sum, true},
          {"ResponsesReasoning", responses_stream("null", responses), sum, true}};
}

std::string name_of(const ::testing::TestParamInfo<counted_answer>& tested) { return tested.param.name; }

class CountedAnswers : public ::testing::TestWithParam<counted_answer> {};
INSTANTIATE_TEST_SUITE_P(RepeatedReports, CountedAnswers, ::testing::ValuesIn(all_repeated_reports()), name_of);

INSTANTIATE_TEST_SUITE_P(ReasoningApart, CountedAnswers, ::testing::ValuesIn(all_apart()), name_of);
INSTANTIATE_TEST_SUITE_P(Iterations, CountedAnswers, ::testing::ValuesIn(all_iterations()), name_of);

// If client and provider use the same API, the client gets the events of a stream unchanged. In chat streams, however, the gateway writes
// the usage chunk.
TEST_P(CountedAnswers, HaveTheSameUsageForEveryClient) {
  const counted_answer& expected = GetParam();
  for (const reading_client& by : clients)
    for (const bool is_stream : {true, false}) {
      const bool is_own = by.format == expected.sent.format;
      if (is_own && expected.is_own_usage_kept) continue;
      const bool is_passed = is_own && by.format != wire_format::openai_chat;
      if (is_passed && (is_stream || by.format == wire_format::openai_responses)) continue;
      SCOPED_TRACE(std::string("to ") + by.name + (is_stream ? ", streamed" : ", whole"));
      const spoken_answer got = read(by, by.request, expected.sent, is_stream);
      EXPECT_EQ(got.usage.input, expected.usage.input);
      EXPECT_EQ(got.usage.cached, expected.usage.cached);
      EXPECT_EQ(got.usage.written, expected.usage.written);
      EXPECT_EQ(got.usage.output, expected.usage.output);
    }
}

TEST(Iterations, AreAllPaid) {
  const std::string late =
      R"({"input_tokens":23000,"output_tokens":1000,"iterations":[{"type":"compaction","input_tokens":180000,"output_tokens":3500},)"
      R"({"type":"message","input_tokens":23000,"output_tokens":1000}]})";
  test::player_of<proxy::message_stream> player(nullptr);
  player.feed(messages_stream(R"({"input_tokens":23000,"output_tokens":1})", late).bytes);
  EXPECT_DOUBLE_EQ(winner_cost(*proxy::parse_prices("3/15"), player.played().summary, {}, {}).usd, 0.6765);
}

}  // namespace
}  // namespace photofinish::gateway::pairs
