// Every dialect behind every API: what a provider says in its own words is what a plain client reads in its own.
#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/messages/messages_api.hpp"
#include "gateway/api/responses/responses_api.hpp"
#include "tests/unit/gateway/api/pairs/client_readers.hpp"
#include "tests/unit/gateway/api/pairs/provider_answers.hpp"
#include "tests/unit/gateway/api/pairs/relay.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

struct answering_provider {
  const char* name;
  const char* dialect;
  wire_format format;
  std::string (*answer)(const spoken_answer&);
  bool is_framed = false;
};
const std::vector<answering_provider> providers{
    {"openai", "openai", wire_format::openai_chat, chat_answer},
    {"openai's responses", "openai", wire_format::openai_responses, responses_answer},
    {"anthropic", "anthropic", wire_format::anthropic_messages, messages_answer},
    {"gemini", "gemini", wire_format::gemini, gemini_answer},
    {"bedrock", "bedrock", wire_format::bedrock_converse, converse_answer, true},
    {"claude at bedrock", "bedrock", wire_format::anthropic_messages, claude_at_bedrock_answer, true}};

const chat_api chat;
const responses_api responses;
const messages_api messages;

struct reading_client {
  const char* name;
  const api& speaks;
  json request;
  spoken_answer (*read_stream)(const std::string&);
  spoken_answer (*read_whole)(const json&);
};
const json question = {{{"role", "user"}, {"content", "Hi"}}};
const std::vector<reading_client> clients{
    {"chat", chat, {{"messages", question}, {"stream_options", {{"include_usage", true}}}}, read_chat_stream, read_chat_whole},
    {"responses", responses, {{"input", "Hi"}}, read_response_stream, read_response_whole},
    {"messages", messages, {{"messages", question}, {"max_tokens", 9}}, read_message_stream, read_message_whole}};

spoken_answer read(const reading_client& by, const answering_provider& from, const spoken_answer& said, bool is_stream) {
  const sent_as form = from.is_framed ? sent_as::frames : sent_as::events;
  const relayed_answer got = relay(by.speaks, by.request, {from.dialect, from.format, form, from.answer(said)}, is_stream);
  SCOPED_TRACE(got.bytes);
  EXPECT_FALSE(got.failed) << got.failed->detail;
  return is_stream ? by.read_stream(got.bytes) : by.read_whole(json::parse(got.bytes));
}

class AnswerPairs : public ::testing::TestWithParam<named_answer> {};
INSTANTIATE_TEST_SUITE_P(Answers, AnswerPairs, ::testing::ValuesIn(all_answers()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(AnswerPairs, SayTheSame) {
  for (const reading_client& by : clients)
    for (const answering_provider& from : providers)
      for (const bool is_stream : {true, false}) {
        SCOPED_TRACE(std::string(from.name) + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
        spoken_answer said = GetParam().said;
        if (from.format == wire_format::gemini) said.usage.written = 0;
        const spoken_answer got = read(by, from, said, is_stream);
        EXPECT_EQ(got.text, said.text);
        EXPECT_EQ(got.thought, said.thought);
        ASSERT_EQ(got.calls.size(), said.calls.size());
        for (std::size_t at = 0; at < said.calls.size(); ++at) {
          EXPECT_EQ(got.calls[at].id, said.calls[at].id);
          EXPECT_EQ(got.calls[at].name, said.calls[at].name);
          EXPECT_EQ(json::parse(got.calls[at].arguments), json::parse(said.calls[at].arguments));
        }
        EXPECT_EQ(got.finish, said.finish);
        EXPECT_EQ(got.usage.input, said.usage.input);
        EXPECT_EQ(got.usage.cached, said.usage.cached);
        EXPECT_EQ(got.usage.written, said.usage.written);
        EXPECT_EQ(got.usage.output, said.usage.output);
      }
}

}  // namespace
}  // namespace photofinish::gateway::pairs
