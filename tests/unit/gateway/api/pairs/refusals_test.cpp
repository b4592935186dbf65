// Tests answers in which a model refuses the request, for every API. The model's own words must appear in the member that the client's API
// has for refusals.
#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/messages/messages_api.hpp"
#include "gateway/api/responses/responses_api.hpp"
#include "proxy/json/base64.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/unit/gateway/api/pairs/relay.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

struct refusal_case {
  std::string name;
  sent_answer sent;
  std::string text, refusal;  // the text of the answer, and the text of the refusal
  bool is_filtered;           // true if the provider reports that a content filter ended the answer
};

std::string data_lines(const std::vector<std::string>& all, bool is_named = false) {
  std::string bytes;
  for (const std::string& each : all)
    bytes += (is_named ? "event: " + json::parse(each).at("type").get<std::string>() + "\n" : "") + "data: " + each + "\n\n";
  return bytes;
}

// Chat

const std::string chunk_head = R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,)";
std::string chat_stream(const std::string& first, const std::string& second, const std::string& finish) {
  return data_lines({chunk_head + R"("delta":{"role":"assistant","content":""},"finish_reason":null}]})",
                     chunk_head + R"("delta":)" + first + R"(,"finish_reason":null}]})", chunk_head + R"("delta":)" + second + R"(,"finish_reason":null}]})",
                     chunk_head + R"("delta":{},"finish_reason":")" + finish + R"("}]})"}) + "data: [DONE]\n\n";
}
std::string chat_whole(const std::string& message, const std::string& finish) {
  return R"({"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":)" + message +
         R"(,"finish_reason":")" + finish + R"("}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}})";
}

// Responses

const std::string refusing_item = R"({"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"I may not."}]})";
std::string response_with(const std::string& output) {
  return R"({"id":"resp_1","object":"response","created_at":1,"model":"m","status":"completed","error":null,"incomplete_details":null,"output":[)" +
         output + R"(],"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}})";
}
std::string response_stream() {
  return data_lines({R"({"type":"response.created","sequence_number":0,"response":)" + response_with("") + "}",
                     R"({"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","status":"in_progress","content":[]}})",
                     R"({"type":"response.content_part.added","sequence_number":2,"output_index":0,"item_id":"msg_1","content_index":0,"part":{"type":"refusal","refusal":""}})",
                     R"({"type":"response.refusal.delta","sequence_number":3,"output_index":0,"item_id":"msg_1","content_index":0,"delta":"I may"})",
                     R"({"type":"response.refusal.delta","sequence_number":4,"output_index":0,"item_id":"msg_1","content_index":0,"delta":" not."})",
                     R"({"type":"response.refusal.done","sequence_number":5,"output_index":0,"item_id":"msg_1","content_index":0,"refusal":"I may not."})",
                     R"({"type":"response.content_part.done","sequence_number":6,"output_index":0,"item_id":"msg_1","content_index":0,"part":{"type":"refusal","refusal":"I may not."}})",
                     R"({"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":)" + refusing_item + "}",
                     R"({"type":"response.completed","sequence_number":8,"response":)" + response_with(refusing_item) + "}"}, true);
}

// Messages

const std::string explained = R"("stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":"bio","explanation":"I may not."})";
const std::string unexplained = R"("stop_reason":"refusal","stop_sequence":null)";
std::string message_with(const std::string& content, const std::string& stop) {
  return R"({"id":"msg_1","type":"message","role":"assistant","model":"m","content":[)" + content + "]," + stop +
         R"(,"usage":{"input_tokens":1,"output_tokens":2}})";
}
const std::string no_stop = R"("stop_reason":null,"stop_sequence":null)", sorry = R"({"type":"text","text":"Sorry"})";
std::vector<std::string> message_events(const std::string& stop) {
  return {R"({"type":"message_start","message":)" + message_with("", no_stop) + "}",
          R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
          R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Sorry"}})",
          R"({"type":"content_block_stop","index":0})",
          R"({"type":"message_delta","delta":{)" + stop + R"(},"usage":{"output_tokens":2}})", R"({"type":"message_stop"})"};
}
std::string claude_frames(const std::vector<std::string>& events) {
  std::string bytes;
  for (const std::string& each : events)
    bytes += test::event_frame_of("chunk", json{{"bytes", proxy::base64_encoded(each, proxy::base64_padding::wanted)}}.dump());
  return bytes;
}

// Gemini

const std::string blocked_candidate = R"({"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Sorry"}]},"finishReason":"SAFETY","finishMessage":"I may\nnot."}]})";
const std::string blocked_prompt = R"({"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"I may not."},"usageMetadata":{"promptTokenCount":1}})";

// Converse

std::string intervened() {
  return test::event_frame_of("messageStart", R"({"role":"assistant"})") +
         test::event_frame_of("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"text":"The guard says no."}})") +
         test::event_frame_of("contentBlockStop", R"({"contentBlockIndex":0})") +
         test::event_frame_of("messageStop", R"({"stopReason":"guardrail_intervened"})") +
         test::event_frame_of("metadata", R"({"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}})");
}
const std::string intervened_whole = R"({"output":{"message":{"role":"assistant","content":[{"text":"The guard says no."}]}},
    "stopReason":"guardrail_intervened","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}})";

std::vector<refusal_case> all_refusals() {
  const auto chat = [](sent_as form, std::string bytes) {
    return sent_answer{"openai", wire_format::openai_chat, form, std::move(bytes)};
  };
  const auto responses = [](sent_as form, std::string bytes) {
    return sent_answer{"openai", wire_format::openai_responses, form, std::move(bytes)};
  };
  const auto claude = [](sent_as form, std::string bytes) {
    return sent_answer{"anthropic", wire_format::anthropic_messages, form, std::move(bytes)};
  };
  const auto gemini = [](sent_as form, std::string bytes) {
    return sent_answer{"gemini", wire_format::gemini, form, std::move(bytes)};
  };
  const auto converse = [](sent_as form, std::string bytes) {
    return sent_answer{"bedrock", wire_format::bedrock_converse, form, std::move(bytes)};
  };
  const auto at_bedrock = [](sent_as form, std::string bytes) {
    return sent_answer{"bedrock", wire_format::anthropic_messages, form, std::move(bytes)};
  };
  const std::string refusing = R"({"role":"assistant","content":null,"refusal":"I may not."})";
  return {{"Chat", chat(sent_as::events, chat_stream(R"({"refusal":"I may"})", R"({"refusal":" not."})", "stop")), "", "I may not.", false},
          {"ChatWhole", chat(sent_as::whole, chat_whole(refusing, "stop")), "", "I may not.", false},
          {"ChatFiltered", chat(sent_as::events, chat_stream(R"({"content":"Sorry"})", "{}", "content_filter")), "Sorry", "", true},
          {"Responses", responses(sent_as::events, response_stream()), "", "I may not.", false},
          {"ResponsesWhole", responses(sent_as::whole, response_with(refusing_item)), "", "I may not.", false},
          {"Messages", claude(sent_as::events, data_lines(message_events(explained), true)), "Sorry", "I may not.", true},
          {"MessagesWhole", claude(sent_as::whole, message_with(sorry, explained)), "Sorry", "I may not.", true},
          {"MessagesUnexplained", claude(sent_as::events, data_lines(message_events(unexplained), true)), "Sorry", "", true},
          {"ClaudeAtBedrock", at_bedrock(sent_as::frames, claude_frames(message_events(explained))), "Sorry", "I may not.", true},
          {"Gemini", gemini(sent_as::events, data_lines({blocked_candidate})), "Sorry", "I may not.", true},
          {"GeminiWhole", gemini(sent_as::whole, blocked_candidate), "Sorry", "I may not.", true},
          {"GeminiPrompt", gemini(sent_as::events, data_lines({blocked_prompt})), "", "I may not.", true},
          {"GeminiPromptWhole", gemini(sent_as::whole, blocked_prompt), "", "I may not.", true},
          {"Guardrail", converse(sent_as::frames, intervened()), "The guard says no.", "", true},
          {"GuardrailWhole", converse(sent_as::whole, intervened_whole), "The guard says no.", "", true}};
}

void PrintTo(const refusal_case& each, std::ostream* to) { *to << each.name; }

class RefusalPairs : public ::testing::TestWithParam<refusal_case> {
 protected:
  static std::string relayed_to(const api& by, json request, bool is_stream) {
    const relayed_answer got = relay(by, std::move(request), GetParam().sent, is_stream);
    EXPECT_FALSE(got.failed) << got.failed->detail;
    return got.bytes;
  }
  static std::vector<json> events_in(const std::string& bytes) {
    std::vector<json> all;
    for (std::size_t at = bytes.find("data: {"); at != std::string::npos; at = bytes.find("data: {", at + 1))
      all.push_back(json::parse(bytes.substr(at + 6, bytes.find('\n', at) - at - 6)));
    return all;
  }
  static std::string text_in(const json& object, const char* key) {
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
  }
};
INSTANTIATE_TEST_SUITE_P(Refusals, RefusalPairs, ::testing::ValuesIn(all_refusals()), [](const auto& tested) { return tested.param.name; });

TEST_P(RefusalPairs, ToChatAreItsRefusal) {
  const refusal_case& expected = GetParam();
  const json question = {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}};
  const std::string end = expected.is_filtered ? "content_filter" : "stop";
  std::string text, refusal, finish;
  for (const json& each : events_in(relayed_to(chat_api(), question, true)))
    for (const json& choice : each.at("choices")) {
      text += text_in(choice.at("delta"), "content");
      refusal += text_in(choice.at("delta"), "refusal");
      finish += text_in(choice, "finish_reason");
    }
  EXPECT_EQ(text, expected.text);
  EXPECT_EQ(refusal, expected.refusal);
  EXPECT_EQ(finish, end);
  const json choice = json::parse(relayed_to(chat_api(), question, false)).at("choices")[0];
  EXPECT_EQ(text_in(choice.at("message"), "content"), expected.text);
  EXPECT_EQ(text_in(choice.at("message"), "refusal"), expected.refusal);
  EXPECT_EQ(choice.at("finish_reason"), end);
}

TEST_P(RefusalPairs, ToResponsesAreAPartWithItsOwnEvents) {
  const refusal_case& expected = GetParam();
  const auto expect_held = [&expected](const json& response) {
    std::string text, refusal;
    for (const json& item : response.at("output"))
      for (const json& part : item.at("content")) text += text_in(part, "text"), refusal += text_in(part, "refusal");
    EXPECT_EQ(text, expected.text);
    EXPECT_EQ(refusal, expected.refusal);
    EXPECT_EQ(response.at("status"), expected.is_filtered ? "incomplete" : "completed");
    const json why = expected.is_filtered ? json::parse(R"({"reason":"content_filter"})") : json();
    EXPECT_EQ(response.at("incomplete_details"), why);
  };
  const std::string bytes = relayed_to(responses_api(), {{"input", "Hi"}}, true);
  std::string said, done;
  for (const json& each : events_in(bytes)) {
    if (each.at("type") == "response.refusal.delta") said += each.at("delta");
    if (each.at("type") == "response.refusal.done") done += each.at("refusal");
  }
  // The client's stream has no refusal events if the provider of the Responses API sent a non-streamed answer.
  if (expected.sent.form != sent_as::whole || expected.sent.format != wire_format::openai_responses) {
    EXPECT_EQ(said, expected.refusal);
    EXPECT_EQ(done, expected.refusal);
  }
  expect_held(events_in(bytes).back().at("response"));
  expect_held(json::parse(relayed_to(responses_api(), {{"input", "Hi"}}, false)));
}

TEST_P(RefusalPairs, ToMessagesAreTextThatEndsInARefusal) {
  const refusal_case& expected = GetParam();
  const json question = {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"max_tokens", 9}};
  const bool is_own = expected.sent.format == wire_format::anthropic_messages;
  const auto expect_said = [&](const std::string& text, const json& end) {
    EXPECT_EQ(text, expected.text + (is_own ? "" : expected.refusal));
    EXPECT_EQ(end.at("stop_reason"), "refusal");
    const bool is_explained = is_own && !expected.refusal.empty();
    EXPECT_EQ(is_explained ? end.at("stop_details").at("explanation") : json(), is_explained ? json(expected.refusal) : json());
  };
  std::string text;
  json end;
  for (const json& each : events_in(relayed_to(messages_api(), question, true))) {
    if (each.at("type") == "content_block_start") text += text_in(each.at("content_block"), "text");
    if (each.at("type") == "content_block_delta") text += text_in(each.at("delta"), "text");
    if (each.at("type") == "message_delta") end = each.at("delta");
  }
  expect_said(text, end);
  const json whole = json::parse(relayed_to(messages_api(), question, false));
  text.clear();
  for (const json& block : whole.at("content")) text += text_in(block, "text");
  expect_said(text, whole);
}

// OpenAI sends content as a string. Some other providers with the same API send a list.
TEST(RefusalPairsOfChat, ARefusalAmongPartsIsOne) {
  const sent_answer sent{"openai", wire_format::openai_chat, sent_as::events,
                         chat_stream(R"({"content":[{"type":"refusal","refusal":"I may not."}]})", "{}", "stop")};
  const json question = {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"max_tokens", 9}};
  const json got = json::parse(relay(messages_api(), question, sent, false).bytes);
  EXPECT_EQ(got.at("content"), json::parse(R"([{"type":"text","text":"I may not."}])"));
  EXPECT_EQ(got.at("stop_reason"), "refusal");
}

// Gemini's answer is empty, but states a reason. The attempt fails, so that another target can answer. If all attempts fail, the client
// gets Gemini's reason.
TEST(RefusalPairsOfGemini, WhyThereIsNoAnswerIsInItsOwnWords) {
  const sent_answer sent{"gemini", wire_format::gemini, sent_as::events,
                         data_lines({R"({"candidates":[{"index":0,"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed call:\n1"}]})"})};
  const relayed_answer got = relay(chat_api(), {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}}, sent, true);
  ASSERT_TRUE(got.failed);
  EXPECT_EQ(got.failed->detail, "the model gave no answer: MALFORMED_FUNCTION_CALL: Malformed call: 1");
}

}  // namespace
}  // namespace photofinish::gateway::pairs
