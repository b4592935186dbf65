// Converts a client's request to a request for a provider of each dialect.
#pragma once

#include "proxy/conversation/writers/request_forms.hpp"
#include "proxy/find_dialect.hpp"
#include "tests/unit/proxy/pairs/client_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy::pairs {

struct client {
  const char* name;
  wire_format format;
  request_forms::reader read;
  json (*request)(const dialogue&);
};
inline const std::vector<client> clients{
    {"chat", wire_format::openai_chat, read_chat, chat_request},
    {"responses", wire_format::openai_responses, read_responses, responses_request},
    {"messages", wire_format::anthropic_messages, read_messages, messages_request}};

struct asked_provider {
  const char* name;
  const char* dialect;
  const char* model;
  wire_format format;  // the format of requests to this provider
  std::vector<std::string_view> sits_out = {};  // names of conversations that this provider's model does not support
};
inline const std::vector<asked_provider> providers{
    {"openai", "openai", "gpt-4o", wire_format::openai_chat},
    {"openai's responses", "openai", "gpt-5-pro", wire_format::openai_responses},
    {"anthropic", "anthropic", "claude-sonnet-5", wire_format::anthropic_messages},
    {"gemini", "gemini", "gemini-3-pro", wire_format::gemini},
    {"nova at bedrock", "bedrock", "us.amazon.nova-2-lite-v1:0", wire_format::bedrock_converse,
     {"AnAnswerInJson"}},
    {"mistral at bedrock", "bedrock", "mistral.mistral-large-3-675b-instruct", wire_format::bedrock_converse,
     {"SomeToolMustBeCalled", "ThatToolMustBeCalled"}},
    {"claude at bedrock", "bedrock", "us.anthropic.claude-sonnet-5-v1:0", wire_format::anthropic_messages}};

// Returns the providers whose format differs from the client's format. The gateway must translate requests for these providers.
inline std::vector<asked_provider> others_than(const client& from) {
  std::vector<asked_provider> others;
  for (const asked_provider& each : providers)
    if (each.format != from.format) others.push_back(each);
  return others;
}

inline bool holds_name(const std::vector<std::string>& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

inline provider target_of(const asked_provider& each) {
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
  json body = {};
  std::vector<std::string> dropped = {};
  std::string unsupported = {};
};

// Converts a client's request to the request for a provider. `text` is the body of the client's request.
inline asked ask_body(const client& from, const asked_provider& to, std::string text) {
  const provider target = target_of(to);
  const dialect& speaks = *find_dialect(to.dialect);
  auto body = std::make_shared<const client_body>(std::move(text));
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
  if (const auto param = speaks.unsupported_by_model(*body, format, to.model, target))
    return {{}, {}, std::string(*param)};
  const secret key("k");
  prepared_request prepared = speaks.prepare({.body = body,
                                              .format = format,
                                              .target = target,
                                              .model = to.model,
                                              .key = key,
                                              .forwarded = {},
                                              .is_translated = is_translated});
  std::string sent;
  for (const std::string_view piece : prepared.body.pieces()) sent += piece;
  made.body = json::parse(sent);
  made.dropped.insert(made.dropped.end(), prepared.dropped.begin(), prepared.dropped.end());
  return made;
}

inline asked ask(const client& from, const asked_provider& to, json request) {
  request["model"] = to.model;
  return ask_body(from, to, request.dump());
}

// Converts a request whose members are given as JSON text. The text may contain spellings that nlohmann's JSON would not write.
inline asked ask_text(const client& from, const asked_provider& to, const std::string& members) {
  return ask_body(from, to, R"({"model":")" + std::string(to.model) + "\"," + members + "}");
}

}  // namespace photofinish::proxy::pairs
