// Tests log probabilities of chat providers for Responses clients, and of Responses providers for chat clients. Each client requests log
// probabilities in the format of its own API. The client's answer must contain the probabilities that the provider sent.
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/conversation/writers/openai/responses_form.hpp"
#include "tests/unit/gateway/api/pairs/answering.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

json of_token(const std::string& token) {
  return {{"token", token}, {"logprob", -0.25}, {"bytes", nullptr}, {"top_logprobs", json::array()}};
}
const std::vector<std::string> tokens{"Hel", "lo"};
const json both = json::array({of_token("Hel"), of_token("lo")});

sent_answer chat_tokens(bool is_stream) {
  const auto holder = [is_stream](const json& said, const json& logprobs, const json& finish) {
    const json choice = {{"index", 0}, {is_stream ? "delta" : "message", said}, {"logprobs", logprobs}, {"finish_reason", finish}};
    return json{{"id", "c"}, {"object", is_stream ? "chat.completion.chunk" : "chat.completion"}, {"created", 1}, {"model", "m"},
                {"choices", json::array({choice})}, {"usage", {{"prompt_tokens", 1}, {"completion_tokens", 2}, {"total_tokens", 3}}}};
  };
  const json whole_text = {{"role", "assistant"}, {"content", "Hello"}}, all = {{"content", both}};
  if (!is_stream) return {"openai", wire_format::openai_chat, sent_as::whole, holder(whole_text, all, "stop").dump()};
  std::string bytes;
  for (const std::string& each : tokens) {
    const json said = {{"content", each}}, logprobs = {{"content", json::array({of_token(each)})}};
    bytes += "data: " + holder(said, logprobs, nullptr).dump() + "\n\n";
  }
  bytes += "data: " + holder(json::object(), nullptr, "stop").dump() + "\n\ndata: [DONE]\n\n";
  return {"openai", wire_format::openai_chat, sent_as::events, bytes};
}

sent_answer response_tokens(bool is_stream) {
  const json part = {{"type", "output_text"}, {"text", "Hello"}, {"annotations", json::array()}, {"logprobs", both}};
  json item = {{"type", "message"}, {"id", "msg_1"}, {"role", "assistant"}, {"status", "completed"}, {"content", json::array({part})}};
  const json whole = {{"id", "resp_1"}, {"object", "response"}, {"created_at", 1}, {"model", "m"}, {"status", "completed"},
                      {"error", nullptr}, {"incomplete_details", nullptr}, {"output", json::array({item})},
                      {"usage", {{"input_tokens", 1}, {"output_tokens", 2}, {"total_tokens", 3}}}};
  if (!is_stream) return {"openai", wire_format::openai_responses, sent_as::whole, whole.dump()};
  std::string bytes;
  const auto say = [&bytes](const std::string& type, json event) {
    event["type"] = type;
    bytes += "event: " + type + "\ndata: " + event.dump() + "\n\n";
  };
  const json done = item;
  item["content"] = json::array();
  say("response.output_item.added", {{"output_index", 0}, {"item", item}});
  for (const std::string& each : tokens)
    say("response.output_text.delta", {{"output_index", 0}, {"item_id", "msg_1"}, {"content_index", 0}, {"delta", each},
                                       {"logprobs", json::array({of_token(each)})}});
  say("response.output_item.done", {{"output_index", 0}, {"item", done}});
  say("response.completed", {{"response", whole}, {"sequence_number", 9}});
  return {"openai", wire_format::openai_responses, sent_as::events, bytes};
}

TEST(Logprobs, OfAnAnswerOfResponsesReachAClientOfChat) {
  const reading_client& by = clients[0];
  const relayed_answer whole = relay(by.speaks, by.request, response_tokens(false), false);
  ASSERT_FALSE(whole.failed);
  EXPECT_EQ(json::parse(whole.bytes).at("choices")[0].at("logprobs").at("content"), both);
  const relayed_answer streamed = relay(by.speaks, by.request, response_tokens(true), true);
  ASSERT_FALSE(streamed.failed);
  const std::string& bytes = streamed.bytes;
  json got = json::array();
  for (std::size_t at = bytes.find("data: {"); at != std::string::npos; at = bytes.find("data: {", at + 1)) {
    const json chunk = json::parse(bytes.substr(at + 6, bytes.find('\n', at) - at - 6));
    for (const json& choice : chunk.at("choices")) {
      if (!choice.contains("logprobs")) continue;
      ASSERT_EQ(choice["logprobs"].at("content").size(), 1u);
      EXPECT_EQ(choice.at("delta").at("content"), choice["logprobs"]["content"][0].at("token"));
      got.push_back(choice["logprobs"]["content"][0]);
    }
  }
  EXPECT_EQ(got, both);
}

TEST(Logprobs, OfAnAnswerOfChatReachAClientOfResponses) {
  const reading_client& by = clients[1];
  const relayed_answer whole = relay(by.speaks, by.request, chat_tokens(false), false);
  ASSERT_FALSE(whole.failed);
  EXPECT_EQ(json::parse(whole.bytes).at("output")[0].at("content")[0].at("logprobs"), both);
  const relayed_answer streamed = relay(by.speaks, by.request, chat_tokens(true), true);
  ASSERT_FALSE(streamed.failed);
  const auto events = testing::read_named_events(streamed.bytes);
  EXPECT_EQ(testing::strict_accumulator(events).fault, "");
  json got = json::array();
  for (const testing::read_event& each : events) {
    if (each.type == "response.output_text.done") {
      EXPECT_EQ(each.data.at("logprobs"), both);
    }
    if (each.type != "response.output_text.delta") continue;
    ASSERT_EQ(each.data.at("logprobs").size(), 1u);
    EXPECT_EQ(each.data["logprobs"][0].at("token"), each.data.at("delta"));
    got.push_back(each.data["logprobs"][0]);
  }
  EXPECT_EQ(got, both);
  EXPECT_EQ(events.back().data.at("response").at("output")[0].at("content")[0].at("logprobs"), both);
}

TEST(Logprobs, AreAskedForInTheWordsOfTheOtherApi) {
  const proxy::client_body chat_body(
      R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"logprobs":true,"top_logprobs":2,"reasoning_effort":"low"})");
  const auto from_chat = proxy::read_chat(chat_body);
  const auto to_responses = proxy::write_responses(std::get<proxy::conversation>(from_chat));
  EXPECT_TRUE(to_responses.unsupported.empty());
  const json asked = json::parse(to_responses.json);
  EXPECT_EQ(asked.at("top_logprobs"), 2);
  EXPECT_EQ(asked.at("include"), json::array({"reasoning.encrypted_content", "message.output_text.logprobs"}));

  const proxy::client_body body(R"({"model":"m","input":"Hi","include":["message.output_text.logprobs"],"top_logprobs":2})");
  const auto from_responses = proxy::read_responses(body);
  const auto to_chat = proxy::write_chat(std::get<proxy::conversation>(from_responses));
  EXPECT_TRUE(to_chat.dropped.empty());
  EXPECT_EQ(json::parse(to_chat.json).at("logprobs"), true);
  EXPECT_EQ(json::parse(to_chat.json).at("top_logprobs"), 2);
}

}  // namespace
}  // namespace photofinish::gateway::pairs
