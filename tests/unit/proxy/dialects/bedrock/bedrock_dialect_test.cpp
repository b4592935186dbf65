#include "proxy/dialects/bedrock/bedrock_dialect.hpp"

#include "proxy/conversation/writers/converse_form.hpp"
#include "proxy/find_dialect.hpp"
#include "tests/support/streams/known_reasoning.hpp"
#include "tests/unit/proxy/conversation/translation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using testing::json;

constexpr wire_format messages = wire_format::anthropic_messages, converse = wire_format::bedrock_converse;
constexpr const char* claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

provider bedrock() {
  provider target;
  target.name = "bedrock";
  target.dialect = "bedrock";
  target.key.auth = auth_style::aws;
  target.url.host = "bedrock-runtime.us-east-1.amazonaws.com";
  target.key.aws_region = "us-east-1";
  return target;
}

struct sent_request {
  prepared_request prepared;
  json body;
  std::string field(std::string_view name) const {
    for (const auto& [each, value] : prepared.head.fields)
      if (each == name) return value;
    return {};
  }
  bool has_dropped(const std::string& name) const {
    return std::find(prepared.dropped.begin(), prepared.dropped.end(), name) != prepared.dropped.end();
  }
};

sent_request send(const json& body, wire_format format, std::string_view model, answer_shape shape = answer_shape::streamed,
                  std::vector<std::pair<std::string, std::string>> forwarded = {}, provider target = bedrock()) {
  const secret key("AKIAEXAMPLE:secret");
  sent_request sent{
      bedrock_dialect().prepare({std::make_shared<const client_body>(body.dump()), format, target, model, key, forwarded, shape}), {}};
  std::string text;
  for (const std::string_view piece : sent.prepared.body.pieces()) text += piece;
  sent.body = json::parse(text);
  return sent;
}

// Converts a chat client's request to the Converse request for this model.
json converted(const json& asked, std::string_view model) {
  const auto form = testing::translate(read_chat, asked, write_converse).form;
  return send(json::parse(form.json), converse, model).body;
}
json hi() { return json::array({{{"role", "user"}, {"content", "hi"}}}); }
json said(const char* text = "hi") { return json::array({{{"role", "user"}, {"content", json::array({{{"text", text}}})}}}); }

TEST(BedrockDialect, IsFoundByItsName) { EXPECT_NE(dynamic_cast<const bedrock_dialect*>(find_dialect("bedrock")), nullptr); }

TEST(BedrockDialect, AsksClaudeInMessagesAndOthersInConverse) {
  const bedrock_dialect spoken;
  for (const wire_format asked : {wire_format::openai_chat, wire_format::openai_responses, messages}) {
    EXPECT_EQ(spoken.speaks(asked, bedrock(), claude, client_body("{}")), messages);
    EXPECT_EQ(spoken.speaks(asked, bedrock(), "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5", client_body("{}")),
              messages);
    EXPECT_EQ(spoken.speaks(asked, bedrock(), "amazon.nova-lite-v1:0", client_body("{}")), converse);
    EXPECT_EQ(spoken.speaks(asked, bedrock(), "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/mi1", client_body("{}")), converse);
  }
  EXPECT_EQ(spoken.speaks(wire_format::openai_embeddings, bedrock(), claude, client_body("{}")), wire_format::openai_embeddings);
  EXPECT_EQ(spoken.unsupported(client_body("{}"), wire_format::openai_embeddings, bedrock()), "embeddings");
}

TEST(BedrockDialect, ThePathNamesModelAndVerb) {
  const json body{{"messages", said()}};
  EXPECT_EQ(send(body, converse, "us.amazon.nova-lite-v1:0").prepared.head.path, "/model/us.amazon.nova-lite-v1%3A0/converse-stream");
  EXPECT_EQ(send(body, converse, "a/../b?c#d%", answer_shape::in_one_piece).prepared.head.path, "/model/a%2F..%2Fb%3Fc%23d%25/converse");
  EXPECT_EQ(send({{"messages", hi()}}, messages, "anthropic.claude-3-haiku-20240307-v1:0").prepared.head.path,
            "/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke-with-response-stream");
  EXPECT_EQ(send({{"messages", hi()}}, messages, "anthropic.x", answer_shape::in_one_piece).prepared.head.path,
            "/model/anthropic.x/invoke");
  EXPECT_EQ(send(body, converse, "m").field("accept"), "application/vnd.amazon.eventstream");
  EXPECT_EQ(send(body, converse, "m", answer_shape::in_one_piece).field("accept"), "application/json");
  EXPECT_EQ(send(body, converse, "m").field("authorization"), "");  // the signature is added later, when the request is sent
}

TEST(BedrockDialect, ClaudesBodyHasAVersionAndNeitherModelNorStream) {
  const sent_request sent =
      send({{"model", "mine"},
            {"stream", true},
            {"max_tokens", 5},
            {"messages", hi()},
            {"service_tier", "auto"},
            {"metadata", {{"user_id", "u"}}}},
           messages, claude, answer_shape::streamed, {{"anthropic-beta", "context-1m-2025-08-07, prompt-caching-scope-2026-01-05"}});
  EXPECT_EQ(sent.body, (json{{"anthropic_version", "bedrock-2023-05-31"},
                             {"anthropic_beta", {"context-1m-2025-08-07"}},
                             {"max_tokens", 5},
                             {"messages", hi()},
                             {"metadata", {{"user_id", "u"}}}}));
  EXPECT_EQ(sent.field("anthropic-beta"), "");
  EXPECT_EQ(sent.field("anthropic-version"), "");
  EXPECT_TRUE(sent.has_dropped("anthropic-beta"));
  EXPECT_FALSE(sent.has_dropped("service_tier")) << "the usual tier";
}

TEST(BedrockDialect, ClaudesThinkingIsThatOfItsModel) {
  const json asked{{"max_tokens", 9000}, {"messages", hi()}, {"thinking", {{"type", "adaptive"}}}, {"output_config", {{"effort", "low"}}}};
  EXPECT_EQ(send(asked, messages, claude).body.at("thinking"), (json{{"type", "enabled"}, {"budget_tokens", 2048}}));
}

TEST(BedrockDialect, WhatClaudeCannotDoThereTakesItOut) {
  const auto refused = [](const json& body, const char* model = claude) {
    return bedrock_dialect().unsupported_by_model(client_body(body.dump()), messages, model, bedrock());
  };
  const json elsewhere = json::parse(R"([{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://x/a.png"}}]}])");
  const json within = json::parse(
      R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"url","url":"https://x/a.png"}}]}]}])");
  EXPECT_EQ(refused({{"messages", elsewhere}}), "content.source.url");
  EXPECT_EQ(refused({{"messages", within}}), "content.source.url");
  EXPECT_EQ(refused({{"messages", hi()}, {"tools", {{{"type", "web_search_20250305"}, {"name", "web_search"}}}}}), "tools");
  EXPECT_EQ(refused({{"messages", hi()}, {"tools", {{{"type", "custom"}, {"name", "f"}}, {{"type", "bash_20250124"}, {"name", "bash"}}}}}),
            std::nullopt);
  const json prefilled = json::parse(R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"}])");
  EXPECT_EQ(refused({{"messages", prefilled}}, "anthropic.claude-opus-5"), "messages");
  EXPECT_EQ(refused({{"messages", prefilled}}), std::nullopt);
}

TEST(BedrockDialect, ThinkingIsSaidInTheModelsWords) {
  const auto more = [](const char* model, const char* effort) {
    return converted({{"messages", hi()}, {"reasoning_effort", effort}}, model).value("additionalModelRequestFields", json());
  };
  EXPECT_EQ(more("openai.gpt-oss-120b-1:0", "minimal"), json::parse(R"({"reasoning_effort":"low"})"));
  EXPECT_EQ(more("openai.gpt-oss-120b-1:0", "xhigh"), json::parse(R"({"reasoning_effort":"high"})"));
  EXPECT_EQ(more("qwen.qwen3-32b-v1:0", "medium"), json::parse(R"({"reasoning_config":"high"})"));
  EXPECT_EQ(more("qwen.qwen3-32b-v1:0", "none"), json::parse(R"({"reasoning_config":"none"})"));
  EXPECT_EQ(more("xai.grok-4-6", "medium"), json::parse(R"({"reasoning":{"effort":"medium"}})"));
  EXPECT_EQ(more("amazon.nova-lite-v1:0", "high"), json());
  EXPECT_EQ(more("zai.glm-4.7", "none"), json::parse(R"({"reasoning_effort":"none"})"));
}

TEST(BedrockDialect, WhatAModelDoesNotTakeIsLeftOut) {
  const json asked{
      {"messages", said()}, {"inferenceConfig", {{"temperature", 0.5}, {"maxTokens", 3}}}, {"thinking", {{"budget", 2048}}}, {"top_k", 4}};
  const sent_request grok = send(asked, converse, "xai.grok-4-6");
  EXPECT_EQ(grok.body.at("inferenceConfig"), (json{{"maxTokens", 3}}));
  EXPECT_TRUE(grok.has_dropped("temperature"));
  EXPECT_TRUE(grok.has_dropped("top_k"));
  EXPECT_EQ(grok.body.at("additionalModelRequestFields"), json::parse(R"({"reasoning":{"effort":"low"}})"));
  const sent_request nova = send(asked, converse, "us.amazon.nova-micro-v1:0");
  EXPECT_EQ(nova.body.at("additionalModelRequestFields"), json::parse(R"({"inferenceConfig":{"topK":4}})"));
  EXPECT_TRUE(nova.has_dropped("reasoning_effort"));
  provider own = bedrock();
  own.behaves.drop_params = {"temperature", "guardrailConfig"};
  EXPECT_EQ(send(asked, converse, "us.amazon.nova-micro-v1:0", answer_shape::streamed, {}, own).body.at("inferenceConfig"),
            (json{{"maxTokens", 3}}));
}

const char* const calls_and_results =
    R"([{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"call_1","name":"f","input":{}}},{"toolUse":{"toolUseId":"call_2","name":"f","input":{}}}]},
    {"role":"user","content":[{"toolResult":{"toolUseId":"call_1","content":[{"text":"1"}],"status":"error"}},{"toolResult":{"toolUseId":"call_2","content":[{"text":"2"}]}},{"text":"and?"}]}])";

TEST(BedrockDialect, AGuardrailStandsInTheBodyAndForClaudeInTheHead) {
  provider guarded = bedrock();
  guarded.guardrail = bedrock_guardrail{"gr12ab", "DRAFT"};
  const json asked = {{"messages", {{{"role", "user"}, {"content", "hi"}}}}, {"top_k", 5}};
  const auto form = testing::translate(read_chat, asked, write_converse).form;
  const sent_request of_nova = send(json::parse(form.json), converse, "us.amazon.nova-lite-v1:0", answer_shape::streamed, {}, guarded);
  EXPECT_EQ(of_nova.body.at("guardrailConfig"), json::parse(R"({"guardrailIdentifier":"gr12ab","guardrailVersion":"DRAFT"})"));
  EXPECT_EQ(of_nova.field("x-amzn-bedrock-guardrailidentifier"), "");
  EXPECT_EQ(of_nova.body.at("additionalModelRequestFields"), json::parse(R"({"inferenceConfig":{"topK":5}})"));
  const json message = {{"model", "m"}, {"max_tokens", 9}, {"messages", asked.at("messages")}};
  const sent_request of_claude = send(message, messages, claude, answer_shape::streamed, {}, guarded);
  EXPECT_FALSE(of_claude.body.contains("guardrailConfig"));
  EXPECT_EQ(of_claude.field("x-amzn-bedrock-guardrailidentifier"), "gr12ab");
  EXPECT_EQ(of_claude.field("x-amzn-bedrock-guardrailversion"), "DRAFT");
}

struct marked_request {
  json body;
  bool has_dropped = false;  // cache_control
};
marked_request marked(const json& asked, std::string_view model) {
  const auto form = testing::translate(read_messages, asked, write_converse).form;
  const sent_request sent = send(json::parse(form.json), converse, model);
  const bool in_form = std::find(form.dropped.begin(), form.dropped.end(), "cache_control") != form.dropped.end();
  return {sent.body, in_form || sent.has_dropped("cache_control")};
}

TEST(BedrockDialect, WhatIsToBeCachedIsMarkedWhereTheModelTakesMarks) {
  const json asked = json::parse(R"({"model":"m","max_tokens":9,
    "system":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}],
    "messages":[
      {"role":"user","content":[{"type":"text","text":"c","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"d"}]},
      {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},
      {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"r","cache_control":{"type":"ephemeral"}}],
         "cache_control":{"type":"ephemeral"}},
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"},"cache_control":{"type":"ephemeral"}}]}],
    "tools":[{"name":"f","input_schema":{"type":"object"}}]})");
  const json mark = json::parse(R"({"cachePoint":{"type":"default"}})");
  const marked_request nova = marked(asked, "us.amazon.nova-pro-v1:0");
  EXPECT_FALSE(nova.has_dropped);
  EXPECT_EQ(nova.body.at("system"), json({{{"text", "a"}}, {{"text", "b"}}, mark}));
  EXPECT_EQ(nova.body.at("messages")[0].at("content"), json({{{"text", "c"}}, mark, {{"text", "d"}}}));
  const json last = nova.body.at("messages")[2].at("content");
  ASSERT_EQ(last.size(), 4u) << last;
  EXPECT_TRUE(last[0].contains("toolResult"));
  EXPECT_EQ(last[0].size(), 1u);
  EXPECT_EQ(last[1], mark) << "of a result and its part, one";
  EXPECT_TRUE(last[2].contains("image"));
  EXPECT_EQ(last[2].size(), 1u);
  EXPECT_EQ(last[3], mark);
  const marked_request llama = marked(asked, "us.meta.llama4-maverick-17b-instruct-v1:0");
  EXPECT_TRUE(llama.has_dropped);
  EXPECT_EQ(llama.body.dump().find("cachePoint"), std::string::npos) << llama.body;
  EXPECT_EQ(llama.body.at("system").size(), 2u);
}

TEST(BedrockDialect, NoMoreMarksThanARequestMayHave) {
  json asked = json::parse(R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":[]}]})");
  for (int at = 0; at < 5; ++at)
    asked["messages"][0]["content"].push_back({{"type", "text"}, {"text", "x"}, {"cache_control", {{"type", "ephemeral"}}}});
  const marked_request sent = marked(asked, "amazon.nova-lite-v1:0");
  EXPECT_TRUE(sent.has_dropped);
  EXPECT_EQ(sent.body.at("messages")[0].at("content").size(), 9u);
  asked["messages"][0]["content"].erase(0);
  EXPECT_FALSE(marked(asked, "amazon.nova-lite-v1:0").has_dropped);
}

TEST(BedrockDialect, ResultsStandAloneWhereAModelWantsThemSo) {
  const json made =
      send({{"messages", json::parse(calls_and_results)}}, converse, "meta.llama4-maverick-17b-instruct-v1:0").body.at("messages");
  ASSERT_EQ(made.size(), 5u);
  EXPECT_EQ(made[2].at("content").size(), 2u);
  EXPECT_EQ(made[3], json::parse(R"({"role":"assistant","content":[{"text":"."}]})"));
  EXPECT_EQ(made[4], json::parse(R"({"role":"user","content":[{"text":"and?"}]})"));
  EXPECT_EQ(send({{"messages", json::parse(calls_and_results)}}, converse, "amazon.nova-lite-v1:0").body.at("messages").size(), 3u);
}

TEST(BedrockDialect, MistralsIdsAreShortAndTheSameForCallAndResult) {
  const json made =
      send({{"messages", json::parse(calls_and_results)}}, converse, "us.mistral.pixtral-large-2502-v1:0").body.at("messages");
  std::set<std::string> ids;
  for (std::size_t each : {0u, 1u}) {
    const std::string id = made[1].at("content")[each].at("toolUse").at("toolUseId");
    EXPECT_EQ(id.size(), 9u);
    EXPECT_EQ(made[2].at("content")[each].at("toolResult").at("toolUseId"), id);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 2u);
}

TEST(BedrockDialect, WriterGetsNoStatus) {
  EXPECT_FALSE(send({{"messages", json::parse(calls_and_results)}}, converse, "writer.palmyra-x5-v1:0")
                   .body.at("messages")[2]
                   .at("content")[0]
                   .at("toolResult")
                   .contains("status"));
}

TEST(BedrockDialect, WhatAModelCannotDoTakesItOut) {
  const auto refused = [](const char* body, const char* model) {
    return bedrock_dialect().unsupported_by_model(client_body(body), converse, model, bedrock());
  };
  const char* const forced = R"({"toolConfig":{"tools":[],"toolChoice":{"any":{}}}})";
  EXPECT_EQ(refused(forced, "meta.llama3-3-70b-instruct-v1:0"), "tool_choice");
  EXPECT_EQ(refused(forced, "amazon.nova-lite-v1:0"), std::nullopt);
  EXPECT_EQ(refused(R"({"toolConfig":{"tools":[],"toolChoice":{"auto":{}}}})", "meta.llama3-3-70b-instruct-v1:0"), std::nullopt);
  const char* const schema = R"({"outputConfig":{"textFormat":{}}})";
  EXPECT_EQ(refused(schema, "amazon.nova-lite-v1:0"), "response_format");
  EXPECT_EQ(refused(schema, "zai.glm-4.7-flash"), std::nullopt);
  EXPECT_EQ(refused(schema, "some.new-model"), std::nullopt);
  const char* const media =
      R"({"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"image":{"source":{"bytes":"AAAA"}}}]}}]}]})";
  EXPECT_EQ(refused(media, "moonshotai.kimi-k2.5"), "content.tool_result");
  EXPECT_EQ(refused(media, "amazon.nova-lite-v1:0"), std::nullopt);
}

TEST(BedrockDialect, ReasoningThatWasRefusedIsLeftOutAndNoTurnIsEmpty) {
  const json asked = json::parse(R"({"messages":[{"role":"user","content":[{"text":"q"}]},
    {"role":"assistant","content":[{"reasoningContent":{"redactedContent":"x"}},{"toolUse":{"toolUseId":"a","name":"f","input":{}}},
                                   {"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}}]},
    {"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}]}}]},
    {"role":"assistant","content":[{"reasoningContent":{"redactedContent":"y"}}]},{"role":"user","content":[{"text":"go on"}]}]})");
  const auto sent = [&asked](reasoning_items reasoning) {
    const secret key("k");
    const provider target = bedrock();
    sent_request made{bedrock_dialect().prepare({std::make_shared<const client_body>(asked.dump()), converse, target, "amazon.nova-lite-v1:0", key, {},
                                                 answer_shape::streamed, {}, reasoning}), {}};
    std::string text;
    for (const std::string_view piece : made.prepared.body.pieces()) text += piece;
    made.body = json::parse(text);
    return made;
  };
  const sent_request kept = sent(reasoning_items::kept), without = sent(reasoning_items::left_out);
  EXPECT_EQ(kept.body.at("messages"), asked.at("messages"));
  EXPECT_EQ(kept.prepared.reasoning_left_out, 0u);
  EXPECT_EQ(without.prepared.reasoning_left_out, 3u);
  EXPECT_TRUE(without.has_dropped("reasoning"));
  EXPECT_EQ(without.body.at("messages")[1].at("content"), json::parse(R"([{"toolUse":{"toolUseId":"a","name":"f","input":{}}}])"));
  EXPECT_EQ(without.body.at("messages")[3].at("content"), json::parse(R"([{"text":"No answer."}])"));
}

TEST(BedrockDialect, ReasoningThatIsKnownToBeAnotherTargetsIsLeftOut) {
  const json asked = json::parse(R"({"messages":[{"role":"user","content":[{"text":"q"}]},
    {"role":"assistant","content":[{"reasoningContent":{"redactedContent":"x"}},{"reasoningContent":{"reasoningText":{"text":"t","signature":"own"}}},
                                   {"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"reasoningContent":{"reasoningText":{"text":"t"}}},
                                   {"text":"a"}]},{"role":"user","content":[{"text":"go on"}]}]})");
  photofinish::testing::known_reasoning known({"x", "s"});
  const secret key("k");
  const provider target = bedrock();
  attempt_request wanted{std::make_shared<const client_body>(asked.dump()), converse, target, "amazon.nova-lite-v1:0", key, {}};
  wanted.foreign = &known;
  prepared_request request = bedrock_dialect().prepare(wanted);
  std::string text;
  for (const std::string_view piece : request.body.pieces()) text += piece;
  EXPECT_EQ(json::parse(text).at("messages")[1].at("content"), json::parse(R"([
      {"reasoningContent":{"reasoningText":{"text":"t","signature":"own"}}},{"reasoningContent":{"reasoningText":{"text":"t"}}},{"text":"a"}])"));
  EXPECT_EQ(request.dropped, std::vector<std::string>{"reasoning"});
  EXPECT_EQ(request.reasoning_left_out, 2u);
}

// At Bedrock, Claude accepts the Messages API through InvokeModel and at the mantle endpoint.
TEST(BedrockDialect, SoIsClaudesThinking) {
  const std::string body = R"({"max_tokens":5,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[
    {"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"}]},{"role":"user","content":"and?"}]})";
  provider mantle = bedrock();
  mantle.url.host = "bedrock-mantle.us-east-1.api.aws";
  const secret key("k");
  for (const provider& target : {bedrock(), mantle}) {
    photofinish::testing::known_reasoning known({"s"});
    attempt_request wanted{std::make_shared<const client_body>(body), messages, target, claude, key, {}};
    wanted.foreign = &known;
    EXPECT_EQ(bedrock_dialect().prepare(wanted).reasoning_left_out, 1u) << target.url.host;
  }
}

TEST(BedrockDialect, RefusedParametersAreThoseOfConverse) {
  provider target = bedrock();
  target.behaves.reject_params = {"stopSequences"};
  EXPECT_EQ(bedrock_dialect().unsupported(client_body(R"({"inferenceConfig":{"stopSequences":["a"]}})"), converse, target),
            "stopSequences");
  EXPECT_EQ(bedrock_dialect().unsupported(client_body(R"({"inferenceConfig":{}})"), converse, target), std::nullopt);
}

TEST(BedrockDialect, ItsStreamsAreThoseOfTheFormat) {
  const response_head frames{200, {{"content-type", "application/vnd.amazon.eventstream"}}};
  for (const wire_format each : {messages, converse})
    EXPECT_EQ(bedrock_dialect().open_stream({.format = each})->on_head(frames), answer_kind::frames);
}

}  // namespace
}  // namespace photofinish::proxy
