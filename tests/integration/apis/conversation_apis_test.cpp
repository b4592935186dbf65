// Tests the answers, races and errors of the gateway end to end. The clients use OpenAI's Responses API or Anthropic's Messages API, and
// the providers use the chat API.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {
namespace {

std::string chunk(const std::string& delta, const std::string& finish = "null") {
  return R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":)" + delta +
         R"(,"finish_reason":)" + finish + "}]}";
}

constexpr const char* usage_chunk =
    R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":20,"total_tokens":29}})";

// The provider sends reasoning and text, and calls two tools whose arguments arrive interleaved.
void call_tools(provider_call& call) {
  call.stream_head();
  call.event(chunk(R"({"role":"assistant","content":""})"));
  call.event(chunk(R"({"reasoning_content":"hm"})"));
  call.event(chunk(R"({"content":"Looking"})"));
  call.event(chunk(R"({"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"f","arguments":""}},)"
                   R"({"index":1,"id":"call_b","type":"function","function":{"name":"g","arguments":""}}]})"));
  call.event(chunk(R"({"tool_calls":[{"index":1,"function":{"arguments":"{\"y\":"}}]})"));
  call.event(chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":1}"}}]})"));
  call.event(chunk(R"({"tool_calls":[{"index":1,"function":{"arguments":"2}"}}]})"));
  call.event(chunk("{}", R"("tool_calls")"));
  call.event(usage_chunk);
  call.end();
}

class conversation_apis_test : public conversation_fixture {
 protected:
  conversation_apis_test() {
    add("silent", silent_);
    add("speaker", speaker_);
    add("broken", broken_);
    add("cut", cut_);
    add("picky", speaker_).behaves.reject_params = {"response_format"};
    add_route("race", {"silent/m", "speaker/big"});
    add_route("failover", {"broken/m", "speaker/big"}, racing::race_policy::fallback);
    add_route("broken", {"broken/m"});
    add_route("cut", {"cut/m"});
    add_route("picky", {"picky/m", "speaker/big"});
  }

  static json last(const std::string& type, const http_response& got) {
    json found;
    for (const read_event& each : read_named_events(got.body))
      if (each.type == type) found = each.data;
    return found;
  }

  scripted_provider silent_{[](provider_call& call) { call.hang(); }};
  scripted_provider speaker_{call_tools};
  scripted_provider broken_{[](provider_call& call) { call.answer(500, R"({"error":{"message":"down"}})"); }};
  scripted_provider cut_{[](provider_call& call) {
    call.stream_head();
    call.event(chunk(R"({"content":"Hel"})"));
    call.close();
  }};
};

TEST_F(conversation_apis_test, AResponsesClientGetsAStreamFromARaceOfChatProviders) {
  const http_response got = respond({{"model", "race"}, {"stream", true}, {"instructions", "Be brief"}, {"input", "hi"}, {"max_output_tokens", 50}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "speaker/big");
  EXPECT_EQ(got.field_or("content-type", ""), "text/event-stream");
  EXPECT_TRUE(got.is_complete);
  const strict_accumulator read(read_named_events(got.body));
  EXPECT_EQ(read.fault, "") << got.body;
  const json output = read.response.at("output");
  ASSERT_EQ(output.size(), 4u);
  EXPECT_EQ(output[0].at("summary")[0].at("text"), "hm");
  EXPECT_EQ(output[1].at("content")[0].at("text"), "Looking");
  EXPECT_EQ(output[2].at("arguments"), R"({"x":1})");
  EXPECT_EQ(output[3].at("arguments"), R"({"y":2})");
  EXPECT_EQ(read.response.at("usage").at("output_tokens"), 20);
  EXPECT_EQ(read.response.at("instructions"), "Be brief");
  const json asked = json::parse(speaker_.request().body);
  EXPECT_EQ(asked, json::parse(R"({"model":"big","stream":true,"stream_options":{"include_usage":true},"max_tokens":50,
      "messages":[{"role":"system","content":"Be brief"},{"role":"user","content":"hi"}]})"));
}

TEST_F(conversation_apis_test, AByteOrderMarkBeforeTheBodyIsPassedOver) {
  const json asked = {{"model", "race"}, {"messages", {{{"role", "user"}, {"content", "hi"}}}}};
  start();
  const http_response got = post("\xEF\xBB\xBF" + asked.dump());
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(speaker_.request().body).at("messages"), asked.at("messages"));
}

// The gateway counts the tokens of short texts on the worker's own thread, and the tokens of long texts on another thread.
TEST_F(conversation_apis_test, TokensAreCountedWithoutAProvider) {
  for (const std::size_t words : {10u, 20'000u}) {
    std::string text;
    for (std::size_t at = 0; at < words; ++at) text += " word";
    const json asked = {{"model", "race"}, {"messages", {{{"role", "user"}, {"content", text}}}}};
    const http_response got = call("/v1/messages/count_tokens?beta=true", asked);
    ASSERT_EQ(got.status, 200) << got.body;
    const auto tokens = json::parse(got.body).at("input_tokens").get<std::size_t>();
    EXPECT_GE(tokens, words);
    EXPECT_LE(tokens, words + 20);
    EXPECT_EQ(got.field_or("x-token-count", ""), "estimate;tokenizer=o200k_base");
    EXPECT_FALSE(got.field("x-race-attempts").has_value());
  }
  EXPECT_EQ(speaker_.requests().size() + silent_.requests().size(), 0u);
  expect_metric(2, "photofinish_requests_total", {R"(endpoint="count_tokens")", R"(outcome="ok")"});
  for (const json& wrong : {json{{"model", "nothing"}, {"messages", {{{"role", "user"}, {"content", "x"}}}}},
                            json{{"model", "race"}, {"messages", 7}}}) {
    const http_response got = call("/v1/messages/count_tokens", wrong);
    EXPECT_EQ(json::parse(got.body).at("type"), "error") << got.body;
    EXPECT_EQ(got.status, wrong.at("model") == "race" ? 400 : 404);
  }
}

TEST_F(conversation_apis_test, AThreadAtTheProviderIsRefusedInTheSdksWords) {
  for (const char* thread : {R"({"type":"create"})", R"({"type":"continue","previous_message_id":"msg_1"})"}) {
    const http_response got = message({{"model", "race"}, {"thread", json::parse(thread)}});
    EXPECT_EQ(got.status, 400) << got.body;
    EXPECT_EQ(json::parse(got.body).at("error").at("details").at("error_code"), "thread_unsupported_request") << got.body;
  }
  EXPECT_EQ(message({{"model", "race"}, {"thread", nullptr}}).status, 200);
}

TEST_F(conversation_apis_test, AResponsesClientGetsAWholeResponse) {
  const http_response got = respond({{"model", "race"}, {"input", "hi"}});
  ASSERT_EQ(got.status, 200) << got.body;
  const json response = json::parse(got.body);
  EXPECT_EQ(response.at("status"), "completed");
  EXPECT_EQ(response.at("output").size(), 4u);
  EXPECT_EQ(response.at("store"), false);
  EXPECT_FALSE(got.field("request-id"));
}

TEST_F(conversation_apis_test, AMessagesClientGetsAStreamFromARaceOfChatProviders) {
  const http_response got = message({{"model", "race"}, {"stream", true}, {"system", "Be brief"}});
  ASSERT_EQ(got.status, 200) << got.body;
  std::vector<std::string> kinds;
  for (const read_event& each : read_named_events(got.body))
    if (each.type == "content_block_start") kinds.push_back(each.data.at("content_block").at("type"));
  EXPECT_EQ(kinds, (std::vector<std::string>{"thinking", "text", "tool_use", "tool_use"}));
  EXPECT_EQ(last("message_delta", got).at("delta").at("stop_reason"), "tool_use");
  EXPECT_EQ(last("message_delta", got).at("usage").at("output_tokens"), 20);
  EXPECT_EQ(got.field_or("request-id", "none"), got.field_or("x-request-id", ""));
  EXPECT_TRUE(got.body.ends_with("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
}

TEST_F(conversation_apis_test, AMessagesClientGetsAWholeMessage) {
  const http_response got = message({{"model", "race"}});
  ASSERT_EQ(got.status, 200) << got.body;
  const json content = json::parse(got.body).at("content");
  ASSERT_EQ(content.size(), 4u);
  EXPECT_EQ(content[3], json::parse(R"({"type":"tool_use","id":"call_b","name":"g","input":{"y":2}})"));
}

TEST_F(conversation_apis_test, AnotherTargetAnswersWhereTheFirstFails) {
  EXPECT_EQ(respond({{"model", "failover"}, {"input", "hi"}}).field_or("x-race-winner", ""), "speaker/big");
  EXPECT_EQ(message({{"model", "failover"}}).field_or("x-race-attempts", ""), "2");
}

TEST_F(conversation_apis_test, WhatChatCannotSayIsNamedForEachTarget) {
  const http_response got = respond({{"model", "race"}, {"input", "hi"}, {"prompt_cache_key", "k"}}, "x-race-policy: all\r\n");
  EXPECT_NE(got.field_or("x-race-dropped", "").find("speaker/big;param=prompt_cache_key"), std::string::npos) << got.head;
}

TEST_F(conversation_apis_test, ATargetThatCannotHonourATranslatedParameterIsPassedOver) {
  const json format{{"type", "json_schema"}, {"name", "n"}, {"schema", {{"type", "object"}}}};
  const http_response got = respond({{"model", "picky"}, {"input", "hi"}, {"text", {{"format", format}}}});
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "picky/m;reason=unsupported:response_format");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "speaker/big");
}

TEST_F(conversation_apis_test, WhatNoTargetCanDoIsRefusedByName) {
  const http_response state = respond({{"model", "race"}, {"input", "hi"}, {"previous_response_id", "resp_1"}});
  EXPECT_EQ(state.status, 400);
  EXPECT_EQ(state.error("param"), "previous_response_id");
  EXPECT_EQ(state.error("code"), "unsupported_parameter");
  const http_response hosted = message({{"model", "race"}, {"tools", {{{"type", "web_search_20250305"}, {"name", "web_search"}}}}});
  EXPECT_EQ(hosted.status, 400);
  EXPECT_NE(hosted.body.find("tools.web_search_20250305"), std::string::npos) << hosted.body;
}

TEST_F(conversation_apis_test, ABadRequestIsWordedByTheApiThatWasCalled) {
  const http_response response = respond({{"model", "race"}, {"input", json::array({{{"type", "item_reference"}, {"id", "msg_1"}}})}});
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.error("param"), "input[0].id");
  const http_response refused = message({{"model", "race"}, {"messages", json::array()}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(json::parse(refused.body).at("type"), "error");
  EXPECT_EQ(json::parse(refused.body).at("error").at("type"), "invalid_request_error");
}

TEST_F(conversation_apis_test, AFailureBeforeTheFirstTokenHasItsStatus) {
  for (const bool is_streamed : {false, true}) {
    const http_response response = respond({{"model", "broken"}, {"input", "hi"}, {"stream", is_streamed}});
    EXPECT_EQ(response.status, 502);
    EXPECT_EQ(response.error("type"), "upstream_error");
    const http_response refused = message({{"model", "broken"}, {"stream", is_streamed}});
    EXPECT_EQ(refused.status, 502);
    EXPECT_EQ(json::parse(refused.body).at("error").at("type"), "api_error");
  }
}

TEST_F(conversation_apis_test, AStreamThatBreaksEndsInItsApisWay) {
  const http_response response = respond({{"model", "cut"}, {"input", "hi"}, {"stream", true}});
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.is_complete);
  EXPECT_EQ(strict_accumulator(read_named_events(response.body)).fault, "") << response.body;
  EXPECT_EQ(last("response.failed", response).at("response").at("status"), "failed");
  const http_response broken = message({{"model", "cut"}, {"stream", true}});
  EXPECT_EQ(last("error", broken).at("error").at("type"), "api_error") << broken.body;
}

TEST_F(conversation_apis_test, AnAccessKeyMayComeInXApiKey) {
  settings.access.keys.push_back({.name = "team", .key = proxy::secret("sk-team-0123456789abcdef")});
  EXPECT_EQ(message({{"model", "race"}}, "x-api-key: sk-team-0123456789abcdef\r\n").status, 200);
  const http_response refused = message({{"model", "race"}}, "x-api-key: sk-other-0123456789abcde\r\n");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(json::parse(refused.body).at("error").at("type"), "authentication_error");
}

TEST_F(conversation_apis_test, TheSameAnswerCountsTheSameOverEachApi) {
  ASSERT_EQ(respond({{"model", "race"}, {"input", "hi"}}).status, 200);
  expect_metric(20, "photofinish_output_tokens_total", {R"(provider="speaker")", R"(source="usage")"});
  ASSERT_EQ(message({{"model", "race"}, {"stream", true}}).status, 200);
  expect_metric(40, "photofinish_output_tokens_total", {R"(provider="speaker")", R"(source="usage")"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="responses")", R"(outcome="ok")"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="messages")", R"(outcome="ok")"});
}

}  // namespace
}  // namespace photofinish::testing
