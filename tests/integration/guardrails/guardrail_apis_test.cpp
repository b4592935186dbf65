// Tests guardrails with each API: which texts of a request the guardrail gets, the format of a refusal, and the places in which the
// guardrail's masks replace text.
#include "tests/integration/guardrails/guardrail_fixture.hpp"

namespace photofinish::testing {
namespace {

using gateway::guardrail_mode;
using nlohmann::json;
using proxy::served_api;

class guardrail_apis_test : public guardrail_fixture {
 protected:
  guardrail_apis_test() {
    settings.providers["a"].apis = {served_api::chat, served_api::embeddings, served_api::completions, served_api::rerank,
                                    served_api::moderations};
  }

  http_response ask(const std::string& path, const std::string& body) {
    test_client client = connect();
    client.post(body, "anthropic-version: 2023-06-01\r\n", path);
    return client.read();
  }
  void mask_all() {
    pii().mode = guardrail_mode::before;
    judge_by([](provider_call& call) { call.answer(200, masks(call.request().body, "4111")); });
  }
  // Returns the last request that the provider received.
  json sent() { return json::parse(provider.requests().back().body); }
};

struct api_case {
  const char* path;
  const char* body;
  const char* shown;
  const char* error;  // a text that the error response must contain
};

const api_case cases[] = {
    {"/v1/chat/completions", R"({"model":"fast","messages":[{"role":"user","content":"my card is 4111"}])",
     R"([{"role":"user","content":"my card is 4111"}])", R"("code":"content_blocked")"},
    {"/v1/responses", R"({"model":"fast","instructions":"sys","input":"my card is 4111")",
     R"([{"role":"system","content":"sys"},{"role":"user","content":"my card is 4111"}])", R"("code":"content_blocked")"},
    {"/v1/messages", R"({"model":"fast","max_tokens":9,"system":"sys","messages":[{"role":"user","content":"my card is 4111"}])",
     R"([{"role":"system","content":"sys"},{"role":"user","content":"my card is 4111"}])",
     R"({"type":"error","error":{"type":"permission_error")"},
    {"/v1/completions", R"({"model":"fast","prompt":"my card is 4111")", R"([{"role":"user","content":"my card is 4111"}])",
     R"("code":"content_blocked")"},
};

TEST_F(guardrail_apis_test, EachApisRefusalIsItsOwnStreamedOrWhole) {
  judge_with(rejects);
  start();
  for (const api_case& each : cases)
    for (const char* form : {R"(,"stream":true})", "}"}) {
      const std::size_t number = asked();
      const http_response got = ask(each.path, std::string(each.body) + form);
      EXPECT_EQ(got.status, 403) << each.path;
      EXPECT_NE(got.body.find(each.error), std::string::npos) << got.body;
      EXPECT_NE(got.body.find("a card number"), std::string::npos) << got.body;
      EXPECT_EQ(json::parse(service.request(number).body).at("body").at("messages"), json::parse(each.shown)) << each.path;
    }
}

TEST_F(guardrail_apis_test, EachApisMaskReachesTheProvider) {
  mask_all();
  start();
  for (const api_case& each : cases)
    for (const char* form : {R"(,"stream":true})", "}"}) {
      const std::size_t number = raced();
      const http_response got = ask(each.path, std::string(each.body) + form);
      ASSERT_EQ(raced(), number + 1) << each.path << got.body;
      EXPECT_EQ(provider.request(number).body.find("4111"), std::string::npos) << provider.request(number).body;
      EXPECT_NE(provider.request(number).body.find("my card is ***"), std::string::npos) << provider.request(number).body;
    }
  expect_verdicts(8, "mask");
}

TEST_F(guardrail_apis_test, InputsAreMaskedOneByOne) {
  mask_all();
  start();
  ask("/v1/embeddings", R"({"model":"fast","input":["a 4111","b"],"dimensions":3})");
  EXPECT_EQ(sent().at("input"), json({"a ***", "b"}));
  EXPECT_EQ(sent().at("dimensions"), 3);
  ask("/v1/rerank", R"({"model":"fast","query":"4111","documents":["a",{"text":"is 4111"}]})");
  EXPECT_EQ(sent().at("query"), "***");
  EXPECT_EQ(sent().at("documents"), json::parse(R"(["a",{"text":"is ***"}])"));
  ask("/v1/moderations", R"({"model":"fast","input":[{"type":"text","text":"4111"}]})");
  EXPECT_EQ(sent().at("input"), json::parse(R"([{"type":"text","text":"***"}])"));
}

TEST_F(guardrail_apis_test, ToolsAndTheirResultsAreMasked) {
  mask_all();
  start();
  ask("/v1/chat/completions", R"({"model":"fast","messages":[{"role":"user","content":[{"type":"text","text":"4111"}]},
    {"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"card\":\"4111\"}"}}]},
    {"role":"tool","tool_call_id":"c","content":"it is 4111"}],
    "tools":[{"type":"function","function":{"name":"f","description":"asks for 4111","parameters":{"type":"object"}}}]})");
  EXPECT_EQ(provider.request(0).body.find("4111"), std::string::npos) << provider.request(0).body;
  EXPECT_EQ(sent().at("messages")[1].at("tool_calls")[0].at("function").at("arguments"), R"({"card":"***"})");
}

// The mask is applied to the request in the format of the client's API, although the target has another API.
TEST_F(guardrail_apis_test, AMaskIsInTheTranslation) {
  mask_all();
  start();
  ask("/v1/messages", R"({"model":"fast","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"4111"}]},
    {"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"card":4111}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"4111"}]}]})");
  // The mask would replace a number with text, which would make the JSON invalid. Therefore the request is not sent.
  EXPECT_EQ(raced(), 0u);
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_error")"});
  ask("/v1/messages", R"({"model":"fast","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"4111"}]},
    {"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"card":"4111"}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"4111"}]}]})");
  ASSERT_EQ(raced(), 1u);
  EXPECT_EQ(provider.request(0).body.find("4111"), std::string::npos) << provider.request(0).body;
}

TEST_F(guardrail_apis_test, WhatCannotBeMaskedIsNotSent) {
  pii().mode = guardrail_mode::before;
  judge_by([](provider_call& call) { call.answer(200, masks(call.request().body, "an image")); });
  start();
  const http_response got = ask("/v1/chat/completions", R"({"model":"fast","messages":[{"role":"user","content":[
    {"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]})");
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("code"), "content_blocked");
  EXPECT_EQ(raced(), 0u);
}

TEST_F(guardrail_apis_test, AMaskOfAnotherNumberOfMessagesIsNotSent) {
  pii().mode = guardrail_mode::before;
  judge_with(R"({"action":{"body":{"messages":[]}}})");
  start();
  EXPECT_EQ(post(streamed("fast")).error("code"), "content_blocked");
  EXPECT_EQ(raced(), 0u);
}

TEST_F(guardrail_apis_test, TwoMasksOfOneTextBothHold) {
  mask_all();
  scripted_provider second([](provider_call& call) { call.answer(200, masks(call.request().body, "me@x")); });
  guard("second", second).mode = guardrail_mode::before;
  start();
  EXPECT_EQ(ask("/v1/chat/completions", R"({"model":"fast","stream":true,"messages":[{"role":"user","content":"4111 of me@x"},
    {"role":"user","content":"4111"}]})").status, 200);
  EXPECT_EQ(sent().at("messages")[0].at("content"), "*** of ***");
  EXPECT_EQ(sent().at("messages")[1].at("content"), "***");
  EXPECT_EQ(second.requests().size(), 2u) << "asked once more, with the first one's mask";
}

TEST_F(guardrail_apis_test, AGiantIsJudgedAndMasked) {
  mask_all();
  start();
  const std::string giant = std::string(3u << 20, 'x') + " 4111";
  const http_response got =
      ask("/v1/chat/completions", R"({"model":"fast","stream":true,"messages":[{"role":"user","content":")" + giant + R"("}]})");
  EXPECT_EQ(got.text(), "onetwo");
  EXPECT_TRUE(sent().at("messages")[0].at("content").get<std::string>().ends_with("x ***"));
}

}  // namespace
}  // namespace photofinish::testing
