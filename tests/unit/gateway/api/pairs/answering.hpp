// The simulated providers and clients, each with its name. The tests in this folder combine each provider with each client.
#pragma once

#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/messages/messages_api.hpp"
#include "gateway/api/responses/responses_api.hpp"
#include "tests/unit/gateway/api/pairs/client_readers.hpp"
#include "tests/unit/gateway/api/pairs/provider_answers.hpp"
#include "tests/unit/gateway/api/pairs/relay.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway::pairs {

struct answering_provider {
  const char* name;
  const char* dialect;
  proxy::wire_format format;
  std::string (*answer)(const spoken_answer&);
  bool is_framed = false;
};
inline const std::vector<answering_provider> providers{
    {"openai", "openai", proxy::wire_format::openai_chat, chat_answer},
    {"openai's responses", "openai", proxy::wire_format::openai_responses, responses_answer},
    {"anthropic", "anthropic", proxy::wire_format::anthropic_messages, messages_answer},
    {"gemini", "gemini", proxy::wire_format::gemini, gemini_answer},
    {"bedrock", "bedrock", proxy::wire_format::bedrock_converse, converse_answer, true},
    {"claude at bedrock", "bedrock", proxy::wire_format::anthropic_messages, claude_at_bedrock_answer, true}};

inline const chat_api chat;
inline const responses_api responses;
inline const messages_api messages;

struct reading_client {
  const char* name;
  const api& speaks;
  proxy::wire_format format;
  json request;
  spoken_answer (*read_stream)(const std::string&);
  spoken_answer (*read_whole)(const json&);
};
inline const json question = {{{"role", "user"}, {"content", "Hi"}}};
inline const std::vector<reading_client> clients{
    {"chat", chat, proxy::wire_format::openai_chat,
     {{"messages", question}, {"stream_options", {{"include_usage", true}}}}, read_chat_stream, read_chat_whole},
    {"responses", responses, proxy::wire_format::openai_responses, {{"input", "Hi"}}, read_response_stream, read_response_whole},
    {"messages", messages, proxy::wire_format::anthropic_messages,
     {{"messages", question}, {"max_tokens", 9}}, read_message_stream, read_message_whole}};

// Returns the answer as this client reads it.
inline spoken_answer read(const reading_client& by, const json& request, const sent_answer& sent, bool is_stream) {
  const relayed_answer got = relay(by.speaks, request, sent, is_stream);
  SCOPED_TRACE(got.bytes);
  EXPECT_FALSE(got.failed) << got.failed->detail;
  if (got.failed) return {};
  return is_stream ? by.read_stream(got.bytes) : by.read_whole(json::parse(got.bytes));
}

inline sent_answer sent_by(const answering_provider& from, const spoken_answer& said) {
  return {from.dialect, from.format, from.is_framed ? sent_as::frames : sent_as::events, from.answer(said)};
}

}  // namespace photofinish::gateway::pairs
