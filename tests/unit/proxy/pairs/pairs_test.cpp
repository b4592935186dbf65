// Every API in front of every dialect: what a client says in its API's words is what a plain reader finds in the
// provider's request, or the client is dialogue what is left out.
#include "proxy/conversation/forms/request_forms.hpp"
#include "proxy/find_dialect.hpp"
#include "tests/unit/proxy/pairs/client_bodies.hpp"
#include "tests/unit/proxy/pairs/conversations.hpp"
#include "tests/unit/proxy/pairs/provider_readers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy::pairs {
namespace {

struct client {
  const char* name;
  wire_format format;
  request_forms::reader read;
  json (*request)(const dialogue&);
};
const std::vector<client> clients{{"chat", wire_format::openai_chat, read_chat, chat_request},
                                  {"responses", wire_format::openai_responses, read_responses, responses_request},
                                  {"messages", wire_format::anthropic_messages, read_messages, messages_request}};

struct asked_provider {
  const char* name;
  const char* dialect;
  const char* model;
  wire_format format;  // in which it is asked
  std::vector<std::string_view> sits_out = {};  // conversations that its model cannot have
};
const std::vector<asked_provider> providers{
    {"openai", "openai", "gpt-4o", wire_format::openai_chat},
    {"openai's responses", "openai", "gpt-5-pro", wire_format::openai_responses},
    {"anthropic", "anthropic", "claude-sonnet-5", wire_format::anthropic_messages},
    {"gemini", "gemini", "gemini-3-pro", wire_format::gemini},
    {"nova at bedrock", "bedrock", "us.amazon.nova-2-lite-v1:0", wire_format::bedrock_converse,
     {"AnAnswerInJson"}},
    {"mistral at bedrock", "bedrock", "mistral.mistral-large-3-675b-instruct", wire_format::bedrock_converse,
     {"SomeToolMustBeCalled", "ThatToolMustBeCalled"}},
    {"claude at bedrock", "bedrock", "us.anthropic.claude-sonnet-5-v1:0", wire_format::anthropic_messages}};

provider target_of(const asked_provider& each) {
  provider made;
  made.name = "p";
  made.dialect = each.dialect;
  made.url.host = "api.example.com";
  made.url.path = "/v1";
  if (each.format == wire_format::openai_responses) made.apis = {served_api::responses};
  else if (std::string(each.dialect) == "openai") made.apis = {served_api::chat};
  return made;
}

struct asked {
  json body;
  std::vector<std::string> dropped;
  std::string unsupported;
};

asked ask(const client& from, const asked_provider& to, const dialogue& said) {
  const provider target = target_of(to);
  const dialect& speaks = *find_dialect(to.dialect);
  json request = from.request(said);
  request["model"] = to.model;
  auto body = std::make_shared<const client_body>(request.dump());
  const wire_format format = speaks.speaks(from.format, target, to.model, *body);
  EXPECT_EQ(format, to.format);
  request_forms forms(body, from.read);
  asked made;
  const bool is_translated = format != from.format;
  if (is_translated) {
    const translated_request* const form = forms.in(format);
    if (form == nullptr || !form->unsupported.empty()) return {{}, {}, form ? form->unsupported : "format"};
    body = form->body;
    made.dropped = form->dropped;
  }
  if (const auto param = speaks.unsupported(*body, format, target)) return {{}, {}, std::string(*param)};
  if (const auto param = speaks.unsupported_by_model(*body, format, to.model, target)) return {{}, {}, std::string(*param)};
  const secret key("k");
  prepared_request prepared = speaks.prepare({.body = body,
                                              .format = format,
                                              .target = target,
                                              .model = to.model,
                                              .key = key,
                                              .forwarded = {},
                                              .is_translated = is_translated});
  std::string text;
  for (const std::string_view piece : prepared.body.pieces()) text += piece;
  made.body = json::parse(text);
  made.dropped.insert(made.dropped.end(), prepared.dropped.begin(), prepared.dropped.end());
  return made;
}

// Results of one turn come in the order of their calls where an API has it so. A model that wants results alone in
// their turn gets a full stop of its own behind them.
std::vector<std::string> comparable(const dialogue& all) {
  std::vector<std::string> lines = lines_of(all);
  std::erase(lines, "assistant: .");
  const auto is_result = [](const std::string& line) { return line.starts_with("result of "); };
  for (auto begin = lines.begin(); begin != lines.end();) {
    begin = std::find_if(begin, lines.end(), is_result);
    const auto end = std::find_if_not(begin, lines.end(), is_result);
    std::sort(begin, end);
    begin = end;
  }
  return lines;
}

json properties_of(const json& schema) { return schema.is_null() ? json() : schema.at("properties"); }

bool names(const std::vector<std::string>& dropped, std::string_view what) {
  return std::any_of(dropped.begin(), dropped.end(),
                     [what](const std::string& each) { return each.find(what) != std::string::npos; });
}

class Pairs : public ::testing::TestWithParam<named_conversation> {};
INSTANTIATE_TEST_SUITE_P(Conversations, Pairs, ::testing::ValuesIn(all_conversations()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(Pairs, SayTheSame) {
  for (const client& from : clients)
    for (const asked_provider& to : providers) {
      SCOPED_TRACE(std::string(from.name) + " to " + to.name);
      dialogue said = GetParam().said;
      if (from.format == wire_format::openai_responses) said.stops.clear();
      const asked got = ask(from, to, said);
      const bool sits_out = std::find(to.sits_out.begin(), to.sits_out.end(), GetParam().name) != to.sits_out.end();
      ASSERT_EQ(!got.unsupported.empty(), sits_out) << got.unsupported;
      if (!got.unsupported.empty()) continue;
      SCOPED_TRACE(got.body.dump());
      const dialogue found = read_as_provider(to.format, got.body);
      EXPECT_EQ(comparable(found), comparable(said));
      EXPECT_EQ(found.tools, said.tools);
      EXPECT_EQ(found.forced, said.forced);
      const bool is_named = found.stops.empty() && names(got.dropped, "stop");
      EXPECT_EQ(is_named ? said.stops : found.stops, said.stops);
      EXPECT_EQ(said.max_tokens > 0 ? found.max_tokens : 0, said.max_tokens);
      EXPECT_EQ(properties_of(found.schema), properties_of(said.schema));
    }
}

}  // namespace
}  // namespace photofinish::proxy::pairs
