// Tests signed reasoning of chat providers over two turns. Each client must get the reasoning. The next request must contain the reasoning
// in the same member in which the provider sent it.
#include "proxy/conversation/request_readers.hpp"
#include "tests/unit/gateway/api/pairs/answering.hpp"
#include "tests/unit/proxy/conversation/translation.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

const std::string call_id = "call_0123456789ab";
const std::string call_head = R"({"index":0,"id":"call_0123456789ab","type":"function","function":{"name":"read","arguments":"{}"})";
const std::string google_extra = R"({"google":{"thought_signature":"Es\u0022Q/+=="}})";
const std::string encrypted = R"({"type":"reasoning.encrypted","data":"gAAA","id":"call_0123456789ab","format":"google-gemini-v1","index":0})";

struct signed_answer {
  std::string name;
  std::vector<std::string> deltas;
  std::string message;      // the complete message that results from the deltas
  std::string thought;      // the reasoning text that the client reads
  json call_extra;          // extra members of the tool call in the next request; null if there are none
  json details;
};
void PrintTo(const signed_answer& each, std::ostream* to) { *to << each.name; }

std::vector<signed_answer> signed_answers() {
  const std::string call = R"("tool_calls":[)" + call_head + "}]";
  const std::string signed_call = R"("tool_calls":[)" + call_head + R"(,"extra_content":)" + google_extra + "}]";
  const std::string part = R"({"type":"reasoning.text","text":)", claude = R"("format":"anthropic-claude-v1","index":0)";
  const json whole_text = json::parse(part + R"("Hm, so","signature":"EqQB",)" + claude + "}");
  return {
      {"GooglesLayer", {"{" + signed_call + "}"}, R"({"role":"assistant","content":null,)" + signed_call + "}", "", json::parse(google_extra), nullptr},
      {"AnEncryptedDetail", {"{" + call + R"(,"reasoning_details":[)" + encrypted + "]}"},
       R"({"role":"assistant","content":null,)" + call + R"(,"reasoning_details":[)" + encrypted + "]}", "", nullptr, json::array({json::parse(encrypted)})},
      {"ASignedText",
       {R"({"reasoning":"Hm, ","reasoning_details":[)" + part + R"("Hm, ",)" + claude + "}]}",
        R"({"reasoning":"so","reasoning_details":[)" + part + R"("so",)" + claude + "}]}",
        R"({"reasoning_details":[{"type":"reasoning.text","signature":"EqQB",)" + claude + "}]}", "{" + call + "}"},
       R"({"role":"assistant","content":null,"reasoning":"Hm, so",)" + call + R"(,"reasoning_details":[)" + whole_text.dump() + "]}", "Hm, so", nullptr,
       json::array({whole_text})},
      {"TextInDetailsAlone", {R"({"reasoning_details":[)" + part + R"("Hm","index":0}]})", R"({"reasoning_details":[{"type":"reasoning.summary","summary":"!"}]})", "{" + call + "}"},
       R"({"role":"assistant","content":null,)" + call + R"(,"reasoning_details":[)" + part + R"("Hm","index":0},{"type":"reasoning.summary","summary":"!"}]})", "Hm!", nullptr, nullptr},
      {"TextThatComesAgainAtTheEnd", {R"({"reasoning":"Hm"})", R"({"reasoning_details":[)" + part + R"("Hm","index":0}]})", "{" + call + "}"},
       R"({"role":"assistant","content":null,"reasoning":"Hm",)" + call + R"(,"reasoning_details":[)" + part + R"("Hm","index":0}]})", "Hm", nullptr, nullptr},
      {"AListOfParts", {R"({"reasoning_content":[{"type":"text","text":"Hm"},{"type":"text","text":"!"}]})", "{" + call + "}"},
       R"({"role":"assistant","content":null,"reasoning_content":["Hm",{"type":"text","text":"!"}],)" + call + "}", "Hm!", nullptr, nullptr}};
}

const std::string chunk_head = R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":)";
const std::string counts = R"("usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}})";

sent_answer streamed(const signed_answer& said) {
  std::string bytes = "data: " + chunk_head + R"({"role":"assistant","content":""},"finish_reason":null}]})" + "\n\n";
  for (const std::string& delta : said.deltas) bytes += "data: " + chunk_head + delta + R"(,"finish_reason":null}]})" + "\n\n";
  return {"openai", wire_format::openai_chat, sent_as::events,
          bytes + "data: " + chunk_head + R"({},"finish_reason":"tool_calls"}],)" + counts + "\n\ndata: [DONE]\n\n"};
}
sent_answer in_one_piece(const signed_answer& said) {
  return {"openai", wire_format::openai_chat, sent_as::whole,
          R"({"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":)" + said.message +
              R"(,"finish_reason":"tool_calls"}],)" + counts};
}

// Returns the blocks of a streamed message. Joins their deltas as the SDKs do.
json blocks_of_stream(const std::string& bytes) {
  json blocks = json::array();
  for (std::size_t at = bytes.find("data: "); at != std::string::npos; at = bytes.find("data: ", at + 1)) {
    const json event = json::parse(bytes.substr(at + 6, bytes.find('\n', at) - at - 6));
    if (event.at("type") == "content_block_start") blocks.push_back(event.at("content_block"));
    if (event.at("type") != "content_block_delta") continue;
    json& block = blocks.back();
    const json& delta = event.at("delta");
    const std::string type = delta.at("type");
    if (type == "thinking_delta") block["thinking"] = block["thinking"].get<std::string>() + delta.at("thinking").get<std::string>();
    if (type == "signature_delta") block["signature"] = delta.at("signature");
    if (type == "input_json_delta") block["input"] = json::object();
  }
  return blocks;
}

json output_of_stream(const std::string& bytes) {
  const std::size_t at = bytes.find("data: ", bytes.find("event: response.completed"));
  return json::parse(bytes.substr(at + 6, bytes.find('\n', at) - at - 6)).at("response").at("output");
}

// Returns the assistant's message in the next request, in the chat format.
json next_message(const reading_client& by, const std::string& bytes, bool is_stream) {
  if (by.format == wire_format::anthropic_messages) {
    const json content = is_stream ? blocks_of_stream(bytes) : json::parse(bytes).at("content");
    const json result = {{{"type", "tool_result"}, {"tool_use_id", call_id}, {"content", "1"}}};
    const json request{{"model", "m"}, {"max_tokens", 9},
                       {"messages", {{{"role", "user"}, {"content", "Hi"}}, {{"role", "assistant"}, {"content", content}}, {{"role", "user"}, {"content", result}}}}};
    return proxy::testing::translate(proxy::read_messages, request).messages().at(1);
  }
  json input = {{{"role", "user"}, {"content", "Hi"}}};
  const json output = is_stream ? output_of_stream(bytes) : json::parse(bytes).at("output");
  for (const json& each : output) input.push_back(each);
  input.push_back({{"type", "function_call_output"}, {"call_id", call_id}, {"output", "1"}});
  return proxy::testing::translate(proxy::read_responses, {{"model", "m"}, {"input", input}}).messages().at(1);
}

class CarriedReasoning : public ::testing::TestWithParam<signed_answer> {};
INSTANTIATE_TEST_SUITE_P(Answers, CarriedReasoning, ::testing::ValuesIn(signed_answers()),
                         [](const auto& each) { return each.param.name; });

TEST_P(CarriedReasoning, ComesBackInItsOwnMember) {
  for (const reading_client& by : clients)
    for (const bool is_stream : {true, false})
      for (const sent_answer& sent : {streamed(GetParam()), in_one_piece(GetParam())}) {
        if (by.format == wire_format::openai_chat) continue;
        SCOPED_TRACE(std::string(by.name) + (is_stream ? ", streamed" : ", whole") + sent.bytes);
        const relayed_answer got = relay(by.speaks, by.request, sent, is_stream);
        ASSERT_FALSE(got.failed) << got.failed->detail;
        SCOPED_TRACE(got.bytes);
        EXPECT_EQ(got.bytes.find("x_race_dropped"), std::string::npos);
        const spoken_answer read = is_stream ? by.read_stream(got.bytes) : by.read_whole(json::parse(got.bytes));
        EXPECT_EQ(read.thought, GetParam().thought);
        const json message = next_message(by, got.bytes, is_stream);
        EXPECT_EQ(message.value("reasoning_content", ""), GetParam().thought);
        EXPECT_EQ(message.value("reasoning_details", json()), GetParam().details);
        EXPECT_EQ(message.at("tool_calls").at(0).value("extra_content", json()), GetParam().call_extra);
        EXPECT_FALSE(message.contains("extra_content"));
      }
}

TEST_P(CarriedReasoning, PassesToClientsOfChatAsItCame) {
  const reading_client& by = clients.front();
  const relayed_answer streamed_bytes = relay(by.speaks, by.request, streamed(GetParam()), true);
  for (const std::string& delta : GetParam().deltas) EXPECT_NE(streamed_bytes.bytes.find(delta), std::string::npos) << streamed_bytes.bytes;
}

}  // namespace
}  // namespace photofinish::gateway::pairs
