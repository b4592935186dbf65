// Tests fingerprints of conversations. All turns of a conversation have the same fingerprint, and different conversations have different
// fingerprints.
#include "proxy/dialects/hints/conversation_print.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

constexpr auto of_chat = wire_format::openai_chat;
constexpr auto of_responses = wire_format::openai_responses;
constexpr auto of_messages = wire_format::anthropic_messages;

std::optional<wide_hash> print(const json& body, wire_format format) {
  return print_conversation(client_body(body.dump()), format);
}

const json mark{{"type", "ephemeral"}};

json first_turn(wire_format format) {
  if (format == of_chat)
    return json::parse(R"({"model":"m","tools":[{"type":"function","function":{"name":"f","parameters":{}}}],
      "messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Why?"}]})");
  if (format == of_responses)
    return json::parse(R"({"model":"m","tools":[{"type":"function","name":"f","parameters":{}}],"instructions":"Be brief.",
      "input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"env"}]},
               {"role":"user","content":"Why?"}]})");
  return json::parse(R"({"model":"m","tools":[{"name":"f","input_schema":{}}],"system":[{"type":"text","text":"Be brief."}],
    "messages":[{"role":"user","content":"Why?"}]})");
}

std::string list_of(wire_format format) { return format == of_responses ? "input" : "messages"; }

TEST(ConversationPrint, IsTheSameInEachTurn) {
  for (const wire_format format : {of_chat, of_responses, of_messages}) {
    json body = first_turn(format);
    const auto first = print(body, format);
    ASSERT_TRUE(first);
    json& list = body[list_of(format)];
    if (format == of_responses) list.push_back({{"type", "reasoning"}, {"encrypted_content", "x"}});
    list.push_back({{"role", "assistant"}, {"content", "Because."}});
    list.push_back({{"role", "user"}, {"content", "And?"}});
    body["temperature"] = 0.5;
    body["model"] = "other";
    EXPECT_EQ(print(body, format), first) << list_of(format);
  }
}

TEST(ConversationPrint, DiffersByToolsSystemAndFirstMessages) {
  for (const wire_format format : {of_chat, of_responses, of_messages}) {
    const json body = first_turn(format);
    std::vector<json> others(5, body);
    others[0]["tools"][0]["name"] = "g";
    if (format == of_chat) others[1]["messages"][0]["content"] = "Be long.";
    else if (format == of_responses) others[1]["instructions"] = "Be long.";
    else others[1]["system"][0]["text"] = "Be long.";
    others[2][list_of(format)].back()["content"] = "How?";
    others[3][list_of(format)].push_back({{"role", "user"}, {"content", "And?"}});
    others[4].erase("tools");
    for (std::size_t at = 0; at < others.size(); ++at)
      for (std::size_t other = 0; other <= at; ++other)
        EXPECT_NE(print(others[at], format), print(other == at ? body : others[other], format)) << at << " " << other;
  }
}

TEST(ConversationPrint, MarksAndTheFormOfATextDoNotCount) {
  for (const wire_format format : {of_chat, of_responses, of_messages}) {
    const json body = first_turn(format);
    json marked = body;
    const std::string text_type = format == of_responses ? "input_text" : "text";
    marked[list_of(format)].back()["content"] = {{{"type", text_type}, {"text", "Why?"}, {"cache_control", mark}}};
    marked["tools"].back()["cache_control"] = mark;
    if (format == of_chat) marked["tools"].back()["function"]["cache_control"] = mark;
    if (format == of_chat) marked["messages"].back()["cache_control"] = mark;
    if (format == of_messages) marked["system"].back()["cache_control"] = mark;
    if (format == of_responses) marked["input"][0]["content"][0]["prompt_cache_breakpoint"] = {{"mode", "explicit"}};
    EXPECT_EQ(print(marked, format), print(body, format)) << list_of(format);
  }
}

TEST(ConversationPrint, ClaudeCodesAttributionDoesNotCount) {
  const auto with = [](const std::string& cch) {
    json body = first_turn(of_messages);
    const std::string text = "x-anthropic-billing-header: cc_version=2.1; cch=" + cch + ";";
    const json block{{"type", "text"}, {"text", text}};
    body["system"].insert(body["system"].begin(), block);
    return print(body, of_messages);
  };
  EXPECT_EQ(with("36ee5"), with("0aaa9"));
  EXPECT_EQ(with("36ee5"), print(first_turn(of_messages), of_messages));
}

TEST(ConversationPrint, PiecesDoNotRunIntoEachOther) {
  const auto of = [](const std::string& system, const std::string& user) {
    json body = first_turn(of_chat);
    body["messages"] = {{{"role", "system"}, {"content", system}}, {{"role", "user"}, {"content", user}}};
    return print(body, of_chat);
  };
  EXPECT_NE(of("ab", "c"), of("a", "bc"));
  json one = first_turn(of_chat), two = one;
  one["messages"] = {{{"role", "user"}, {"content", {{{"type", "text"}, {"text", "a"}}, {{"type", "text"}, {"text", "b"}}}}}};
  two["messages"] = {{{"role", "user"}, {"content", {{{"type", "text"}, {"text", "ab"}}}}}};
  EXPECT_NE(print(one, of_chat), print(two, of_chat));
}

TEST(ConversationPrint, MayBeginWithWordsOfTheAssistantOrWithASummary) {
  const json assistant{{"role", "assistant"}, {"content", "Hi"}}, summary{{"type", "compaction"}, {"encrypted_content", "x"}};
  for (const json& first : {assistant, summary}) {
    json body = first_turn(of_responses);
    body["input"] = {first, {{"role", "user"}, {"content", "Why?"}}};
    const auto one = print(body, of_responses);
    EXPECT_TRUE(one);
    body["input"].push_back(assistant);
    body["input"].push_back({{"role", "user"}, {"content", "And?"}});
    EXPECT_EQ(print(body, of_responses), one);
    body["input"].erase(0);
    EXPECT_NE(print(body, of_responses), one);
  }
}

TEST(ConversationPrint, ATextInPlaceOfAListIsAMessage) {
  EXPECT_EQ(print({{"model", "m"}, {"input", "Why?"}}, of_responses),
            print({{"model", "m"}, {"input", {{{"role", "user"}, {"content", "Why?"}}}}}, of_responses));
}

TEST(ConversationPrint, ABodyWithoutTheBeginningHasNone) {
  json body = first_turn(of_responses);
  body["previous_response_id"] = nullptr;
  EXPECT_TRUE(print(body, of_responses));
  body["previous_response_id"] = "resp_1";
  EXPECT_FALSE(print(body, of_responses));
  body = first_turn(of_responses);
  body["conversation"] = "conv_1";
  EXPECT_FALSE(print(body, of_responses));
  body = first_turn(of_messages);
  body["thread"] = {{"previous_message_id", "msg_1"}};
  EXPECT_FALSE(print(body, of_messages));
  body = first_turn(of_chat);
  body["messages"] = json::array({{{"role", "assistant"}, {"content", "Hi"}}});
  EXPECT_FALSE(print(body, of_chat)) << "no user has said anything";
  EXPECT_FALSE(print(first_turn(of_chat), wire_format::openai_embeddings));
}

TEST(ConversationPrint, OfALongPieceItsEndsAndItsSizeCount) {
  const auto of = [](std::string text) {
    json body = first_turn(of_chat);
    body["messages"].back()["content"] = std::move(text);
    return print(body, of_chat);
  };
  const std::string picture(1u << 20, 'x');
  std::string other = picture;
  other.back() = 'y';
  EXPECT_EQ(of(picture), of(picture));
  EXPECT_NE(of(picture), of(other));
  EXPECT_NE(of(picture), of(picture + "x"));
}

}  // namespace
}  // namespace photofinish::proxy
