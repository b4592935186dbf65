// Tests clients of each conversation API with a target on Amazon Bedrock. The target runs alone and in races. The scripted provider refuses
// the requests that Bedrock would refuse, and checks each signature.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/strict_bedrock.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <nlohmann/json.hpp>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish {
namespace {

using gateway::testing::json;
using gateway::testing::read_event;
using gateway::testing::read_named_events;
using gateway::testing::strict_accumulator;
using testing::http_response;
using testing::provider_call;
using testing::scripted_provider;
using testing::strict_bedrock;

constexpr const char* credentials = "ASIAEXAMPLE:wJalrXUtnFEMI/K7MDENG:SessionTokenOfIt==";
constexpr const char* nova = "us.amazon.nova-lite-v1:0";
constexpr const char* claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

class bedrock_provider_test : public testing::gateway_fixture {
 protected:
  bedrock_provider_test() {
    add_bedrock("bedrock", bedrock_, credentials);
    add_bedrock("keyed", keyed_, "ABSKexample0123456789");
    add_bedrock("busy", busy_, credentials);
    add_bedrock("torn", torn_, credentials);
    add_bedrock("plain", plain_, credentials).behaves.stream = proxy::upstream_stream::never;
    add("chat", chat_);
    add_route("nova", {"bedrock/us.amazon.nova-lite-v1:0"});
    add_route("llama", {"bedrock/meta.llama4-maverick-17b-instruct-v1:0"});
    add_route("mistral", {"bedrock/mistral.mistral-large-3"});
    add_route("claude", {"bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"});
    add_route("keyed", {"keyed/us.amazon.nova-lite-v1:0"});
    add_route("plain", {"plain/us.amazon.nova-lite-v1:0"});
    add_route("torn", {"torn/us.amazon.nova-lite-v1:0"});
    add_route("failover", {"busy/us.amazon.nova-lite-v1:0", "chat/m"}, racing::race_policy::fallback);
    add_route("mixed", {"bedrock/us.amazon.nova-lite-v1:0", "chat/m"}, racing::race_policy::fallback);
  }

  proxy::provider& add_bedrock(const std::string& name, const scripted_provider& at, const char* key) {
    proxy::provider& target = add(name, at);
    target.dialect = "bedrock";
    target.key.auth = proxy::auth_style::aws;
    target.key.aws_region = "us-east-1";
    target.key.value = proxy::secret(key);
    target.url.path.clear();
    return target;
  }

  http_response call(std::string_view path, const json& request, std::string_view fields = "") {
    if (!gateway) start();
    testing::test_client client = connect();
    client.post(request.dump(), fields, path);
    return client.read();
  }
  http_response chat(const json& request) { return call("/v1/chat/completions", request); }
  static json hi() { return {{{"role", "user"}, {"content", "hi"}}}; }
  static json tools() { return {{{"type", "function"}, {"function", {{"name", "f"}, {"parameters", {{"type", "object"}}}}}}}; }

  void answer(provider_call& call, strict_bedrock& model) {
    const std::lock_guard guard(guard_);
    const std::string path = strict_bedrock::path_of(call.request()), id = strict_bedrock::model_in(path);
    const json body = json::parse(call.request().body);
    if (path.ends_with("/converse-stream")) {
      if (model.takes(call, model.fault_of(body, id))) model.stream_converse(call, "bedrock");
    } else if (path.ends_with("/invoke-with-response-stream")) {
      if (!model.takes(call, model.fault_of_claude(body, id, messages_))) return;
      const std::string signature = messages_.issue();
      json blocks = {{{"type", "thinking"}, {"thinking", "hm"}, {"signature", signature}}, {{"type", "text"}, {"text", "Looking"}}};
      if (body.contains("tools"))
        blocks.push_back(
            {{"type", "tool_use"}, {"id", "toolu_bdrk_" + std::to_string(++calls_)}, {"name", "f"}, {"input", {{"by", "claude"}}}});
      strict_bedrock::stream_claude(call, blocks, body.contains("tools") ? "tool_use" : "end_turn");
    } else {
      strict_bedrock::refuse(call, 404, "UnknownOperationException", path);
    }
  }

  std::mutex guard_;
  int calls_ = 0;
  strict_bedrock model_{credentials}, keyed_model_{"ABSKexample0123456789"};
  testing::strict_anthropic messages_{testing::strict_anthropic::place::bedrock};
  scripted_provider bedrock_{[this](provider_call& call) { answer(call, model_); }};
  scripted_provider keyed_{[this](provider_call& call) { answer(call, keyed_model_); }};
  scripted_provider busy_{
      [](provider_call& call) { strict_bedrock::refuse(call, 429, "ThrottlingException", "Too many tokens for SessionTokenOfIt=="); }};
  scripted_provider torn_{[](provider_call& call) {
    strict_bedrock::frames_head(call);
    strict_bedrock::frame(call, "messageStart", {{"role", "assistant"}});
    strict_bedrock::frame(call, "contentBlockDelta", {{"contentBlockIndex", 0}, {"delta", {{"text", "Hel"}}}});
    call.chunk(test::exception_frame_of("modelStreamErrorException", R"({"message":"the model broke"})"));
    call.send("0\r\n\r\n");
  }};
  scripted_provider plain_{[](provider_call& call) {
    call.answer(
        200,
        R"({"output":{"message":{"role":"assistant","content":[{"text":"Hi"}]}},"stopReason":"end_turn","usage":{"inputTokens":2,"outputTokens":3,"totalTokens":5}})");
  }};
  scripted_provider chat_{[](provider_call& call) {
    call.stream_head();
    call.event(testing::token_chunk("From chat"));
    call.event(testing::finish_chunk());
    call.end();
  }};
};

TEST_F(bedrock_provider_test, AChatClientGetsAStreamOfItsFrames) {
  const http_response got = chat({{"model", "nova"}, {"stream", true}, {"messages", hi()}, {"stream_options", {{"include_usage", true}}}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.text(), "Looking");
  EXPECT_NE(got.body.find(R"("prompt_tokens":18)"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("cached_tokens":5)"), std::string::npos) << got.body;
  EXPECT_TRUE(got.body.ends_with("data: [DONE]\n\n"));
  EXPECT_EQ(strict_bedrock::path_of(bedrock_.request()), "/model/us.amazon.nova-lite-v1%3A0/converse-stream");
  EXPECT_EQ(bedrock_.request().field("x-amz-security-token"), "SessionTokenOfIt==");
}

TEST_F(bedrock_provider_test, AnApiKeyIsABearerToken) {
  EXPECT_EQ(chat({{"model", "keyed"}, {"messages", hi()}}).status, 200);
  EXPECT_EQ(keyed_.request().field("authorization"), "Bearer ABSKexample0123456789");
}

TEST_F(bedrock_provider_test, ACallersOwnCredentialsSign) {
  const http_response own =
      call("/v1/chat/completions", {{"model", "keyed"}, {"messages", hi()}}, "x-provider-key-keyed: AKIAOTHER:othersecret\r\n");
  EXPECT_NE(own.status, 200);  // the scripted provider refuses these credentials as unknown
  EXPECT_TRUE(keyed_.request().field("authorization").starts_with("AWS4-HMAC-SHA256 Credential=AKIAOTHER/")) << keyed_.request().head;
  EXPECT_EQ(own.body.find("othersecret"), std::string::npos);
}

TEST_F(bedrock_provider_test, AnAnswerInOnePieceIsAStreamForWhoWantsOne) {
  const http_response whole = chat({{"model", "plain"}, {"messages", hi()}});
  ASSERT_EQ(whole.status, 200) << whole.body;
  EXPECT_EQ(json::parse(whole.body).at("choices")[0].at("message").at("content"), "Hi");
  EXPECT_EQ(strict_bedrock::path_of(plain_.request()), "/model/us.amazon.nova-lite-v1%3A0/converse");
  EXPECT_EQ(chat({{"model", "plain"}, {"stream", true}, {"messages", hi()}}).text(), "Hi");
}

TEST_F(bedrock_provider_test, ForAMessagesClientClaudesEventsPassAsTheyAre) {
  const json request{{"model", "claude"}, {"max_tokens", 50}, {"stream", true}, {"messages", hi()}};
  const http_response got =
      call("/v1/messages", request, "anthropic-beta: context-1m-2025-08-07,claude-code-20250219\r\nanthropic-version: 2023-06-01\r\n");
  ASSERT_EQ(got.status, 200) << got.body;
  const json sent = json::parse(bedrock_.request().body);
  EXPECT_EQ(sent, (json{{"anthropic_version", "bedrock-2023-05-31"},
                        {"anthropic_beta", {"context-1m-2025-08-07"}},
                        {"max_tokens", 50},
                        {"messages", hi()}}));
  EXPECT_EQ(bedrock_.request().field("anthropic-beta"), "");
  const std::vector<read_event> events = read_named_events(got.body);
  EXPECT_EQ(events.front().type, "message_start");
  EXPECT_EQ(events.back().type, "message_stop");
  EXPECT_NE(got.body.find(R"("cache_creation_input_tokens":3)"), std::string::npos);
}

TEST_F(bedrock_provider_test, ClaudeCodesAttributionIsLeftOut) {
  const json brief{{"type", "text"}, {"text", "Be brief."}};
  const json billing{{"type", "text"}, {"text", "x-anthropic-billing-header: cc_version=2.1; cch=36ee5;"}};
  const json request{{"model", "claude"}, {"max_tokens", 50}, {"stream", true}, {"system", {billing, brief}}, {"messages", hi()}};
  const http_response got = call("/v1/messages", request);
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(bedrock_.request().body).at("system"), json::array({brief}));
}

TEST_F(bedrock_provider_test, PromptsAreMarkedIfTheConfigurationSaysSo) {
  settings.providers.at("bedrock").behaves.prompt_cache.adds_marks = true;
  const json turns = json::parse(R"([{"role":"system","content":"Be brief."},{"role":"user","content":"a"},
    {"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"},{"role":"user","content":"e"}])");
  http_response got = chat({{"model", "nova"}, {"messages", turns}});
  ASSERT_EQ(got.status, 200) << got.body;
  const json point = json::parse(R"({"cachePoint":{"type":"default"}})");
  const json nova_body = json::parse(bedrock_.request(0).body);
  EXPECT_EQ(nova_body.at("system").back(), point);
  for (const std::size_t at : {2, 4}) EXPECT_EQ(nova_body.at("messages")[at].at("content").back(), point) << at;
  EXPECT_EQ(nova_body.at("messages")[0].at("content").size(), 1u);
  got = chat({{"model", "claude"}, {"messages", turns}});
  ASSERT_EQ(got.status, 200) << got.body;
  const json claude_body = json::parse(bedrock_.request(1).body);
  EXPECT_FALSE(claude_body.contains("cache_control"));
  EXPECT_EQ(claude_body.at("messages")[4].at("content")[0].at("cache_control"), json({{"type", "ephemeral"}}));
  got = chat({{"model", "llama"}, {"messages", turns}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(bedrock_.request(2).body.find("cachePoint"), std::string::npos);
}

TEST_F(bedrock_provider_test, AResponsesClientGetsItsItems) {
  for (const char* model : {"nova", "claude"}) {
    const http_response got =
        call("/v1/responses", {{"model", model}, {"stream", true}, {"input", "hi"}, {"include", {"reasoning.encrypted_content"}}});
    ASSERT_EQ(got.status, 200) << got.body;
    const strict_accumulator read(read_named_events(got.body));
    ASSERT_EQ(read.fault, "") << got.body;
    EXPECT_EQ(read.response.at("output").size(), 2u);
    EXPECT_EQ(read.response.at("usage").at("input_tokens"), 18);
  }
}

// The provider gets its own reasoning signatures back, and each tool result has the id of its tool call. This is true for every client API
// and every model.
TEST_F(bedrock_provider_test, AConversationWithCallsGoesOnAtEachModel) {
  for (const char* model : {"nova", "llama", "mistral", "claude"}) {
    SCOPED_TRACE(model);
    json said = hi(), turns = hi(), items = json::array({{{"role", "user"}, {"content", "hi"}}});
    for (int turn = 0; turn < 3; ++turn) {
      const http_response chatted = chat({{"model", model}, {"messages", said}, {"tools", tools()}});
      ASSERT_EQ(chatted.status, 200) << chatted.body;
      const json answer = json::parse(chatted.body).at("choices")[0].at("message");
      said.push_back(answer);
      for (const json& each : answer.at("tool_calls"))
        said.push_back({{"role", "tool"}, {"tool_call_id", each.at("id")}, {"content", "done"}});
      said.push_back({{"role", "user"}, {"content", "and?"}});

      const http_response messaged = call("/v1/messages", {{"model", model},
                                                           {"max_tokens", 50},
                                                           {"messages", turns},
                                                           {"tools", {{{"name", "f"}, {"input_schema", {{"type", "object"}}}}}}});
      ASSERT_EQ(messaged.status, 200) << messaged.body;
      const json content = json::parse(messaged.body).at("content");
      turns.push_back({{"role", "assistant"}, {"content", content}});
      json results = json::array();
      for (const json& block : content)
        if (block.at("type") == "tool_use")
          results.push_back({{"type", "tool_result"}, {"tool_use_id", block.at("id")}, {"content", "done"}});
      turns.push_back({{"role", "user"}, {"content", results}});

      const http_response responded = call(
          "/v1/responses",
          {{"model", model}, {"input", items}, {"tools", {{{"type", "function"}, {"name", "f"}, {"parameters", {{"type", "object"}}}}}}});
      ASSERT_EQ(responded.status, 200) << responded.body;
      const json output = json::parse(responded.body).at("output");
      for (const json& item : output) items.push_back(item);
      for (const json& item : output)
        if (item.at("type") == "function_call")
          items.push_back({{"type", "function_call_output"}, {"call_id", item.at("call_id")}, {"output", "done"}});
    }
    if (std::string_view(model) == "nova") {
      EXPECT_NE(bedrock_.requests().back().body.find("\"signature\":\"bdr+/"), std::string::npos) << bedrock_.requests().back().body;
    }
  }
}

TEST_F(bedrock_provider_test, AThrottledTargetFailsOverAndShowsNoSecret) {
  EXPECT_EQ(chat({{"model", "failover"}, {"messages", hi()}}).field_or("x-race-winner", ""), "chat/m");
  settings.routes.at("failover").targets.pop_back();
  gateway.reset();
  const http_response got = chat({{"model", "failover"}, {"messages", hi()}});
  EXPECT_EQ(got.status, 429);
  EXPECT_NE(got.body.find("Too many tokens for [redacted]"), std::string::npos) << got.body;
}

TEST_F(bedrock_provider_test, AnExceptionBehindTheFirstTokenEndsTheStream) {
  const http_response got = chat({{"model", "torn"}, {"stream", true}, {"messages", hi()}});
  EXPECT_EQ(got.status, 200);
  EXPECT_NE(got.body.find("the model broke"), std::string::npos) << got.body;
  EXPECT_FALSE(got.is_complete);
}

TEST_F(bedrock_provider_test, WhatItCannotDoTakesItOut) {
  const http_response got = chat({{"model", "mixed"}, {"n", 2}, {"messages", hi()}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "bedrock/us.amazon.nova-lite-v1:0;reason=unsupported:n");
  EXPECT_EQ(call("/v1/embeddings", {{"model", "nova"}, {"input", "x"}}).status, 400);
}

// Tests the scripted provider itself: it must detect each fault in a request that the real Bedrock detects.
struct fault_case {
  const char* name;
  const char* members;
  const char* fault;
  const char* model = nova;
};
class StrictBedrock : public ::testing::TestWithParam<fault_case> {};
#define CALLED \
  R"({"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]})"
#define ANSWERED CALLED R"(,{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}]}}]})"
#define TOOL R"("toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]})"
INSTANTIATE_TEST_SUITE_P(
    bedrock_provider_test, StrictBedrock,
    ::testing::Values(
        fault_case{"two_users", R"({"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"user","content":[{"text":"b"}]}]})",
                   "alternate"},
        fault_case{"assistant_first", R"({"messages":[{"role":"assistant","content":[{"text":"a"}]}]})", "start with a user"},
        fault_case{"no_content", R"({"messages":[{"role":"user","content":[]}]})", "is empty"},
        fault_case{"blank_text", R"({"messages":[{"role":"user","content":[{"text":" "}]}]})", "is blank"},
        fault_case{"calls_without_tools", R"({"messages":[)" ANSWERED "]}", "toolConfig field must be defined"},
        fault_case{"missing_result", R"({"messages":[)" CALLED R"(,{"role":"user","content":[{"text":"and?"}]}],)" TOOL "}",
                   "Expected toolResult"},
        fault_case{"result_of_nothing",
                   R"({"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}]}}]}],)" TOOL "}",
                   "exceeds"},
        fault_case{
            "arguments_as_text",
            R"({"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":"{}"}}]}]})",
            "json object"},
        fault_case{
            "long_id",
            R"({"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"f","input":{}}}]}]})",
            "failed to satisfy"},
        fault_case{"mistrals_id", R"({"messages":[)" ANSWERED "]," TOOL "}", "length of 9", "mistral.mistral-large-3"},
        fault_case{
            "unsigned_thinking",
            R"({"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"t"}}}]}]})",
            "Field required"},
        fault_case{
            "foreign_thinking",
            R"({"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"t","signature":"x"}}}]}]})",
            "Invalid signature"},
        fault_case{
            "document_name",
            R"({"messages":[{"role":"user","content":[{"text":"q"},{"document":{"format":"pdf","name":"a.pdf","source":{"bytes":"AA=="}}}]}]})",
            "alphanumeric"},
        fault_case{
            "document_twice",
            R"({"messages":[{"role":"user","content":[{"text":"q"},{"document":{"format":"pdf","name":"a","source":{"bytes":"AA=="}}},{"document":{"format":"pdf","name":"a","source":{"bytes":"AA=="}}}]}]})",
            "unique"},
        fault_case{"document_alone",
                   R"({"messages":[{"role":"user","content":[{"document":{"format":"pdf","name":"a","source":{"bytes":"AA=="}}}]}]})",
                   "text block"},
        fault_case{"tool_name", R"({"toolConfig":{"tools":[{"toolSpec":{"name":"f.g","inputSchema":{"json":{"type":"object"}}}}]}})",
                   "toolSpec.name"},
        fault_case{"empty_description",
                   R"({"toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"","inputSchema":{"json":{"type":"object"}}}}]}})",
                   "description"},
        fault_case{"schema_without_a_type", R"({"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{}}}}]}})",
                   "type must be object"},
        fault_case{"unknown_member", R"({"top_k":3})", "extraneous"},
        fault_case{"warm", R"({"inferenceConfig":{"temperature":1.5}})", "less than or equal to 1"}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(StrictBedrock, RefusesWhatTheRealOneDoes) {
  const strict_bedrock strict(credentials);
  json body = json::parse(R"({"messages":[{"role":"user","content":[{"text":"hi"}]}]})");
  EXPECT_EQ(strict.fault_of(body, GetParam().model), "");
  body.update(json::parse(GetParam().members));
  EXPECT_NE(strict.fault_of(body, GetParam().model).find(GetParam().fault), std::string::npos) << strict.fault_of(body, GetParam().model);
}

TEST(StrictBedrock, RefusesClaudesBodyWithoutItsVersionOrWithAModel) {
  const strict_bedrock strict(credentials);
  testing::strict_anthropic messages(testing::strict_anthropic::place::bedrock);
  json body = json::parse(R"({"anthropic_version":"bedrock-2023-05-31","max_tokens":5,"messages":[{"role":"user","content":"hi"}]})");
  EXPECT_EQ(strict.fault_of_claude(body, claude, messages), "");
  json wrong = body;
  wrong["model"] = claude;
  EXPECT_NE(strict.fault_of_claude(wrong, claude, messages).find("[model]"), std::string::npos);
  wrong = body;
  wrong["anthropic_beta"] = {"claude-code-20250219"};
  EXPECT_EQ(strict.fault_of_claude(wrong, claude, messages), "invalid beta flag");
  body.erase("anthropic_version");
  EXPECT_NE(strict.fault_of_claude(body, claude, messages).find("anthropic_version"), std::string::npos);
}

TEST(StrictBedrock, RefusesASignatureOfAnotherKeyBodyOrPath) {
  const auto signed_by = [](const char* key, const char* path, const char* body) {
    proxy::request_head head{.path = "/model/m%3A0/converse", .host = "h", .fields = {{"content-type", "application/json"}}};
    proxy::sha256 hash;
    hash.add("{}");
    proxy::sign_request(head, hash.hex(), *proxy::read_aws_credentials(proxy::secret(key)), {"us-east-1", "bedrock"},
                        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
    testing::received_request request;
    request.head = std::string("POST ") + path + " HTTP/1.1\r\nhost: h";
    for (const auto& [name, value] : head.fields) request.head += "\r\n" + name + ": " + value;
    request.body = body;
    return strict_bedrock(credentials).fault_of_signature(request);
  };
  EXPECT_EQ(signed_by(credentials, "/model/m%3A0/converse", "{}"), "");
  EXPECT_NE(signed_by("ASIAEXAMPLE:other:SessionTokenOfIt==", "/model/m%3A0/converse", "{}"), "");
  EXPECT_NE(signed_by(credentials, "/model/m:0/converse", "{}"), "");
  EXPECT_NE(signed_by(credentials, "/model/m%3A0/converse", "{ }"), "");
}

}  // namespace
}  // namespace photofinish
