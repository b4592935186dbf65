// Tests how signed reasoning is restored. Each tool call gets back the reasoning that the client has dropped.
#include "proxy/conversation/kept_reasoning.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/writers/request_forms.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

const std::string one = "call_one_0123456789", two = "call_two_0123456789";

json call(const std::string& id) { return {{"id", id}, {"type", "function"}, {"function", {{"name", "f"}, {"arguments", "{}"}}}}; }
json answer(const std::vector<json>& calls, const json& more = json::object()) {
  json message{{"role", "assistant"}, {"content", "Let me see"}, {"tool_calls", calls}};
  message.update(more);
  return message;
}
std::string detail(const std::string& signature, const std::string& call_id = "") {
  json made{{"type", "reasoning.text"}, {"text", "hm"}, {"signature", signature}, {"format", "anthropic-claude-v1"}, {"index", 0}};
  if (!call_id.empty()) made["id"] = call_id;
  return json::array({made}).dump();
}

class kept_reasoning_test : public ::testing::Test {
 protected:
  // Returns one word for each content block: "T" for text, "C" for a tool call, "R:sig" for restored reasoning, and "r:sig" for reasoning
  // that the client sent.
  std::string restored(const std::vector<json>& messages, restored_limits limits = {}) {
    body_ = std::make_unique<client_body>(json{{"messages", messages}}.dump());
    said_ = std::get<conversation>(read_chat(*body_));
    restore_reasoning(said_, [this](std::string_view key, std::size_t most) -> std::optional<std::string> {
      most_.push_back(most);
      asked_.emplace_back(key);
      const auto found = kept_.find(std::string(key));
      return found == kept_.end() ? std::nullopt : std::optional(found->second);
    }, limits);
    std::string order;
    for (const turn& each : said_.turns)
      for (const block& its : said_.blocks_of(each)) order += (order.empty() ? "" : " ") + word_for(its);
    return order;
  }
  static std::string word_for(const block& its) {
    if (its.kind == block_kind::call) return "C";
    if (its.kind == block_kind::text) return "T";
    if (its.kind == block_kind::result) return "=";
    return (its.is_restored ? "R:" : "r:") + std::string(json_raw_string(its.signature));
  }

  std::map<std::string, std::string> kept_{{one + "\nf", detail("A", one)}, {two + "\nf", detail("B")}};
  std::vector<std::string> asked_;
  std::vector<std::size_t> most_;
  std::unique_ptr<client_body> body_;
  conversation said_;
};

TEST_F(kept_reasoning_test, ComesBackWhereItStood) {
  EXPECT_EQ(restored({answer({call(one)})}), "T R:A C");
  EXPECT_EQ(restored({answer({call(two)})}), "R:B T C") << "there was text between it and its call";
  EXPECT_EQ(said_.blocks[0].readable_by, wire_format::anthropic_messages);
  EXPECT_EQ(said_.blocks[0].text, R"("hm")");
}

TEST_F(kept_reasoning_test, EveryAnswerOfTheConversationGetsItsOwn) {
  const json result{{"role", "tool"}, {"tool_call_id", one}, {"content", "1"}};
  EXPECT_EQ(restored({{{"role", "user"}, {"content", "go"}}, answer({call(one)}), result, answer({call(two)})}), "T T R:A C = R:B T C");
}

TEST_F(kept_reasoning_test, ParallelCallsAreAskedForEach) {
  EXPECT_EQ(restored({answer({call(one), call(two)})}), "T R:A C R:B C") << "behind the call before";
}

TEST_F(kept_reasoning_test, WhatTheClientHasSentStays) {
  const json sent{{"reasoning_details", json::parse(detail("mine"))}};
  EXPECT_EQ(restored({answer({call(one)}, sent)}), "r:mine T C");
  EXPECT_TRUE(asked_.empty());
}

TEST_F(kept_reasoning_test, WhatIsNotKnownStaysBare) {
  EXPECT_EQ(restored({answer({call("call_unknown_123456")})}), "T C");
  EXPECT_EQ(restored({answer({call("call_0")})}), "T C");
  EXPECT_EQ(asked_.size(), 1u) << "an id that comes again in each conversation is not asked for";
}

TEST_F(kept_reasoning_test, AnotherToolsCallGetsNothing) {
  kept_ = {{one + "\ng", detail("A", one)}};
  EXPECT_EQ(restored({answer({call(one)})}), "T C");
}

TEST_F(kept_reasoning_test, OnlyTheLastCallsAreAskedForAndEachOnce) {
  EXPECT_EQ(restored({answer({call(one)}), answer({call(two)}), answer({call(two)})}, {.calls = 1}), "T C T C R:B T C");
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(kept_reasoning_test, NoMoreComesBackThanMay) {
  EXPECT_EQ(restored({answer({call(one)}), answer({call(two)})}, {.bytes = detail("B").size()}), "T C R:B T C");
  EXPECT_EQ(most_, (std::vector<std::size_t>{detail("B").size()})) << "nor is more asked for";
}

TEST_F(kept_reasoning_test, TheConversationGetsNoMoreBlocksThanARequestMayHave) {
  const std::vector<json> messages{answer({call(one)}), answer({call(two)})};
  EXPECT_EQ(restored(messages, {.blocks = 5}), "T C R:B T C");
  EXPECT_EQ(restored(messages, {.blocks = 6}), "T R:A C R:B T C");
  most_.clear();
  EXPECT_EQ(restored(messages, {.blocks = 4}), "T C T C");
  EXPECT_TRUE(most_.empty()) << "nothing is looked up for it";
}

// A chat target gets only the reasoning that the client sent. The gateway restores dropped reasoning only for requests to the provider that
// produced the reasoning.
TEST_F(kept_reasoning_test, ATargetOfChatSeesNoneOfIt) {
  const auto body = std::make_shared<const client_body>(json{{"messages", json::array({answer({call(one)})})}}.dump());
  for (const bool is_read : {false, true}) {
    request_forms forms = is_read ? request_forms(body, std::get<conversation>(read_chat(*body))) : request_forms(body, &read_chat);
    forms.restore([](std::string_view, std::size_t) { return std::optional<std::string>(detail("A", one)); });
    const translated_request* made = forms.in(wire_format::openai_chat);
    ASSERT_TRUE(made != nullptr && made->body);
    EXPECT_EQ(json::parse(made->body->json()).at("messages")[0], answer({call(one)}));
    EXPECT_TRUE(made->dropped.empty());
    EXPECT_EQ(forms.said()->blocks.size(), 3u) << "the conversation has it";
  }
}

}  // namespace
}  // namespace photofinish::proxy
