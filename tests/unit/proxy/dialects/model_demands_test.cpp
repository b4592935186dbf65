// Tests which members models require or refuse in requests of OpenAI's own APIs, at every provider.
#include "proxy/dialects/openai/openai_dialect.hpp"
#include "proxy/providers/presets.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

struct sent_request {
  json body;
  std::vector<std::string> dropped;
};

sent_request sent_to(const std::string& preset, const std::string& model, const json& request,
                     wire_format format = wire_format::openai_chat) {
  provider target = presets().at(preset).defaults;
  target.behaves.usage = usage_in_stream::never;
  const secret key("k");
  prepared_request made = openai_dialect().prepare({std::make_shared<const client_body>(request.dump()), format, target, model, key, {}});
  std::string text;
  for (const std::string_view piece : made.body.pieces()) text += piece;
  json body = json::parse(text);
  for (const char* key_of_all : {"model", "stream", "store"}) body.erase(key_of_all);
  return {std::move(body), std::move(made.dropped)};
}

json chat_of(const char* messages, json more = json::object()) {
  more["messages"] = json::parse(messages);
  return more;
}

struct refused_case {
  const char* name;
  const char* preset;
  const char* model;
  json request;
  json sent;
  std::vector<std::string> dropped;
};
void PrintTo(const refused_case& each, std::ostream* to) { *to << each.name; }

class AModel : public ::testing::TestWithParam<refused_case> {};
INSTANTIATE_TEST_SUITE_P(
    ModelDemands, AModel,
    ::testing::Values(
        refused_case{"that_reasons", "azure", "gpt-5", {{"temperature", 0.2}, {"top_p", 0.5}, {"presence_penalty", 1}, {"max_tokens", 9}},
                     {{"max_completion_tokens", 9}}, {"temperature", "top_p", "presence_penalty"}},
        refused_case{"with_defaults", "azure", "o3-mini", {{"temperature", 1}, {"n", 1}, {"logprobs", false}}, {{"n", 1}}, {}},
        refused_case{"of_a_later_version", "openrouter", "openai/gpt-7-mini", {{"temperature", 0.2}}, json::object(), {"temperature"}},
        refused_case{"that_may_not_reason", "openai", "gpt-5.2", {{"temperature", 0.2}, {"reasoning_effort", "none"}},
                     {{"temperature", 0.2}, {"reasoning_effort", "none"}}, {}},
        refused_case{"that_always_reasons", "openai", "gpt-5", {{"temperature", 0.2}, {"reasoning_effort", "none"}},
                     {{"reasoning_effort", "minimal"}}, {"temperature", "reasoning_effort"}},
        refused_case{"of_chat", "azure", "gpt-5-chat-latest", {{"temperature", 0.2}, {"max_tokens", 9}}, {{"temperature", 0.2}, {"max_tokens", 9}}, {}},
        refused_case{"of_open_weights", "together", "openai/gpt-oss-120b", {{"temperature", 0.2}, {"max_tokens", 9}},
                     {{"temperature", 0.2}, {"max_tokens", 9}}, {}},
        refused_case{"that_is_older", "azure", "gpt-4.1", {{"temperature", 0.2}, {"max_tokens", 9}}, {{"temperature", 0.2}, {"max_tokens", 9}}, {}},
        refused_case{"at_a_provider_that_wants_the_older_name", "together", "gpt-5", {{"max_completion_tokens", 9}}, {{"max_tokens", 9}}, {}}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(AModel, GetsWhatItTakes) {
  json request = GetParam().request;
  sent_request sent = sent_to(GetParam().preset, GetParam().model, request);
  EXPECT_EQ(sent.body, GetParam().sent);
  std::vector<std::string> expected = GetParam().dropped;
  std::sort(expected.begin(), expected.end());
  std::sort(sent.dropped.begin(), sent.dropped.end());
  EXPECT_EQ(sent.dropped, expected);
}

TEST(ModelDemands, HoldInResponsesToo) {
  const auto sent = [](const char* model, const json& request) { return sent_to("openai", model, request, wire_format::openai_responses); };
  EXPECT_EQ(sent("gpt-5", {{"temperature", 0.2}, {"input", "x"}}).body, (json{{"input", "x"}}));
  const json unthinking = {{"temperature", 0.2}, {"input", "x"}, {"reasoning", {{"effort", "none"}}}};
  EXPECT_EQ(sent("gpt-5.2", unthinking).body, unthinking);
}

TEST(ModelDemands, WhatCarriesMeaningTakesTheTargetOut) {
  const openai_dialect spoken;
  const auto unsupported = [&spoken](const json& request, const char* model) {
    return std::string(spoken.unsupported_by_model(client_body(request.dump()), wire_format::openai_chat, model, provider()).value_or(""));
  };
  EXPECT_EQ(unsupported({{"logit_bias", {{"1", 2}}}}, "gpt-5"), "logit_bias");
  EXPECT_EQ(unsupported({{"logprobs", true}}, "o3"), "logprobs");
  EXPECT_EQ(unsupported({{"logprobs", true}, {"reasoning_effort", "none"}}, "gpt-5.2"), "");
  EXPECT_EQ(unsupported({{"logprobs", false}, {"logit_bias", json::object()}}, "gpt-5"), "");
  EXPECT_EQ(unsupported({{"logprobs", true}}, "gpt-4o"), "");
}

TEST(ModelDemands, LogprobsOfResponsesAreRefusedByTheSameModels) {
  const openai_dialect spoken;
  const auto unsupported = [&spoken](const json& more, const char* model) {
    json request = {{"input", "x"}, {"include", json::array({"message.output_text.logprobs"})}};
    request.update(more);
    const client_body body(request.dump());
    return std::string(spoken.unsupported_by_model(body, wire_format::openai_responses, model, provider()).value_or(""));
  };
  EXPECT_EQ(unsupported(json::object(), "o3"), "include");
  EXPECT_EQ(unsupported({{"include", json::array({"reasoning.encrypted_content"})}}, "o3"), "");
  EXPECT_EQ(unsupported({{"reasoning", {{"effort", "none"}}}}, "gpt-5.2"), "");
  EXPECT_EQ(unsupported(json::object(), "gpt-4o"), "");
}

constexpr const char* history = R"([{"role":"user","content":"q"},
    {"role":"assistant","content":"a"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"c","content":"r"},
    {"role":"assistant","content":"b","reasoning_content":"well"},{"role":"assistant","content":"c","reasoning":"other","reasoning_content":""}])";

std::vector<json> reasoning_in(const json& body) {
  std::vector<json> found;
  for (const json& each : body.at("messages")) found.push_back(each.value("reasoning_content", json()));
  return found;
}

TEST(ModelDemands, ReasoningIsGivenToMessagesThatMustBringIt) {
  const json none;
  const json body = sent_to("deepseek", "deepseek-v4-pro", chat_of(history)).body;
  EXPECT_EQ(reasoning_in(body), (std::vector<json>{none, " ", " ", none, "well", "other"}));
  EXPECT_EQ(reasoning_in(sent_to("moonshot", "kimi-k3", chat_of(history)).body), (std::vector<json>{none, none, " ", none, "well", ""}));
}

TEST(ModelDemands, ReasoningIsNotGivenWhereNothingDemandsIt) {
  const std::vector<json> as_it_was = reasoning_in(chat_of(history));
  EXPECT_EQ(reasoning_in(sent_to("together", "deepseek-ai/deepseek-v4-pro", chat_of(history)).body), as_it_was);
  EXPECT_EQ(reasoning_in(sent_to("moonshot", "kimi-k2-0905-preview", chat_of(history)).body), as_it_was);
  const json unthinking = chat_of(history, {{"thinking", {{"type", "disabled"}}}});
  EXPECT_EQ(reasoning_in(sent_to("deepseek", "deepseek-v4-pro", unthinking).body), as_it_was);
}

TEST(ModelDemands, ALongHistoryOfManyTurnsIsMadeGoodInAll) {
  json messages = json::array();
  for (int turn = 0; turn < 500; ++turn) messages.push_back({{"role", "user"}, {"content", "q"}}), messages.push_back({{"role", "assistant"}, {"content", "a"}});
  const json body = sent_to("deepseek", "deepseek-v4-flash", {{"messages", messages}}).body;
  for (std::size_t at = 1; at < messages.size(); at += 2) EXPECT_EQ(body.at("messages")[at].at("reasoning_content"), " ") << at;
}

}  // namespace
}  // namespace photofinish::proxy
