// Tests which broken answers another target can continue, and the request that this target gets.
#include "gateway/attempts/setup/continued_request.hpp"

#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/completions/completions_api.hpp"
#include "gateway/api/messages/messages_api.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

parsed_request read(const api& by, const json& body) {
  proxy::tolerant_parser parser;
  return std::get<parsed_request>(by.read(body.dump(), parser));
}

json chat(const json& more = json::object()) {
  json body{{"model", "r"}, {"messages", {{{"role", "user"}, {"content", "Tell me a tale"}}}}};
  body.update(more);
  return body;
}

bool may_chat(const json& more) { return may_be_continued(read(chat_api(), chat(more))); }

TEST(ContinuedRequest, PlainTextMayBeContinued) {
  for (const json& more : {json::object(), json{{"stream", true}}, json{{"n", 1}}, json{{"tools", json::array()}},
                           json{{"response_format", {{"type", "text"}}}}, json{{"temperature", 0.5}},
                           json{{"logprobs", false}}, json{{"thinking", {{"type", "disabled"}}}},
                           json{{"modalities", {"text"}}}, json{{"stop", "END"}}})
    EXPECT_TRUE(may_chat(more)) << more;
}

TEST(ContinuedRequest, WhatIsNotPlainTextMayNot) {
  for (const json& more :
       {json{{"tools", {{{"type", "function"}, {"function", {{"name", "f"}}}}}}}, json{{"n", 2}},
        json{{"logprobs", true}},
        json{{"response_format", {{"type", "json_object"}}}}, json{{"modalities", {"text", "audio"}}},
        json{{"thinking", {{"type", "enabled"}, {"budget_tokens", 2048}}}}, json{{"store", true}},
        json{{"functions", {{{"name", "f"}}}}}, json{{"web_search_options", {{"a", 1}}}},
        json{{"output_config", {{"format", {{"type", "json_schema"}}}}}}})
    EXPECT_FALSE(may_chat(more)) << more;
}

TEST(ContinuedRequest, NorWhatBeginsWithWordsOfTheAssistant) {
  const json messages{{{"role", "user"}, {"content", "a"}}, {{"role", "assistant"}, {"content", "b"}}};
  EXPECT_FALSE(may_chat({{"messages", messages}}));
}

TEST(ContinuedRequest, ItIsOfChatOrMessages) {
  const json message{{"model", "r"}, {"max_tokens", 100}, {"messages", {{{"role", "user"}, {"content", "a"}}}}};
  EXPECT_TRUE(may_be_continued(read(messages_api(), message)));
  EXPECT_FALSE(may_be_continued(read(completions_api(), {{"model", "r"}, {"prompt", "a"}})));
}

TEST(ContinuedRequest, OthersMayDoBetterWhereTheProviderBroke) {
  const auto may = [](proxy::failure_kind kind, proxy::failure_origin origin = proxy::failure_origin::provider) {
    return may_go_on_behind({.kind = kind, .origin = origin});
  };
  using enum proxy::failure_kind;
  for (const auto kind : {bad_stream, stall, crawl, server_error, rate_limited, connect, quota}) EXPECT_TRUE(may(kind));
  for (const auto kind : {timeout, bad_request, cancelled}) EXPECT_FALSE(may(kind));
  EXPECT_FALSE(may(server_error, proxy::failure_origin::gateway));
}

TEST(ContinuedRequest, TheAnswerSoFarIsTheLastMessage) {
  const parsed_request asked = read(chat_api(), chat({{"max_tokens", 100}, {"stream", true}}));
  const continued_request made = continue_request(asked, "Once \"upon\" a time,\n ", 6);
  json expected = chat({{"max_tokens", 94}, {"stream", true}});
  expected["messages"].push_back({{"role", "assistant"}, {"content", "Once \"upon\" a time,"}});
  EXPECT_EQ(json::parse(made.body), expected);
  EXPECT_EQ(made.before.given, "Once \"upon\" a time,");
  EXPECT_EQ(made.before.cut, "\n ");
  EXPECT_EQ(made.before.tokens, 6u);
}

TEST(ContinuedRequest, AtLeastOneTokenIsLeft) {
  const parsed_request asked = read(chat_api(), chat({{"max_completion_tokens", 5}, {"max_tokens", nullptr}}));
  const json made = json::parse(continue_request(asked, "a long, long text", 6).body);
  EXPECT_EQ(made["max_completion_tokens"], 1);
  EXPECT_TRUE(made["max_tokens"].is_null());
}

// A plan of four targets. Targets whose names end in "p" support a prefill.
class PlanContinuation : public testing::Test {
 protected:
  PlanContinuation() {
    for (proxy::provider* each : {&first, &second, &third}) each->behaves.prefill = proxy::prefill_form::prefix;
    const auto add = [this](proxy::provider& provider, const char* name) {
      provider.name = name;
      setup.candidates.push_back({&provider, {name, "m"}, {}, name});
      setup.planned.chosen.push_back(setup.candidates.size() - 1);
    };
    add(first, "ap"), add(plain, "b"), add(second, "cp"), add(third, "dp");
    setup.planned.chosen.push_back(2);  // a second round
    setup.planned.plan.policy = racing::race_policy::all;
    setup.planned.plan.max_parallel = 4;
  }
  std::vector<std::string> planned() const {
    std::vector<std::string> names;
    for (std::size_t index = 0; index < setup.planned.chosen.size(); ++index)
      names.push_back(setup.attempt(index).target.provider);
    return names;
  }
  proxy::provider first, plain, second, third;
  race_setup setup;
};

TEST_F(PlanContinuation, OneAfterTheOtherOfThoseThatTakeAPrefillAndHaveNotSpoken) {
  const std::vector<target_name> spoken{{"ap", "m"}};
  setup.planned.plan.race_timeout = std::chrono::seconds(280);
  plan_continuation(setup, spoken, 10, std::chrono::seconds(7));
  EXPECT_EQ(planned(), (std::vector<std::string>{"cp", "dp"}));
  EXPECT_EQ(setup.planned.plan.policy, racing::race_policy::fallback);
  EXPECT_EQ(setup.planned.plan.max_parallel, 1u);
  EXPECT_EQ(setup.planned.plan.target_count, 2u);
  EXPECT_EQ(setup.planned.plan.race_timeout, std::chrono::seconds(7)) << "what is left of the request's time";
}

TEST_F(PlanContinuation, AtMostSoMany) {
  plan_continuation(setup, {}, 1, std::chrono::seconds(7));
  EXPECT_EQ(planned(), std::vector<std::string>{"ap"});
}

}  // namespace
}  // namespace photofinish::gateway
