// Tests races between chat providers and providers with Anthropic's Messages API, for clients of each API. The providers validate requests
// as strictly as Anthropic: they answer an invalid request with 400, and the test fails.
#include "tests/integration/apis/conversation_fixture.hpp"
#include "tests/support/gateway/strict_anthropic.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {
namespace {

class anthropic_providers_test : public conversation_fixture {
 protected:
  anthropic_providers_test() {
    add_messages("claude", claude_);
    add("chat", chat_);
    add("silent", silent_);
    add_messages("busy", busy_);
    add_messages("torn", torn_);
    add_messages("plain", plain_).behaves.stream = proxy::upstream_stream::never;
    add_route("race", {"silent/m", "claude/claude-sonnet-5"});
    add_route("both", {"claude/claude-sonnet-4-5", "chat/m"});
    add_route("failover", {"busy/claude-opus-5", "claude/claude-sonnet-5"}, racing::race_policy::fallback);
    add_route("busy", {"busy/claude-opus-5"});
    add_route("torn", {"torn/claude-opus-5"});
    add_route("plain", {"plain/claude-opus-5"});
    add_messages("gone", gone_);
    add_route("gone", {"gone/claude-opus-5"});
    add_route("claude", {"claude/claude-sonnet-5"});
    add_messages("refusing", refusing_);
    add_messages("refusing-whole", refusing_).behaves.stream = proxy::upstream_stream::never;
    add_route("refusing", {"refusing/claude-opus-5"});
    add_route("refusing-whole", {"refusing-whole/claude-opus-5"});
  }

  claude_stand_in model_{upon_results::calls_again};
  scripted_provider claude_{in_its_turn(0, [this](provider_call& call) { model_.answer(call); })};
  scripted_provider chat_{in_its_turn(1, calls_tools(upon_results::calls_again))};
  scripted_provider silent_{[](provider_call& call) { call.hang(); }};
  scripted_provider busy_{[](provider_call& call) {
    call.answer(529, anthropic_error("Overloaded", "overloaded_error"), "retry-after: 2\r\n");
  }};
  scripted_provider torn_{[](provider_call& call) {
    call.stream_head();
    for (const char* event :
         {R"({"type":"message_start","message":{"id":"m","content":[],"usage":{}}})",
          R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"}})"})
      call.event(event);
    call.chunk("event: error\ndata: " + anthropic_error("Overloaded", "overloaded_error") + "\n\n");
    call.send("0\r\n\r\n");
  }};
  scripted_provider refusing_{[](provider_call& call) {
    const std::string stopped =
        R"("stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":"bio","explanation":"I may not."})";
    const std::string message = R"({"id":"msg_7","type":"message","role":"assistant","model":"c","content":[],"usage":{"input_tokens":2},)";
    if (!json::parse(call.request().body).value("stream", false)) return call.answer(200, message + stopped + "}");
    call.stream_head();
    for (const std::string& event :
         {R"({"type":"message_start","message":)" + message + R"("stop_reason":null}})",
          R"({"type":"message_delta","delta":{)" + stopped + R"(},"usage":{"output_tokens":3}})", std::string(R"({"type":"message_stop"})")})
      call.event(event);
    call.send("0\r\n\r\n");
  }};
  scripted_provider gone_{[](provider_call& call) {
    call.answer(404, R"({"type":"error","error":{"type":"not_found_error","message":"gone","details":{"error_code":"file_not_found"}}})");
  }};
  scripted_provider plain_{[](provider_call& call) {
    call.answer(200, R"({"id":"msg_9","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":"Hi"}],)"
                     R"("stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":2,"output_tokens":3},"extra":[1]})");
  }};
};

TEST_F(anthropic_providers_test, AThreadGoesOnAtItsTargetUnderAnIdOfOurs) {
  const http_response first = message({{"model", "plain"}, {"thread", {{"type", "create"}}}});
  ASSERT_EQ(first.status, 200) << first.body;
  const std::string id = json::parse(first.body).at("id");
  EXPECT_TRUE(id.starts_with("resp_")) << id;
  const http_response next =
      message({{"model", "plain"}, {"stream", true}, {"thread", {{"type", "continue"}, {"previous_message_id", id}}}});
  ASSERT_EQ(next.status, 200) << next.body;
  EXPECT_EQ(json::parse(plain_.request(1).body).at("thread").at("previous_message_id"), "msg_9");
  EXPECT_EQ(next.body.find("msg_9"), std::string::npos) << next.body;
  EXPECT_NE(next.body.find("\"id\":\"resp_"), std::string::npos) << next.body;
}

TEST_F(anthropic_providers_test, AThreadOfAnotherCallerIsNotFound) {
  for (const char* id : {"msg_9", "resp_0123456789"}) {
    const http_response got =
        message({{"model", "plain"}, {"thread", {{"type", "continue"}, {"previous_message_id", id}}}});
    EXPECT_EQ(got.status, 404) << got.body;
    EXPECT_EQ(json::parse(got.body).at("error").at("details").at("error_code"), "thread_not_found") << got.body;
  }
  EXPECT_EQ(plain_.requests().size(), 0u);
}

TEST_F(anthropic_providers_test, AThreadOnARouteWithSeveralTargetsIsRefusedInTheSdksWords) {
  for (const char* model : {"failover", "both", "race"}) {
    const http_response got = message({{"model", model}, {"thread", {{"type", "create"}}}});
    EXPECT_EQ(got.status, 400) << got.body;
    EXPECT_EQ(json::parse(got.body).at("error").at("details").at("error_code"), "thread_unsupported_request") << got.body;
  }
  EXPECT_EQ(busy_.requests().size() + claude_.requests().size() + chat_.requests().size(), 0u);
}

TEST_F(anthropic_providers_test, WhatAnErrorHoldsForProgramsReachesItsClient) {
  const http_response got = message({{"model", "gone"}});
  EXPECT_EQ(got.status, 404) << got.body;
  EXPECT_EQ(json::parse(got.body).at("error").at("details"), json({{"error_code", "file_not_found"}})) << got.body;
  EXPECT_EQ(json::parse(chat({{"model", "gone"}}).body).at("error").at("details").at("error_code"), "file_not_found");
}

TEST_F(anthropic_providers_test, AChatClientGetsAStreamFromItsRace) {
  const http_response got = chat({{"model", "race"}, {"stream", true}, {"reasoning_effort", "high"},
                                  {"temperature", 0.3}, {"stream_options", {{"include_usage", true}}}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "claude/claude-sonnet-5");
  EXPECT_EQ(got.text(), "Looking");
  EXPECT_NE(got.field_or("x-race-dropped", "").find("param=temperature"), std::string::npos) << got.head;
  std::string thoughts;
  json usage;
  for (const std::string& event : got.events()) {
    if (event == "[DONE]") continue;
    const json chunk = json::parse(event);
    if (chunk.contains("usage") && chunk["usage"].is_object()) usage = chunk["usage"];
    if (!chunk.at("choices").empty()) thoughts += chunk["choices"][0]["delta"].value("reasoning_content", "");
  }
  EXPECT_EQ(thoughts, "hm sig+/1==");
  EXPECT_EQ(usage.at("prompt_tokens"), 18);
  EXPECT_EQ(usage.at("prompt_tokens_details").at("cached_tokens"), 5);
  EXPECT_EQ(usage.at("prompt_tokens_details").at("cache_write_tokens"), 3);
  EXPECT_EQ(usage.at("completion_tokens"), 7);
  EXPECT_EQ(model_.faults(), std::vector<std::string>());
}

TEST_F(anthropic_providers_test, ARefusalIsSaidInEachApiInTheProvidersWords) {
  for (const char* route : {"refusing", "refusing-whole"}) {
    SCOPED_TRACE(route);
    const http_response whole = chat({{"model", route}});
    const json answer = json::parse(whole.body);
    ASSERT_TRUE(answer.at("choices")[0].at("message").contains("refusal")) << whole.body;
    EXPECT_EQ(answer.at("choices")[0].at("message").at("refusal"), "I may not.");
    EXPECT_EQ(answer.at("choices")[0].at("finish_reason"), "content_filter");
    const http_response streamed = chat({{"model", route}, {"stream", true}});
    EXPECT_NE(streamed.body.find(R"("refusal":"I may not.")"), std::string::npos) << streamed.body;
    const json response = json::parse(respond({{"model", route}}).body);
    EXPECT_EQ(response.at("output").back().at("content")[0], (json{{"type", "refusal"}, {"refusal", "I may not."}}));
    const json own = json::parse(message({{"model", route}}).body);
    EXPECT_EQ(own.at("stop_details").at("explanation"), "I may not.") << "the provider's own bytes";
  }
}

TEST_F(anthropic_providers_test, AWholeChatAnswerAsWell) {
  const http_response got = chat({{"model", "race"}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(got.body).at("choices")[0].at("message").at("content"), "Looking");
  EXPECT_EQ(json::parse(got.body).at("choices")[0].at("finish_reason"), "stop");
}

TEST_F(anthropic_providers_test, AResponsesClientGetsItsItems) {
  const http_response got = respond({{"model", "race"}, {"stream", true}});
  ASSERT_EQ(got.status, 200) << got.body;
  const strict_accumulator read(read_named_events(got.body));
  ASSERT_EQ(read.fault, "") << got.body;
  EXPECT_EQ(read.response.at("output").size(), 2u);
  EXPECT_EQ(read.response.at("usage").at("input_tokens"), 18);
}

TEST_F(anthropic_providers_test, ForAMessagesClientBytesPassBothWays) {
  const std::string fields = "anthropic-beta: context-management-2025-06-27\r\nanthropic-beta: other-1\r\n";
  const json request{{"model", "race"}, {"max_tokens", 50}, {"stream", true}, {"messages", {{{"role", "user"}, {"content", "hi"}}}},
                     {"context_management", {{"edits", json::array()}}}};
  const http_response got = message(request, fields);
  ASSERT_EQ(got.status, 200) << got.body;
  const auto sent = claude_.request();
  json expected = request;
  expected["model"] = "claude-sonnet-5";
  EXPECT_EQ(json::parse(sent.body), expected);
  EXPECT_EQ(sent.field("anthropic-beta"), "context-management-2025-06-27,other-1");
  EXPECT_EQ(sent.field("anthropic-version"), "2023-06-01");
  std::vector<std::string> types;
  for (const read_event& each : read_named_events(got.body))
    if (types.empty() || types.back() != each.type) types.push_back(each.type);
  EXPECT_EQ(types.front(), "message_start");
  EXPECT_EQ(types.at(1), "ping");
  EXPECT_EQ(types.back(), "message_stop");
  EXPECT_NE(got.body.find(R"("id":"msg_1")"), std::string::npos);
  EXPECT_NE(got.body.find(R"("cache_creation_input_tokens":3)"), std::string::npos);
}

TEST_F(anthropic_providers_test, AWholeMessageHasItsThinkingAndSignature) {
  const http_response got = message({{"model", "race"}, {"max_tokens", 50}});
  ASSERT_EQ(got.status, 200) << got.body;
  const json answer = json::parse(got.body);
  EXPECT_EQ(answer.at("content")[0], (json{{"type", "thinking"}, {"thinking", "hm sig+/1=="}, {"signature", "sig+/1=="}}));
  EXPECT_EQ(answer.at("stop_reason"), "end_turn");
  EXPECT_EQ(answer.at("usage").at("output_tokens"), 7);
}

TEST_F(anthropic_providers_test, AnOverloadFailsOverAndIsNamedInTheClientsApi) {
  EXPECT_EQ(chat({{"model", "failover"}}).field_or("x-race-winner", ""), "claude/claude-sonnet-5");
  const http_response got = message({{"model", "busy"}, {"max_tokens", 50}});
  EXPECT_GE(got.status, 500);
  EXPECT_NE(got.body.find("Overloaded"), std::string::npos) << got.body;
  EXPECT_EQ(json::parse(got.body).at("type"), "error");
}

TEST_F(anthropic_providers_test, AnErrorBehindTheFirstTokenEndsTheStream) {
  const http_response got = message({{"model", "torn"}, {"max_tokens", 50}, {"stream", true}});
  EXPECT_EQ(got.status, 200);
  const std::vector<read_event> events = read_named_events(got.body);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().type, "error") << got.body;
  EXPECT_EQ(events.back().data.at("error").at("type"), "overloaded_error") << got.body;
  EXPECT_FALSE(got.is_complete);
}

TEST_F(anthropic_providers_test, AnAnswerInOnePieceIsAStreamForWhoWantsOne) {
  const http_response whole = message({{"model", "plain"}, {"max_tokens", 50}});
  ASSERT_EQ(whole.status, 200) << whole.body;
  EXPECT_EQ(json::parse(whole.body).at("extra"), json{1});
  EXPECT_EQ(json::parse(plain_.request().body).at("stream"), false);
  const http_response streamed = chat({{"model", "plain"}, {"stream", true}});
  EXPECT_EQ(streamed.text(), "Hi");
}

TEST_F(anthropic_providers_test, WhatItCannotDoIsRefusedByName) {
  const http_response several = chat({{"model", "claude"}, {"n", 2}});
  EXPECT_EQ(several.status, 400);
  EXPECT_EQ(several.error("param"), "n");
  const http_response prefilled = chat({{"model", "claude"}, {"messages", {{{"role", "user"}, {"content", "hi"}}, {{"role", "assistant"}, {"content", "So"}}}}});
  EXPECT_EQ(prefilled.status, 400);
  EXPECT_EQ(prefilled.error("param"), "messages");
  const http_response wrong = chat({{"model", "claude"}, {"messages", {{{"role", "stranger"}, {"content", "hi"}}}}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_NE(wrong.body.find("messages[0].role"), std::string::npos) << wrong.body;
  EXPECT_EQ(call("/v1/embeddings", {{"model", "claude"}, {"input", "x"}}).status, 400);
}

// A conversation has ten turns with tool calls. A Claude provider and a chat provider win the turns alternately, and no provider ever
// refuses the conversation.
TEST_F(anthropic_providers_test, AConversationGoesOnWhicheverFamilyWinsItsTurns) {
  for (const auto& client : clients_of_each_api())
    for (int turn = 0; turn < 10; ++turn) {
      SCOPED_TRACE(client->path() + " " + std::to_string(turn));
      whose_turn_ = turn % 2;
      const taken_turn taken = take_turn(*client, "both");
      EXPECT_EQ(taken.winner, turn % 2 == 0 ? "claude/claude-sonnet-4-5" : "chat/m");
      ASSERT_EQ(taken.calls.size(), 2u);
      EXPECT_EQ(taken.calls[0].second.at("by"), turn % 2 == 0 ? "claude" : "chat");
    }
  EXPECT_EQ(model_.faults(), std::vector<std::string>());
}

// Checks that the scripted provider refuses each kind of invalid request, because a provider that accepts everything would prove nothing.
struct refused_case {
  const char* name;
  const char* members;
  const char* fault;
};

class StrictAnthropic : public ::testing::TestWithParam<refused_case> {};

TEST_P(StrictAnthropic, RefusesWhatTheRealOneDoes) {
  json request = json::parse(R"({"model":"claude-haiku-4-5","max_tokens":2000,"messages":[{"role":"user","content":"hi"}]})");
  strict_anthropic strict;
  strict.accept("good");
  EXPECT_EQ(strict.fault_of(request), "");
  request.update(json::parse(GetParam().members));
  EXPECT_NE(strict.fault_of(request).find(GetParam().fault), std::string::npos) << strict.fault_of(request);
}

INSTANTIATE_TEST_SUITE_P(
    anthropic_providers_test, StrictAnthropic,
    ::testing::Values(
        refused_case{"no_length", R"({"max_tokens":null})", "max_tokens"},
        refused_case{"assistant_first", R"({"messages":[{"role":"assistant","content":"x"}]})", "first message"},
        refused_case{"two_users", R"({"messages":[{"role":"user","content":"x"},{"role":"user","content":"y"}]})", "alternate"},
        refused_case{"empty_text", R"({"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]})", "non-whitespace"},
        refused_case{"no_blocks", R"({"messages":[{"role":"user","content":[]}]})", "non-empty"},
        refused_case{"foreign_signature",
                     R"({"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"bad"}]},{"role":"user","content":"y"}]})",
                     "Invalid `signature`"},
        refused_case{"missing_result",
                     R"({"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"y"}]})",
                     "without `tool_result`"},
        refused_case{"result_of_nothing",
                     R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]})", "unexpected `tool_use_id`"},
        refused_case{"arguments_as_text",
                     R"({"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":"{}"}]}]})",
                     "valid dictionary"},
        refused_case{"thinking_missing",
                     R"({"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]})",
                     "must start with a thinking block"},
        refused_case{"large_budget", R"({"thinking":{"type":"enabled","budget_tokens":2000}})", "must be greater"},
        refused_case{"adaptive_on_an_old_model", R"({"thinking":{"type":"adaptive"}})", "adaptive"},
        refused_case{"budget_on_a_new_one", R"({"model":"claude-opus-5","thinking":{"type":"enabled","budget_tokens":1024}})", "not supported"},
        refused_case{"sampling_on_a_new_one", R"({"model":"claude-opus-5","temperature":0.5})", "deprecated"},
        refused_case{"prefill_on_a_new_one",
                     R"({"model":"claude-opus-5","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]})", "prefill"},
        refused_case{"thinking_and_a_forced_call",
                     R"({"thinking":{"type":"enabled","budget_tokens":1024},"tool_choice":{"type":"any"}})", "forces tool use"},
        refused_case{"unknown_member", R"({"context_management":{}})", "Extra inputs"},
        refused_case{"schema_without_a_type", R"({"tools":[{"name":"f","input_schema":{}}]})", "input_schema"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace photofinish::testing
