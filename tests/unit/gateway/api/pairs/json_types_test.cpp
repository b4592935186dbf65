// Tests answers whose members have other JSON types than the API specifies. Some providers send arguments as objects, ids and names as
// numbers, or a single content part instead of a list. Clients must get this content in streamed and in non-streamed answers.
#include "proxy/json/base64.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/unit/gateway/api/pairs/answering.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

struct typed_answer {
  std::string name;
  sent_answer sent;
  std::string called = "read", id = "call_a", arguments = R"({"path":"a","lines":[1,2.50]})";
};
void PrintTo(const typed_answer& each, std::ostream* to) { *to << each.name; }

// Chat

const std::string chunk_head = R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":)";

sent_answer chat_stream(const std::string& delta) {
  return {"openai", wire_format::openai_chat, sent_as::events,
          "data: " + chunk_head + R"({"role":"assistant","content":null},"finish_reason":null}]})" + "\n\ndata: " + chunk_head + delta +
              R"(,"finish_reason":null}]})" + "\n\ndata: " + chunk_head + R"({},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}})" +
              "\n\ndata: [DONE]\n\n"};
}
sent_answer chat_whole(const std::string& message) {
  return {"openai", wire_format::openai_chat, sent_as::whole,
          R"({"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":)" + message +
              R"(,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}})"};
}
std::string chat_call(const std::string& id, const std::string& name, const std::string& arguments) {
  return R"({"role":"assistant","content":null,"tool_calls":[{"index":0,"id":)" + id + R"(,"type":"function","function":{"name":)" + name +
         R"(,"arguments":)" + arguments + "}}]}";
}

// Others

sent_answer responses_whole(const std::string& item) {
  return {"openai", wire_format::openai_responses, sent_as::whole,
          R"({"id":"resp_1","object":"response","created_at":1,"model":"m","status":"completed","error":null,"incomplete_details":null,"output":[)" +
              item + R"(],"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}})"};
}
sent_answer responses_stream(const std::string& begun, const std::string& delta, const std::string& item) {
  const auto event = [](const std::string& type, const std::string& rest) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\",\"sequence_number\":1," + rest + "}\n\n";
  };
  std::string bytes = event("response.created", R"("response":{"id":"resp_1","object":"response","created_at":1,"model":"m","status":"in_progress","output":[]})");
  bytes += event("response.output_item.added", R"("output_index":0,"item":)" + begun);
  if (!delta.empty()) bytes += event("response.function_call_arguments.delta", R"("output_index":0,"item_id":"fc_1","delta":)" + delta);
  bytes += event("response.output_item.done", R"("output_index":0,"item":)" + item);
  return {"openai", wire_format::openai_responses, sent_as::events, bytes + event("response.completed", R"("response":)" + responses_whole(item).bytes)};
}
std::string function_call(const std::string& call_id, const std::string& name, const std::string& arguments) {
  return R"({"type":"function_call","id":"fc_1","status":"completed","call_id":)" + call_id + R"(,"name":)" + name + R"(,"arguments":)" + arguments + "}";
}

sent_answer messages_whole(const std::string& block) {
  return {"anthropic", wire_format::anthropic_messages, sent_as::whole,
          R"({"id":"msg_1","type":"message","role":"assistant","model":"m","content":[)" + block +
              R"(],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}})"};
}
std::vector<std::string> message_events(const std::string& block, const std::string& delta) {
  std::vector<std::string> all{R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}})",
                               R"({"type":"content_block_start","index":0,"content_block":)" + block + "}"};
  if (!delta.empty()) all.push_back(R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":)" + delta + "}}");
  for (const char* end : {R"({"type":"content_block_stop","index":0})", R"({"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":2}})",
                          R"({"type":"message_stop"})"})
    all.emplace_back(end);
  return all;
}
sent_answer messages_stream(const std::string& block, const std::string& delta) {
  std::string bytes;
  for (const std::string& each : message_events(block, delta)) bytes += "event: " + json::parse(each).at("type").get<std::string>() + "\ndata: " + each + "\n\n";
  return {"anthropic", wire_format::anthropic_messages, sent_as::events, bytes};
}
sent_answer claude_frames(const std::string& block, const std::string& delta) {
  std::string bytes;
  for (const std::string& each : message_events(block, delta))
    bytes += test::event_frame_of("chunk", json{{"bytes", proxy::base64_encoded(each, proxy::base64_padding::wanted)}}.dump());
  return {"bedrock", wire_format::anthropic_messages, sent_as::frames, bytes};
}
std::string tool_use(const std::string& id, const std::string& name, const std::string& input) {
  return R"({"type":"tool_use","id":)" + id + R"(,"name":)" + name + R"(,"input":)" + input + "}";
}

sent_answer gemini(sent_as form, const std::string& call) {
  const std::string chunk = R"({"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":)" + call +
                            R"(}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}})";
  return {"gemini", wire_format::gemini, form, form == sent_as::whole ? chunk : "data: " + chunk + "\n\n"};
}

sent_answer converse_frames(const std::string& start, const std::string& input) {
  std::string bytes = test::event_frame_of("messageStart", R"({"role":"assistant"})") +
                      test::event_frame_of("contentBlockStart", R"({"contentBlockIndex":0,"start":{"toolUse":)" + start + "}}");
  bytes += test::event_frame_of("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"toolUse":{"input":)" + input + "}}}");
  bytes += test::event_frame_of("contentBlockStop", R"({"contentBlockIndex":0})") + test::event_frame_of("messageStop", R"({"stopReason":"tool_use"})");
  return {"bedrock", wire_format::bedrock_converse, sent_as::frames,
          bytes + test::event_frame_of("metadata", R"({"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}})")};
}
sent_answer converse_whole(const std::string& use) {
  return {"bedrock", wire_format::bedrock_converse, sent_as::whole,
          R"({"output":{"message":{"role":"assistant","content":[{"toolUse":)" + use +
              R"(}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}})"};
}

std::vector<typed_answer> all_answers_of_other_types() {
  const std::string id = R"("call_a")", name = R"("read")", object = R"({"path": "a", "lines": [1, 2.50]})";
  const std::string quoted = R"("{\"path\":\"a\",\"lines\":[1,2.50]}")";
  std::vector<typed_answer> all;
  const auto add = [&all](std::string title, sent_answer sent) {
    return &all.emplace_back(typed_answer{std::move(title), std::move(sent)});
  };
  add("ChatObject", chat_stream(chat_call(id, name, object)));
  add("ChatObjectWhole", chat_whole(chat_call(id, name, object)));
  add("ChatNumericId", chat_stream(chat_call("17", name, quoted)))->id = "17";
  add("ChatNumericIdWhole", chat_whole(chat_call("17", name, quoted)))->id = "17";
  add("ChatNumericName", chat_stream(chat_call(id, "7", quoted)))->called = "7";
  add("ChatNumericNameWhole", chat_whole(chat_call(id, "7", quoted)))->called = "7";
  add("ResponsesObject", responses_stream(function_call(id, name, "\"\""), "", function_call(id, name, object)));
  add("ResponsesObjectDelta", responses_stream(function_call(id, name, "\"\""), object, function_call(id, name, object)));
  add("ResponsesObjectWhole", responses_whole(function_call(id, name, object)));
  add("ResponsesNumericId", responses_stream(function_call("17", name, "\"\""), quoted, function_call("17", name, quoted)))->id = "17";
  add("ResponsesNumericIdWhole", responses_whole(function_call("17", name, quoted)))->id = "17";
  add("MessagesText", messages_stream(tool_use(id, name, quoted), ""));
  add("MessagesTextWhole", messages_whole(tool_use(id, name, quoted)));
  add("MessagesObjectDelta", messages_stream(tool_use(id, name, "{}"), object));
  add("MessagesNumericId", messages_stream(tool_use("17", name, object), ""))->id = "17";
  add("MessagesNumericIdWhole", messages_whole(tool_use("17", name, object)))->id = "17";
  add("MessagesNumericName", messages_stream(tool_use(id, "7", object), ""))->called = "7";
  add("ClaudeAtBedrockText", claude_frames(tool_use(id, name, quoted), ""));
  add("ClaudeAtBedrockObjectDelta", claude_frames(tool_use(id, name, "{}"), object));
  for (const sent_as form : {sent_as::events, sent_as::whole}) {
    const std::string end = form == sent_as::whole ? "Whole" : "";
    add("GeminiText" + end, gemini(form, R"({"id":"call_a","name":"read","args":)" + quoted + "}"));
    add("GeminiNumericId" + end, gemini(form, R"({"id":17,"name":"read","args":)" + object + "}"))->id = "17";
    add("GeminiNumericName" + end, gemini(form, R"({"id":"call_a","name":7,"args":)" + object + "}"))->called = "7";
  }
  add("ConverseObject", converse_frames(R"({"toolUseId":"call_a","name":"read"})", object));
  add("ConverseNumericId", converse_frames(R"({"toolUseId":17,"name":"read"})", quoted))->id = "17";
  add("ConverseTextWhole", converse_whole(R"({"toolUseId":"call_a","name":"read","input":)" + quoted + "}"));
  add("ConverseNumericIdWhole", converse_whole(R"({"toolUseId":17,"name":"read","input":)" + object + "}"))->id = "17";
  return all;
}

class TypedAnswers : public ::testing::TestWithParam<typed_answer> {};
INSTANTIATE_TEST_SUITE_P(JsonTypes, TypedAnswers, ::testing::ValuesIn(all_answers_of_other_types()),
                         [](const auto& tested) { return tested.param.name; });

// If client and provider use the same API, the client gets the answer unchanged. Only chat answers are corrected, because wrong JSON types
// break every SDK for chat.
TEST_P(TypedAnswers, HaveTheSameCallForEveryClient) {
  const typed_answer& expected = GetParam();
  for (const reading_client& by : clients)
    for (const bool is_stream : {true, false}) {
      if (by.format == expected.sent.format && by.format != wire_format::openai_chat) continue;
      SCOPED_TRACE(std::string("to ") + by.name + (is_stream ? ", streamed" : ", whole"));
      const spoken_answer got = read(by, by.request, expected.sent, is_stream);
      ASSERT_EQ(got.calls.size(), 1u);
      EXPECT_EQ(got.calls[0].name, expected.called);
      EXPECT_EQ(got.calls[0].id, expected.id);
      EXPECT_EQ(json::parse(got.calls[0].arguments), json::parse(expected.arguments)) << got.calls[0].arguments;
    }
}

// The content of a chat answer may be a number, or a single part instead of a list.
TEST(TypedContent, IsReadByEveryClient) {
  const std::vector<std::pair<std::string, std::string>> all{{R"({"type":"text","text":"red"})", "red"}, {R"([{"type":"text","text":"red"}])", "red"},
                                                             {R"({"text":"red"})", "red"}, {"42", "42"}, {"true", "true"}, {R"(["red"])", "red"}};
  for (const auto& [content, text] : all)
    for (const reading_client& by : clients)
      for (const bool is_stream : {true, false})
        for (const bool is_sent_whole : {true, false}) {
          if (by.format == wire_format::openai_chat) continue;  // a chat client gets the content unchanged
          SCOPED_TRACE(content + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
          const std::string said = R"({"role":"assistant","content":)" + content + "}";
          EXPECT_EQ(read(by, by.request, is_sent_whole ? chat_whole(said) : chat_stream(said), is_stream).text, text);
        }
}

// If an answer contains content of an unknown type, the answer for the client must name this type. If an answer has no other content, the
// attempt fails.
TEST(TypedContent, AnUnknownObjectIsNoEmptySuccess) {
  for (const reading_client& by : clients)
    for (const bool is_stream : {true, false})
      for (const bool is_sent_whole : {true, false}) {
        if (by.format == wire_format::openai_chat) continue;  // a chat client gets the content unchanged
        SCOPED_TRACE(by.name + std::string(is_stream ? ", streamed" : ", whole"));
        const std::string said = R"({"role":"assistant","content":{"a":1}})", with_text = R"({"role":"assistant","content":[{"a":1},{"type":"text","text":"red"}]})";
        const relayed_answer alone = relay(by.speaks, by.request, is_sent_whole ? chat_whole(said) : chat_stream(said), is_stream);
        ASSERT_TRUE(alone.failed.has_value());
        EXPECT_EQ(alone.failed->code, "unsupported_answer");
        const relayed_answer both = relay(by.speaks, by.request, is_sent_whole ? chat_whole(with_text) : chat_stream(with_text), is_stream);
        EXPECT_FALSE(both.failed.has_value());
        EXPECT_NE(both.bytes.find(R"("x_race_dropped":["content"])"), std::string::npos) << both.bytes;
      }
}

std::string chat_event(const std::string& delta, const std::string& finish) {
  return R"(data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":)" + finish + "}]}\n\n";
}

// The end of a chat stream: a chunk with the usage, and [DONE]. The chunks before them have no usage.
const std::string usage_and_end =
    R"(data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],)"
    R"("usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}})"
    "\n\ndata: [DONE]\n\n";

// Some providers send arguments as JSON objects in several deltas. Every client must nevertheless get a single object.
TEST(TypedContent, ObjectsInSeveralDeltasAreOneObject) {
  const std::string text = R"("{\"p\":\"zero\"}")", object = R"({"p":"zero"})", other = R"({"p":"ze"})";
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"{}", text}, object}, {{"{}", "{}", R"("{\"p\":")", R"("\"zero\"}")"}, object}, {{object, object}, object}, {{other, object}, object},
      {{object, text}, object}, {{text, object}, object}, {{text, "{}"}, object},
      {{object, "{}"}, object}, {{"{}", object}, object}, {{"{}"}, "{}"}, {{R"("{}")"}, "{}"}};
  for (const auto& [sent, expected] : all)
    for (const reading_client& by : clients)
      for (const bool is_stream : {true, false})
        for (const bool is_end_apart : {true, false}) {
          std::string bytes = chat_event(R"({"role":"assistant","content":null})", "null");
          for (std::size_t at = 0; at < sent.size(); ++at) {
            const std::string head = at == 0 ? R"("id":"call_a","type":"function","function":{"name":"read","arguments":)" : R"("function":{"arguments":)";
            const bool is_last = !is_end_apart && at + 1 == sent.size();
            bytes += chat_event(R"({"tool_calls":[{"index":0,)" + head + sent[at] + "}}]}", is_last ? R"("tool_calls")" : "null");
          }
          if (is_end_apart) bytes += chat_event("{}", R"("tool_calls")");
          SCOPED_TRACE(bytes + "to " + by.name + (is_stream ? ", streamed" : ", whole"));
          const spoken_answer got = read(by, by.request, {"openai", wire_format::openai_chat, sent_as::events, bytes + usage_and_end}, is_stream);
          ASSERT_EQ(got.calls.size(), 1u);
          EXPECT_EQ(got.calls[0].name, "read");
          EXPECT_EQ(json::parse(got.calls[0].arguments, nullptr, false), json::parse(expected)) << got.calls[0].arguments;
        }
}

// Some providers send chunks that have `message` in place of `delta`.
TEST(TypedContent, AMessageInAStreamIsADelta) {
  const auto chunk = [](const std::string& said, const std::string& finish) {
    return R"(data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"message":)" + said + R"(,"finish_reason":)" + finish + "}]}\n\n";
  };
  const std::string bytes = chunk(R"({"role":"assistant","content":"who"})", "null") + chunk(R"({"content":"le"})", R"("stop")") + usage_and_end;
  for (const reading_client& by : clients)
    for (const bool is_stream : {true, false}) {
      const sent_answer sent{"openai", wire_format::openai_chat, sent_as::events, bytes};
      EXPECT_EQ(read(by, by.request, sent, is_stream).text, "whole") << by.name;
    }
}

// MiniMax reports errors with the HTTP status 200, even after text. Its successful answers have the code 0.
TEST(TypedContent, AFailedBaseResponseFailsTheAnswer) {
  const auto stream = [](const std::string& code) {
    return chat_event(R"({"role":"assistant","content":"whole"})", "null") +
           R"(data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],)" +
           R"("base_resp":{"status_code":)" + code + R"(,"status_msg":"insufficient balance"}})" + "\n\n" +
           chat_event("{}", R"("stop")") + usage_and_end;
  };
  for (const reading_client& by : clients)
    for (const bool is_stream : {true, false}) {
      const sent_answer good{"openai", wire_format::openai_chat, sent_as::events, stream("0")};
      const sent_answer bad{"openai", wire_format::openai_chat, sent_as::events, stream("1008")};
      EXPECT_EQ(read(by, by.request, good, is_stream).text, "whole") << by.name;
      const relayed_answer failed = relay(by.speaks, by.request, bad, is_stream);
      ASSERT_TRUE(failed.failed.has_value()) << by.name;
      EXPECT_EQ(failed.failed->kind, proxy::failure_kind::quota);
    }
}

// If the tool calls of an answer are not in a list, the attempt fails. Another target can then answer, and no call is lost.
TEST(TypedContent, CallsOutsideAListFailTheAnswer) {
  const std::string call = R"({"id":"call_a","type":"function","function":{"name":"read","arguments":"{}"}})";
  const std::string said = R"({"role":"assistant","content":null,"tool_calls":)" + call + "}";
  for (const sent_answer& sent : {chat_stream(said), chat_whole(said)})
    for (const reading_client& by : clients)
      for (const bool is_stream : {true, false})
        EXPECT_TRUE(relay(by.speaks, by.request, sent, is_stream).failed.has_value()) << by.name;
}

// A tool call without an id gets a new id, whatever the format of the answer.
TEST(TypedContent, ACallWithoutAnIdGetsOne) {
  const std::string call = R"({"role":"assistant","content":null,"tool_calls":[{"index":0,"type":"function","function":{"name":"read","arguments":"{}"}}]})";
  const std::vector<sent_answer> all{chat_stream(call), chat_whole(call), messages_stream(R"({"type":"tool_use","name":"read","input":{}})", ""),
                                     gemini(sent_as::events, R"({"name":"read","args":{}})"), converse_whole(R"({"name":"read","input":{}})")};
  for (const sent_answer& sent : all)
    for (const reading_client& by : clients)
      for (const bool is_stream : {true, false}) {
        if (by.format == sent.format && by.format != wire_format::openai_chat) continue;
        SCOPED_TRACE(std::string(sent.dialect) + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
        const spoken_answer got = read(by, by.request, sent, is_stream);
        ASSERT_EQ(got.calls.size(), 1u);
        EXPECT_NE(got.calls[0].id, "");
      }
}

// A chat provider may call a custom tool. If a client's API represents the tool as a function, the client must get the call as a function
// call.
TEST(TypedContent, ACustomCallOfChatIsRead) {
  const std::string call = R"({"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_a","type":"custom","custom":{"name":"read","input":"a.txt"}}]})";
  for (const reading_client& by : clients)
    for (const bool is_stream : {true, false})
      for (const bool is_sent_whole : {true, false}) {
        if (by.format == wire_format::openai_chat) continue;  // a chat client gets the call unchanged
        SCOPED_TRACE(by.name + std::string(is_stream ? ", streamed" : ", whole"));
        const spoken_answer got = read(by, by.request, is_sent_whole ? chat_whole(call) : chat_stream(call), is_stream);
        ASSERT_EQ(got.calls.size(), 1u);
        EXPECT_EQ(got.calls[0].name, "read");
        EXPECT_EQ(got.calls[0].arguments, by.format == wire_format::openai_responses ? "a.txt" : R"({"input":"a.txt"})");
      }
}

// The content block has a known type, but its delta has a type that the gateway does not know.
TEST(TypedContent, AnUnknownDeltaOfClaudeIsNamed) {
  const std::string bytes = R"(data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"red"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"holo_delta","holo":"x"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

data: {"type":"message_stop"}

)";
  for (const reading_client& by : clients)
    for (const bool is_stream : {true, false}) {
      if (by.format == wire_format::anthropic_messages) continue;  // a Messages client gets the delta unchanged
      const relayed_answer got = relay(by.speaks, by.request, {"anthropic", wire_format::anthropic_messages, sent_as::events, bytes}, is_stream);
      EXPECT_NE(got.bytes.find(R"("x_race_dropped":["holo_delta"])"), std::string::npos) << by.name << got.bytes;
    }
}

// The member function_call is an older form of tool calls. Here its arguments are an object.
TEST(TypedContent, AnOldFunctionCallsObjectIsRead) {
  const std::string said = R"({"role":"assistant","content":null,"function_call":{"name":"read","arguments":{"path":"a"}}})";
  for (const bool is_stream : {true, false})
    for (const bool is_sent_whole : {true, false}) {
      const spoken_answer got = read(clients[2], clients[2].request, is_sent_whole ? chat_whole(said) : chat_stream(said), is_stream);
      ASSERT_EQ(got.calls.size(), 1u);
      EXPECT_EQ(json::parse(got.calls[0].arguments), json::parse(R"({"path":"a"})"));
    }
}

}  // namespace
}  // namespace photofinish::gateway::pairs
