#include "proxy/dialects/models/client_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using names = std::vector<std::string>;

names named(const char* body, wire_format from, names dropped) {
  const client_body sent{std::string(body)};
  return in_client_names(std::move(dropped), sent, from);
}

TEST(ClientNames, AreThoseOfTheBody) {
  constexpr auto chat = wire_format::openai_chat;
  EXPECT_EQ(named(R"({"reasoning_effort":"none"})", chat, {"thinking"}), names{"reasoning_effort"});
  EXPECT_EQ(named(R"({"reasoning_effort":"max"})", chat, {"reasoning.effort"}), names{"reasoning_effort"});
  EXPECT_EQ(named(R"({"reasoning":{"max_tokens":9}})", chat, {"thinking"}), names{"reasoning.max_tokens"});
  EXPECT_EQ(named(R"({"thinking":{"type":"disabled"}})", chat, {"reasoning_effort"}), names{"thinking"});
  EXPECT_EQ(named(R"({"enable_thinking":false})", chat, {"thinking"}), names{"enable_thinking"});
  EXPECT_EQ(named(R"({"max_completion_tokens":9})", chat, {"maxOutputTokens"}), names{"max_completion_tokens"});
  EXPECT_EQ(named(R"({"top_p":0.5,"top_k":3,"presence_penalty":1})", chat, {"topP", "topK", "presencePenalty"}),
            (names{"top_p", "top_k", "presence_penalty"}));
  EXPECT_EQ(named(R"({"max_output_tokens":9,"reasoning":{"effort":"max"}})", wire_format::openai_responses,
                  {"max_tokens", "reasoning_effort"}),
            (names{"max_output_tokens", "reasoning.effort"}));
  EXPECT_EQ(named(R"({"stop_sequences":["x"],"tool_choice":{"type":"auto","disable_parallel_tool_use":true}})",
                  wire_format::anthropic_messages, {"stop", "parallel_tool_calls"}),
            (names{"stop_sequences", "tool_choice.disable_parallel_tool_use"}));
  EXPECT_EQ(named(R"({"thinking":{"type":"disabled"},"output_config":{"effort":"max"}})",
                  wire_format::anthropic_messages, {"reasoning_effort"}),
            names{"thinking"});
}

TEST(ClientNames, AreNamedOnce) {
  EXPECT_EQ(named(R"({"reasoning_effort":"max"})", wire_format::openai_chat, {"thinking", "output_config.effort"}),
            names{"reasoning_effort"});
}

TEST(ClientNames, LeaveOtherNamesAsTheyAre) {
  const names others{"reasoning", "store", "tools[].strict", "thinking.signature", "reasoning_effort"};
  EXPECT_EQ(named(R"({"reasoning_effort":"max","thinking":null})", wire_format::openai_chat, others), others);
  EXPECT_EQ(named("{}", wire_format::openai_chat, {"thinking"}), names{"thinking"});
}

}  // namespace
}  // namespace photofinish::proxy
