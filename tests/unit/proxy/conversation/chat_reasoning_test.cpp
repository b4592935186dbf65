// Tests the different ways in which clients of Chat Completions return the reasoning of earlier answers.
#include "proxy/conversation/request_readers.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

struct seen_block {
  block_kind kind;
  std::string text, signature;
  wire_format readable_by;
  bool operator==(const seen_block&) const = default;
};

std::ostream& operator<<(std::ostream& out, const seen_block& each) {
  return out << static_cast<int>(each.kind) << " '" << each.text << "' '" << each.signature << "' "
             << static_cast<int>(each.readable_by);
}

constexpr auto claude = wire_format::anthropic_messages;
constexpr auto unknown = wire_format::none;

// Reads an assistant's message with these members, and returns the blocks of the message.
std::vector<seen_block> read(const std::string& members) {
  const client_body body(R"({"messages":[{"role":"assistant",)" + members + "}]}");
  read_conversation read = read_chat(body);
  EXPECT_TRUE(std::holds_alternative<conversation>(read)) << members;
  std::vector<seen_block> all;
  for (const block& each : std::get<conversation>(read).blocks)
    all.push_back({each.kind, json_unescape(json_raw_string(each.kind == block_kind::call ? each.call_id : each.text)),
                   json_unescape(json_raw_string(each.signature)), each.readable_by});
  return all;
}

seen_block thought(std::string text, std::string signature = "", wire_format by = unknown) {
  return {block_kind::reasoning, std::move(text), std::move(signature), by};
}
seen_block opaque(std::string data, wire_format by) { return {block_kind::opaque, "", std::move(data), by}; }
seen_block call(std::string id) { return {block_kind::call, std::move(id), "", unknown}; }
seen_block said(std::string text) { return {block_kind::text, std::move(text), "", unknown}; }
using seen = std::vector<seen_block>;

#define CALL(id) R"({"id":")" id R"(","type":"function","function":{"name":"f","arguments":"{}"})"

TEST(ChatReasoning, PlainTextIsReadUnderEitherName) {
  EXPECT_EQ(read(R"("content":"x","reasoning_content":"a")"), (seen{thought("a"), said("x")}));
  EXPECT_EQ(read(R"("content":"x","reasoning":"a")"), (seen{thought("a"), said("x")}));
}

TEST(ChatReasoning, DetailsNameWhoCanReadThem) {
  EXPECT_EQ(read(R"("content":null,"reasoning_content":"a","reasoning_details":[
      {"type":"reasoning.text","text":"a","signature":"S\/","format":"anthropic-claude-v1","index":0},
      {"type":"reasoning.encrypted","data":"D","format":"anthropic-claude-v1","index":1},
      {"type":"reasoning.encrypted","data":"G","format":"google-gemini-v1","index":2},
      {"type":"reasoning.summary","summary":"s","format":"openai-responses-v1","index":3},
      {"type":"reasoning.encrypted","data":"E","format":"openai-responses-v1","index":4},
      {"type":"reasoning.encrypted","data":"U","format":"unknown","index":5}])"),
            (seen{thought("a", "S/", claude), opaque("D", claude), opaque("G", wire_format::gemini),
                  thought("s", "", wire_format::openai_responses), opaque("E", wire_format::openai_responses), opaque("U", unknown)}));
}

TEST(ChatReasoning, PlainTextStaysWhereNoDetailHasText) {
  EXPECT_EQ(read(R"("reasoning_content":"a","reasoning_details":[{"type":"reasoning.encrypted","data":"G","format":"google-gemini-v1","index":0}])"),
            (seen{thought("a"), opaque("G", wire_format::gemini)}));
}

TEST(ChatReasoning, FragmentsOfATextAreJoinedByTypeAndIndex) {
  EXPECT_EQ(read(R"("reasoning_details":[
      {"type":"reasoning.text","text":"a\ud83d","format":"anthropic-claude-v1","index":0},
      {"type":"reasoning.encrypted","data":"G","format":"google-gemini-v1","index":0},
      {"type":"reasoning.text","text":"\ude00b","index":0},
      {"type":"reasoning.text","text":"z","signature":"T","format":"anthropic-claude-v1","index":1},
      {"type":"reasoning.text","text":"","signature":"S","index":0},
      {"type":"reasoning.encrypted","data":"H","format":"google-gemini-v1","index":0}])"),
            (seen{thought("a\xf0\x9f\x98\x80" "b", "S", claude), opaque("G", wire_format::gemini), thought("z", "T", claude),
                  opaque("H", wire_format::gemini)}));
}

TEST(ChatReasoning, WhatStandsBeforeACallIsPutThere) {
  EXPECT_EQ(read(R"("content":"x","reasoning_details":[
      {"type":"reasoning.text","text":"a","signature":"S","format":"anthropic-claude-v1","index":0},
      {"type":"reasoning.encrypted","data":"B","id":"two","format":"google-gemini-v1","index":1},
      {"type":"reasoning.encrypted","data":"C","id":"rs_1","format":"openai-responses-v1","index":2}],
      "tool_calls":[)" CALL("one") "}," CALL("two") "}]"),
            (seen{thought("a", "S", claude), opaque("C", wire_format::openai_responses), said("x"), call("one"),
                  opaque("B", wire_format::gemini), call("two")}));
}

TEST(ChatReasoning, ThinkingBlocksAreReadWhereTheyAreSigned) {
  EXPECT_EQ(read(R"("reasoning_content":"a","thinking_blocks":[{"type":"thinking","thinking":"a","signature":""},
      {"type":"thinking","thinking":"a","signature":"S"},{"type":"redacted_thinking","data":"D"}])"),
            (seen{thought("a", "S", claude), opaque("D", claude)}));
}

TEST(ChatReasoning, GooglesSignaturesAreReadOnCallsAndMessages) {
  constexpr auto gemini = wire_format::gemini;
  for (const std::string spelling : {R"("extra_content":{"google":{"thought_signature":"G"}})", R"("thought_signature":"G")",
                                     R"("thoughtSignature":"G")", R"("provider_specific_fields":{"thought_signature":"G"})"})
    EXPECT_EQ(read(R"("tool_calls":[)" CALL("one") "," + spelling + "}," CALL("two") "}]"),
              (seen{opaque("G", gemini), call("one"), call("two")}))
        << spelling;
  EXPECT_EQ(read(R"("content":"x","extra_content":{"google":{"thought_signature":"G"}})"), (seen{opaque("G", gemini), said("x")}));
}

TEST(ChatReasoning, ASignatureThatComesTwiceForACallIsOne) {
  EXPECT_EQ(read(R"("reasoning_details":[{"type":"reasoning.encrypted","data":"G","id":"one","format":"google-gemini-v1","index":0}],
      "tool_calls":[)" CALL("one") R"(,"extra_content":{"google":{"thought_signature":"G"}}}])"),
            (seen{opaque("G", wire_format::gemini), call("one")}));
}

std::string times(int count, const std::string& each) {
  std::string all = each;
  for (int at = 1; at < count; ++at) all += "," + each;
  return all;
}

TEST(ChatReasoning, AMessageHasAThousandPartsAtMost) {
  struct {
    std::string member, part;
  } const cases[]{{"reasoning_details", R"({"type":"reasoning.encrypted","data":"G"})"},
                  {"reasoning_details", R"({"type":"reasoning.text","text":"a"})"},
                  {"thinking_blocks", R"({"type":"redacted_thinking","data":"D"})"}};
  for (const auto& [member, part] : cases) {
    EXPECT_EQ(read("\"" + member + "\":[" + times(1000, part) + "]").size(), 1000u);
    const client_body body(R"({"messages":[{"role":"assistant",")" + member + "\":[" + times(1001, part) + "]}]}");
    const read_conversation got = read_chat(body);
    ASSERT_TRUE(std::holds_alternative<request_fault>(got)) << member;
    EXPECT_EQ(std::get<request_fault>(got).param, "messages[0]." + member);
    EXPECT_EQ(std::get<request_fault>(got).message, "'messages[0]." + member + "' has more than 1000 parts");
  }
}

TEST(ChatReasoning, FragmentsOfAPartAreCountedOnce) {
  EXPECT_EQ(read(R"("reasoning_details":[)" + times(5000, R"({"type":"reasoning.text","text":"a","index":0})") + "]"),
            (seen{thought(std::string(5000, 'a'))}));
}

TEST(ChatReasoning, WhatIsNoDetailIsPassedOver) {
  EXPECT_EQ(read(R"("content":"x","reasoning_content":7,"thinking_blocks":{},"reasoning_details":[7,null,{},{"type":"reasoning.text"},
      {"type":"reasoning.text","text":3},{"type":"reasoning.encrypted","data":""},{"type":"made_up","data":"x"}],
      "extra_content":{"google":7},"tool_calls":[)" CALL("one") R"(,"extra_content":[]}])"),
            (seen{said("x"), call("one")}));
}

}  // namespace
}  // namespace photofinish::proxy
