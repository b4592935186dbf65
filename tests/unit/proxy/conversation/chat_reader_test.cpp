#include "tests/unit/proxy/conversation/translation.hpp"

namespace photofinish::proxy {
namespace {

using testing::json;
using testing::translation;

// Reads a chat request into the conversation model, and writes it again. All members that the model represents must stay unchanged.
TEST(chat_reader_test, AChatRequestComesOutAsItWentIn) {
  const json request = json::parse(R"({
    "messages": [
      {"role": "system", "content": "Be brief"},
      {"role": "user", "content": [{"type": "text", "text": "see"},
                                   {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
                                   {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
                                   {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,BB"}}]},
      {"role": "assistant", "content": "Looking", "reasoning_content": "hm",
       "reasoning_details": [{"type": "reasoning.encrypted", "data": "CC", "index": 0}],
       "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\":1}"}}]},
      {"role": "tool", "content": "1", "tool_call_id": "a"},
      {"role": "user", "content": "go on"}],
    "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": true}}],
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "parallel_tool_calls": false,
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
    "temperature": 0.5, "top_p": 0.9, "max_tokens": 10, "stop": ["x"], "reasoning_effort": "high", "user": "u", "service_tier": "auto"})");
  const translation made = testing::translate(read_chat, request);
  EXPECT_EQ(made.fault.param, "");
  EXPECT_EQ(made.chat(), request);
  EXPECT_TRUE(made.form.dropped.empty());
}

TEST(chat_reader_test, WhatTheModelDoesNotKnowIsKeptAndNamed) {
  const translation made =
      testing::translate(read_chat, json::parse(R"({"messages":[{"role":"user","content":"x"}],"seed":7,"made_up":{"a":1}})"));
  EXPECT_EQ(made.form.dropped, (std::vector<std::string>{"made_up", "seed"}));
}

}  // namespace
}  // namespace photofinish::proxy
