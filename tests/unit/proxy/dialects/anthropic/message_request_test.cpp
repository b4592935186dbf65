// Tests the request to a provider of Anthropic's Messages API. If the client uses the same API, the gateway does not change the bytes,
// except for members that the model refuses.
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/dialects/anthropic/anthropic_dialect.hpp"
#include "proxy/dialects/anthropic/message_request.hpp"
#include "tests/support/streams/known_reasoning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr auto messages = wire_format::anthropic_messages;

using fields = std::vector<std::pair<std::string, std::string>>;

provider anthropic() {
  provider target;
  target.url.path = "/v1";
  target.dialect = "anthropic";
  target.key.auth = auth_style::header;
  target.key.header = "x-api-key";
  return target;
}

struct sent_request {
  request_head head;
  std::string body;
  std::vector<std::string> dropped;

  std::string field(const std::string& name) const {
    for (const auto& [each, value] : head.fields)
      if (each == name) return value;
    return {};
  }
};

sent_request prepared(const std::string& json, const std::string& model = "kimi", const fields& forwarded = {},
                      answer_shape shape = answer_shape::streamed, const provider& target = anthropic(),
                      bool is_translated = false) {
  const auto body = std::make_shared<const client_body>(json);
  const secret key("k");
  prepared_request request = anthropic_dialect().prepare({.body = body,
                                                          .format = messages,
                                                          .target = target,
                                                          .model = model,
                                                          .key = key,
                                                          .forwarded = forwarded,
                                                          .shape = shape,
                                                          .is_translated = is_translated});
  sent_request sent{request.head, {}, request.dropped};
  for (const std::string_view piece : request.body.pieces()) sent.body += piece;
  return sent;
}

std::string sent(const std::string& json, const std::string& model = "kimi") { return prepared(json, model).body; }

provider vertex() {
  provider target = anthropic();
  target.url.path = "/v1/projects/p/locations/us-east5/publishers/anthropic";
  target.key.auth = auth_style::google;
  return target;
}

TEST(MessageRequest, GoesToVertexByAPathThatSaysItsModel) {
  const std::string asked = R"({"model":"x","max_tokens":9,"stream":false,"service_tier":"auto","messages":[]})";
  const fields forwarded{{"anthropic-version", "2023-06-01"}, {"anthropic-beta", "context-1m-2025-08-07"}};
  const sent_request got = prepared(asked, "claude-sonnet-4-5@20250929", forwarded, answer_shape::streamed, vertex());
  EXPECT_EQ(got.head.path,
            "/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict");
  EXPECT_EQ(got.body, R"({"anthropic_version":"vertex-2023-10-16","max_tokens":9,"stream":true,"messages":[]})");
  EXPECT_EQ(got.field("authorization"), "Bearer k");
  EXPECT_EQ(got.field("anthropic-version"), "");
  EXPECT_EQ(got.field("anthropic-beta"), "context-1m-2025-08-07");
  EXPECT_EQ(got.dropped, std::vector<std::string>{}) << "the usual tier needs no word";
  const sent_request whole = prepared(asked, "claude/../x@y", {}, answer_shape::in_one_piece, vertex());
  EXPECT_TRUE(whole.head.path.ends_with("/models/claude%2F..%2Fx@y:rawPredict")) << whole.head.path;
  EXPECT_NE(whole.body.find(R"("stream":false)"), std::string::npos);
}

TEST(MessageRequest, GoesToMessagesWithItsKeyAndVersion) {
  const sent_request got = prepared(R"({"max_tokens":1,"messages":[]})");
  EXPECT_EQ(got.head.path, "/v1/messages");
  EXPECT_EQ(got.field("x-api-key"), "k");
  EXPECT_EQ(got.field("anthropic-version"), "2023-06-01");
  EXPECT_EQ(got.field("anthropic-beta"), "");
  EXPECT_EQ(got.field("accept"), "text/event-stream");
}

TEST(MessageRequest, BetasOfTheClientAndOfTheConfigurationAreOneList) {
  EXPECT_EQ(anthropic_dialect().passed_headers(messages).size(), 2u);
  EXPECT_TRUE(anthropic_dialect().passed_headers(wire_format::openai_chat).empty());
  provider target = anthropic();
  target.headers = {{"Anthropic-Beta", "a-1"}};
  const sent_request got = prepared(R"({"max_tokens":1})", "kimi", {{"anthropic-beta", "b-2"}, {"anthropic-version", "2024-01-01"}},
                                    answer_shape::streamed, target);
  EXPECT_EQ(got.field("anthropic-beta"), "a-1,b-2");
  EXPECT_EQ(got.field("anthropic-version"), "2024-01-01");
}

TEST(MessageRequest, TheBytesPassButForTheModel) {
  const std::string body = R"({ "model" : "claude", "stream":true,"max_tokens":5, "betas_of":[1e3],"tools":[{"type":"web_search_20250305"}],)"
                           R"("messages":[{"role":"user","content":[{"type":"text","text":"\u00e9","cache_control":{"type":"ephemeral"}}]}]})";
  std::string expected = body;
  expected.replace(expected.find("\"claude\""), 8, "\"kimi\"");
  EXPECT_EQ(sent(body), expected);
}

TEST(MessageRequest, AStreamIsAskedForUnlessTheProviderGivesNone) {
  EXPECT_EQ(sent(R"({"model":"m","max_tokens":5})"), R"({"stream":true,"model":"kimi","max_tokens":5})");
  const sent_request whole = prepared(R"({"model":"m","stream":true,"max_tokens":5})", "kimi", {}, answer_shape::in_one_piece);
  EXPECT_EQ(whole.body, R"({"model":"kimi","stream":false,"max_tokens":5})");
  EXPECT_EQ(whole.field("accept"), "application/json");
}

TEST(MessageRequest, ALengthIsAddedAndStaysWithinTheModels) {
  const auto length = [](const std::string& members, const std::string& model) {
    const std::string body = sent("{" + members + "}", model);
    const auto value = json_find(body, "max_tokens");
    return std::string(value.value_or("none"));
  };
  EXPECT_EQ(length(R"("model":"m")", "kimi"), "16000");
  EXPECT_EQ(length(R"("model":"m")", "claude-sonnet-5"), "32000");
  EXPECT_EQ(length(R"("model":"m")", "claude-3-haiku-20240307"), "4096");
  EXPECT_EQ(length(R"("max_tokens":9000)", "claude-3-haiku-20240307"), "4096");
  EXPECT_EQ(length(R"("max_tokens":9000)", "kimi"), "9000");
}

TEST(MessageRequest, WhatTheNewestModelsRefuseIsDropped) {
  const std::string body = R"({"model":"m","stream":true,"max_tokens":5,"temperature":0.5,"top_k":3})";
  const sent_request newest = prepared(body, "claude-opus-4-7");
  EXPECT_EQ(newest.body, R"({"model":"claude-opus-4-7","stream":true,"max_tokens":5})");
  EXPECT_EQ(newest.dropped, (std::vector<std::string>{"temperature", "top_k"}));
  EXPECT_NE(sent(body, "claude-sonnet-4-6").find("temperature"), std::string::npos);
  const sent_request one = prepared(R"({"max_tokens":5,"temperature":0.5,"top_p":0.9})", "claude-haiku-4-5");
  EXPECT_EQ(one.dropped, std::vector<std::string>{"top_p"});
}

struct thinking_case {
  const char* name;
  const char* members;
  const char* model;
  const char* thinking;  // the expected member `thinking`; empty if the gateway removes it
  const char* config;
};

void PrintTo(const thinking_case& each, std::ostream* out) { *out << each.name; }

class Thinking : public ::testing::TestWithParam<thinking_case> {};

TEST_P(Thinking, IsAskedForAsTheModelWantsIt) {
  const auto& [name, members, model, thinking, config] = GetParam();
  const std::string body = sent("{" + std::string(members) + "}", model);
  EXPECT_EQ(json_find(body, "thinking").value_or(""), thinking) << body;
  EXPECT_EQ(json_find(body, "output_config").value_or(""), config) << body;
}

constexpr const char* adaptive = R"({"type":"adaptive","display":"summarized"})";
constexpr const char* asks_high =
    R"("max_tokens":60000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"})";
constexpr const char* asks_budget = R"("max_tokens":60000,"thinking":{"type":"enabled","budget_tokens":5000})";

INSTANTIATE_TEST_SUITE_P(
    MessageRequest, Thinking,
    ::testing::Values(
        thinking_case{"adaptive", asks_high, "claude-sonnet-5", adaptive, R"({"effort":"high"})"},
        thinking_case{"as_a_budget", asks_high, "claude-sonnet-4-5", R"({"type":"enabled","budget_tokens":24576})", ""},
        thinking_case{"none", asks_high, "claude-3-haiku", "", ""},
        thinking_case{"a_budget_as_an_effort", asks_budget, "claude-opus-5", adaptive, R"({"effort":"medium"})"},
        thinking_case{"a_budget_that_is_taken", asks_budget, "claude-opus-4-6", R"({"type":"enabled","budget_tokens":5000})", ""},
        thinking_case{"small", R"("max_tokens":1500,"thinking":{"type":"adaptive"})", "claude-sonnet-4-5", "", ""},
        thinking_case{"half", R"("max_tokens":4000,"thinking":{"type":"adaptive"})", "claude-sonnet-4-5",
                      R"({"type":"enabled","budget_tokens":2000})", ""},
        thinking_case{"off", R"("max_tokens":5,"thinking":{"type":"disabled"})", "claude-opus-5", R"({"type":"disabled"})", ""},
        thinking_case{"never_off", R"("max_tokens":5,"thinking":{"type":"disabled"})", "claude-fable-5", "", R"({"effort":"low"})"},
        thinking_case{"a_budget_as_an_effort_beside_a_format",
                      R"("max_tokens":60000,"thinking":{"type":"enabled","budget_tokens":1024},"output_config":{"format":{}})",
                      "claude-opus-5", adaptive, R"({"effort":"low","format":{}})"},
        thinking_case{"a_budget_above_the_models_length",
                      R"("max_tokens":64000,"thinking":{"type":"enabled","budget_tokens":40000})", "claude-opus-4-1",
                      R"({"type":"enabled","budget_tokens":16000})", ""},
        thinking_case{"a_budget_that_the_client_made_too_large",
                      R"("max_tokens":5000,"thinking":{"type":"enabled","budget_tokens":6000})", "claude-opus-4-1",
                      R"({"type":"enabled","budget_tokens":6000})", ""},
        thinking_case{"next_lower_effort", R"("max_tokens":5,"output_config":{"effort":"xhigh","format":{}})", "claude-opus-4-6",
                      "", R"({"effort":"high","format":{}})"},
        thinking_case{"no_effort", R"("max_tokens":5,"output_config":{"effort":"low","format":{}})", "claude-haiku-4-5", "",
                      R"({"format":{}})"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(MessageRequest, TheBetaOfEffortHelpsTheModelThatHasItAsABeta) {
  const auto config = [](const std::string& model, const fields& forwarded) -> std::optional<std::string> {
    const sent_request got = prepared(R"({"max_tokens":5,"output_config":{"effort":"max"}})", model, forwarded);
    return std::optional<std::string>(json_find(got.body, "output_config"));
  };
  const fields beta{{"anthropic-beta", "a-1,effort-2025-11-24"}};
  EXPECT_EQ(config("claude-opus-4-5", beta), R"({"effort":"high"})");
  EXPECT_EQ(config("claude-opus-4-5", {}), std::nullopt);
  EXPECT_EQ(config("claude-haiku-4-5", beta), std::nullopt) << "Claude Code sends it for every model";
  EXPECT_EQ(config("claude-opus-5", {}), R"({"effort":"max"})");
}

TEST(MessageRequest, KeepsATranslatedBudgetBelowTheLengthOfTheAnswer) {
  const auto translated = [](const std::string& members, const std::string& model) {
    return prepared("{" + members + R"(,"messages":[]})", model, {}, answer_shape::streamed, anthropic(), true);
  };
  const std::string fits = R"("max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":3000})";
  const std::string large = R"("max_tokens":5000,"thinking":{"type":"enabled","budget_tokens":6000})";
  for (const char* const model : {"claude-sonnet-4-5", "claude-opus-4-6"}) {
    const sent_request kept = translated(fits, model), lowered = translated(large, model);
    EXPECT_NE(kept.body.find(R"("budget_tokens":3000)"), std::string::npos) << kept.body;
    EXPECT_TRUE(kept.dropped.empty());
    EXPECT_NE(lowered.body.find(R"("budget_tokens":2500)"), std::string::npos) << lowered.body;
    EXPECT_EQ(lowered.dropped, std::vector<std::string>{"thinking"});
  }
  const sent_request usual = translated(R"("thinking":{"type":"enabled","budget_tokens":50000})", "claude-sonnet-4-5");
  EXPECT_NE(usual.body.find(R"("budget_tokens":16000)"), std::string::npos) << usual.body;
  const sent_request short_answer =
      translated(R"("max_tokens":1500,"thinking":{"type":"enabled","budget_tokens":2000})", "claude-sonnet-4-5");
  EXPECT_FALSE(json_find(short_answer.body, "thinking"));
  EXPECT_EQ(short_answer.dropped, std::vector<std::string>{"thinking"});
}

std::string thinking(const std::string& signature) {
  return R"({"type":"thinking","thinking":"hm","signature":")" + signature + R"("})";
}

std::string history(const std::string& blocks, const std::string& more = "") {
  return R"({"model":"m","stream":true,"max_tokens":5,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[)" +
         blocks + R"(]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}])" + more + "}";
}

const std::string call = R"({"type":"tool_use","id":"a","name":"f","input":{}})";

TEST(MessageRequest, ForeignThinkingIsTakenOutAndItsOwnStaysByteForByte) {
  const std::string foreign = thinking(pack_signature({"gemini", "CC"}));
  const std::string redacted = R"({"type":"redacted_thinking","data":")" + pack_signature({"openai_responses", "x"}) + R"("})";
  const auto expect = [](const std::string& given, const std::string& kept) {
    std::string want = history(kept);
    want.replace(want.find("\"m\""), 3, "\"claude-sonnet-5\"");
    EXPECT_EQ(sent(history(given), "claude-sonnet-5"), want) << given;
  };
  expect(thinking("Eq+/==") + "," + call, thinking("Eq+/==") + "," + call);
  expect(foreign + "," + call, call);
  expect(thinking("") + " , " + redacted + " ," + call, call);
  expect(thinking("Eq") + "," + foreign + "," + call, thinking("Eq") + "," + call);
  expect(call + "," + foreign, call);
  expect(foreign + "," + redacted, R"({"type":"text","text":"No answer."})");
  EXPECT_EQ(prepared(history(foreign + "," + call)).dropped, std::vector<std::string>{"thinking.signature"});
  EXPECT_TRUE(prepared(history(thinking("Eq") + "," + call)).dropped.empty());
}

TEST(MessageRequest, ThinkingThatIsKnownToBeAnotherTargetsIsTakenOut) {
  const std::string redacted = R"({"type":"redacted_thinking","data":"hidden"})";
  photofinish::testing::known_reasoning known({"theirs", "hidden"});
  const auto body = std::make_shared<const client_body>(
      history(thinking("own") + "," + thinking("theirs") + "," + redacted + "," + call));
  const secret key("k");
  const provider target = anthropic();
  attempt_request asked{body, messages, target, "m", key, {}};
  asked.foreign = &known;
  prepared_request request = anthropic_dialect().prepare(asked);
  std::string got;
  for (const std::string_view piece : request.body.pieces()) got += piece;
  EXPECT_EQ(got, history(thinking("own") + "," + call));
  EXPECT_EQ(request.dropped, std::vector<std::string>{"thinking.signature"});
  EXPECT_EQ(request.reasoning_left_out, 2u);
}

TEST(MessageRequest, ForeignRedactedThinkingIsTakenOutOfLongBodiesToo) {
  const std::string redacted = R"({"type":"redacted_thinking","data":")" + pack_signature({"gemini", "x"}) + R"("})";
  const std::string image = R"({"type":"text","text":")" + std::string(2u << 20, 'x') + R"("})";
  EXPECT_EQ(sent(history(image + "," + redacted), "claude-sonnet-5").find("redacted"), std::string::npos);
}

TEST(MessageRequest, AModelThatThinksByBudgetIsNotAskedToInTheMiddleOfCallsWithoutThinking) {
  const std::string asks = R"(,"thinking":{"type":"enabled","budget_tokens":2000})";
  const auto thinks = [&asks](const std::string& blocks, const std::string& model) {
    return json_find(sent(history(blocks, asks), model), "thinking").has_value();
  };
  EXPECT_FALSE(thinks(thinking("") + "," + call, "claude-sonnet-4-5"));
  EXPECT_FALSE(thinks(call, "claude-sonnet-4-5"));
  EXPECT_TRUE(thinks(thinking("Eq") + "," + call, "claude-sonnet-4-5"));
  EXPECT_TRUE(thinks(call, "claude-opus-4-6"));
}

TEST(MessageRequest, AModelThatThinksByBudgetDoesNotThinkBeforeWordsOfAnotherApi) {
  const std::string json = R"({"model":"r","max_tokens":4000,"thinking":{"type":"adaptive"},)"
                           R"("output_config":{"effort":"high"},"messages":[{"role":"user","content":"a"},)"
                           R"({"role":"assistant","content":"pre"}]})";
  const auto of_model = [&json](bool is_translated) {
    return prepared(json, "claude-sonnet-4-5", {}, answer_shape::streamed, anthropic(), is_translated);
  };
  const sent_request translated = of_model(true);
  EXPECT_EQ(translated.body.find("thinking"), std::string::npos) << translated.body;
  EXPECT_NE(std::find(translated.dropped.begin(), translated.dropped.end(), "thinking"), translated.dropped.end());
  EXPECT_NE(of_model(false).body.find("budget_tokens"), std::string::npos) << "the API's own client gets its own error";
}

TEST(MessageRequest, WordsToGoOnWithTakeTheNewestModelsOut) {
  const client_body body(R"({"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"So"}]})");
  EXPECT_EQ(anthropic_dialect().unsupported_by_model(body, messages, "claude-sonnet-5", anthropic()), "messages");
  EXPECT_EQ(anthropic_dialect().unsupported_by_model(body, messages, "claude-haiku-4-5", anthropic()), std::nullopt);
  const client_body paused(R"({"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[
      {"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"text","text":"So"}]}]})");
  EXPECT_EQ(anthropic_dialect().unsupported_by_model(paused, messages, "claude-sonnet-5", anthropic()), std::nullopt);
  const client_body usual(R"({"messages":[{"role":"user","content":"hi"}]})");
  EXPECT_EQ(anthropic_dialect().unsupported_by_model(usual, messages, "claude-sonnet-5", anthropic()), std::nullopt);
}

TEST(MessageRequest, OtherApisAreNotServedThere) {
  const client_body body("{}");
  EXPECT_EQ(anthropic_dialect().unsupported(body, wire_format::openai_embeddings, anthropic()), "embeddings");
  EXPECT_EQ(anthropic_dialect().unsupported(body, messages, anthropic()), std::nullopt);
  EXPECT_EQ(anthropic_dialect().speaks(wire_format::openai_chat, anthropic(), "m", client_body("{}")), messages);
}

TEST(MessageRequest, ABudgetIsAtMostHalfOfTheAnswer) {
  EXPECT_EQ(budget_of_effort("high", 100'000), 24'576);
  EXPECT_EQ(budget_of_effort("high", 4'000), 2'000);
  EXPECT_EQ(budget_of_effort("low", 2'000), std::nullopt);
  EXPECT_EQ(budget_of_effort("loud", 100'000), std::nullopt);
}

}  // namespace
}  // namespace photofinish::proxy
