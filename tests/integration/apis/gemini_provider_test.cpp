// Tests clients of each conversation API with a target that uses Gemini's own API. The target runs alone and in races with chat providers.
// The scripted provider refuses the requests that Gemini would refuse.
#include "tests/integration/apis/conversation_fixture.hpp"
#include "tests/support/gateway/strict_gemini.hpp"

#include <set>
#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

class gemini_provider_test : public conversation_fixture {
 protected:
  gemini_provider_test() {
    add_gemini("google", google_);
    add_gemini("first", first_);
    add_gemini("broken", broken_);
    add_gemini("torn", torn_);
    add_route("torn", {"torn/gemini-3-pro"});
    add("chat", chat_);
    add("second", second_);
    add_route("g", {"google/gemini-3-pro"});
    add_route("race", {"first/gemini-3-pro", "second/m"});
    add_route("failover", {"broken/gemini-3-pro", "chat/m"}, racing::race_policy::fallback);
  }

  json last_asked(const scripted_provider& of) { return json::parse(of.requests().back().body); }
  // Returns the signatures of the tool calls in the last request. If an answer has several tool calls, only the first call has a signature.
  std::vector<std::string> signatures_of_calls(const scripted_provider& of) {
    std::vector<std::string> found;
    const json asked = last_asked(of);
    for (const json& content : asked.at("contents"))
      for (const json& part : content.at("parts"))
        if (part.contains("functionCall") && part.contains("thoughtSignature")) found.push_back(part.at("thoughtSignature"));
    return found;
  }

  strict_gemini model_, racing_model_{upon_results::calls_again};
  scripted_provider google_{[this](provider_call& call) { model_.answer(call); }};
  scripted_provider first_{in_its_turn(0, [this](provider_call& call) { racing_model_.answer(call); })};
  scripted_provider second_{in_its_turn(1, calls_tools(upon_results::calls_again))};
  scripted_provider chat_{calls_tools()};
  scripted_provider broken_{[](provider_call& call) {
    call.answer(429, R"([{"error":{"code":429,"message":"Slow down","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}])");
  }};
  // A provider that sends a word, and then reports an error that is not an event of the stream.
  scripted_provider torn_{[](provider_call& call) {
    call.stream_head();
    if (call.request().body.find("at once") == std::string::npos)
      call.event(R"({"candidates":[{"content":{"role":"model","parts":[{"text":"Hel"}]},"index":0}]})");
    call.chunk("[{\n  \"error\": {\"code\": 503, \"message\": \"The model is overloaded\", \"status\": \"UNAVAILABLE\"}\n}]\n");
    call.send("0\r\n\r\n");
  }};
};

// The scripted provider can remember only one conversation. Therefore these tests send their requests one after another.

TEST_F(gemini_provider_test, ASignatureComesBackThroughEachApi) {
  for (const auto& client : clients_of_each_api()) {
    SCOPED_TRACE(client->path());
    for (int step = 0; step < 3; ++step) {
      const taken_turn called = take_turn(*client, "g");
      ASSERT_EQ(called.calls.size(), 2u);
      EXPECT_EQ(called.calls[0], (std::pair{std::string("f"), json{{"by", "gemini"}}}));
      EXPECT_EQ(called.calls[1], (std::pair{std::string("g"), json::object()}));
      EXPECT_EQ(take_turn(*client, "g").text, "It is done");
    }
    EXPECT_EQ(signatures_of_calls(google_).size(), 3u);
    for (const std::string& each : signatures_of_calls(google_)) EXPECT_TRUE(model_.issued().contains(each)) << each;
  }
}

TEST_F(gemini_provider_test, EachCallHasAnIdOfItsOwn) {
  chat_client client;
  for (int step = 0; step < 5; ++step) (void)take_turn(client, "g");
  std::set<std::string> ids;
  for (const json& each : client.said)
    for (const json& called : each.value("tool_calls", json::array())) ids.insert(called.at("id").get<std::string>());
  EXPECT_EQ(ids.size(), 6u);
}

TEST_F(gemini_provider_test, AChatClientThatLosesSignaturesHasThemKeptForIt) {
  chat_client client(chat_client::keeps::known_members);
  (void)take_turn(client, "g");
  EXPECT_EQ(take_turn(client, "g").text, "It is done");
  EXPECT_EQ(signatures_of_calls(google_), std::vector<std::string>{"U0lH+0/=="});
}

TEST_F(gemini_provider_test, AChatClientsStreamHasTheSignatureOnItsCall) {
  json asked = chat_client().request("g");
  asked.update({{"stream", true}, {"stream_options", {{"include_usage", true}}}});
  const http_response got = chat(asked);
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_NE(got.body.find(R"("name":"f","arguments":""},"extra_content":{"google":{"thought_signature":"U0lH+0/=="}}})"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("finish_reason":"tool_calls")"), std::string::npos);
  EXPECT_NE(got.body.find(R"("completion_tokens":8)"), std::string::npos);
  EXPECT_TRUE(got.body.ends_with("data: [DONE]\n\n"));
  EXPECT_TRUE(google_.request().head.starts_with("POST /v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse ")) << google_.request().head;
}

TEST_F(gemini_provider_test, EachTurnOfARaceMayHaveAnotherWinner) {
  for (const auto& client : clients_of_each_api())
    for (int turn = 0; turn < 10; ++turn) {
      SCOPED_TRACE(client->path() + " " + std::to_string(turn));
      whose_turn_ = turn % 2;
      const taken_turn taken = take_turn(*client, "race");
      ASSERT_EQ(taken.calls.size(), 2u);
      EXPECT_EQ(taken.calls[0].second.at("by"), turn % 2 == 0 ? "gemini" : "chat");
    }
  for (const auto& each : first_.requests()) EXPECT_EQ(racing_model_.complaint_about(json::parse(each.body)), "");
}

// The history contains signatures of a model that is not a Gemini model.
TEST_F(gemini_provider_test, ForeignSignaturesDoNotReachGemini) {
  const json content = json::parse(R"([{"type":"thinking","thinking":"hm","signature":"EqFOREIGN"},{"type":"redacted_thinking","data":"EqFOREIGN"},
      {"type":"tool_use","id":"toolu_1","name":"f","input":{}}])");
  const json answers = json::parse(R"([{"type":"tool_result","tool_use_id":"toolu_1","content":"r"}])");
  const http_response got = message({{"model", "g"}, {"messages", {{{"role", "user"}, {"content", "q"}}, {{"role", "assistant"}, {"content", content}},
                                                          {{"role", "user"}, {"content", answers}}}}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(google_.request().body.find("FOREIGN"), std::string::npos);
  EXPECT_NE(got.field_or("x-race-dropped", "").find("google/gemini-3-pro;param=reasoning.signature"), std::string::npos) << got.field_or("x-race-dropped", "");
}

TEST_F(gemini_provider_test, ALostResultIsFilledIn) {
  chat_client client;
  (void)take_turn(client, "g");
  client.said.erase(client.said.size() - 1);
  EXPECT_EQ(take_turn(client, "g").text, "It is done");
}

TEST_F(gemini_provider_test, AnErrorInAListStartsTheNextTarget) {
  const http_response got = chat({{"model", "failover"}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "chat/m");
}

TEST_F(gemini_provider_test, AnErrorOutsideOfTheEventsIsRead) {
  const http_response cut = chat({{"model", "torn"}, {"stream", true}});
  EXPECT_EQ(cut.status, 200);
  EXPECT_NE(cut.body.find("The model is overloaded"), std::string::npos) << cut.body;
  EXPECT_FALSE(cut.is_complete);
  const http_response refused = chat({{"model", "torn"}, {"messages", {{{"role", "user"}, {"content", "at once"}}}}});
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_NE(refused.error("message").find("The model is overloaded"), std::string::npos) << refused.body;
}

TEST_F(gemini_provider_test, WhatGeminiCannotDoTakesItOut) {
  settings.routes.at("failover").targets.clear();
  add_route("mixed", {"google/gemini-3-pro", "chat/m"}, racing::race_policy::fallback);
  const http_response got = chat({{"model", "mixed"}, {"n", 2}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "google/gemini-3-pro;reason=unsupported:n");
}

// Tests the scripted provider itself: it must detect each fault in a request that Gemini detects.
struct fault_case {
  const char* name;
  const char* body;
  const char* complaint;
};
class GeminiRefuses : public ::testing::TestWithParam<fault_case> {};
#define FAULT_CALL R"({"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}})"
#define FAULT_SIGNED FAULT_CALL R"(,"thoughtSignature":"skip_thought_signature_validator"}]})"
INSTANTIATE_TEST_SUITE_P(
    gemini_provider_test, GeminiRefuses,
    ::testing::Values(
        fault_case{"missing_signature", R"({"contents":[)" FAULT_CALL R"(}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]})", "missing a thought_signature"},
        fault_case{"foreign_signature", R"({"contents":[)" FAULT_CALL R"(,"thoughtSignature":"EqFOREIGN"}]}]})", "Corrupted"},
        fault_case{"signed_result", R"({"contents":[)" FAULT_SIGNED R"(,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}},"thoughtSignature":"x"}]}]})", "not allowed"},
        fault_case{"missing_result", R"({"contents":[)" FAULT_SIGNED R"(,{"role":"user","parts":[{"text":"and?"}]}]})", "number of function response parts"},
        fault_case{"result_without_call", R"({"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]})", "number of function response parts"},
        fault_case{"results_in_two_contents", R"({"contents":[)" FAULT_SIGNED R"(,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]},{"role":"user","parts":[{"text":"a"}]}]})", "alternate"},
        fault_case{"model_first", R"({"contents":[{"role":"model","parts":[{"text":"a"}]}]})", "alternate"},
        fault_case{"empty_text", R"({"contents":[{"role":"user","parts":[{"text":""}]}]})", "text parameter"},
        fault_case{"arguments_as_text", R"({"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":"{}"}}]}]})", "function_call.args"},
        fault_case{"schema_in_parameters", R"({"contents":[{"role":"user","parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"additionalProperties":false}}]}]})", "additionalProperties"},
        fault_case{"name_with_a_digit", R"({"contents":[{"role":"user","parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[{"name":"1f"}]}]})", "function name"},
        fault_case{"foreign_member", R"({"contents":[{"role":"user","parts":[{"text":"q"}]}],"thinking":{}})", "Unknown name"}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(GeminiRefuses, EachOfItsFaults) {
  EXPECT_NE(strict_gemini().complaint_about(json::parse(GetParam().body)).find(GetParam().complaint), std::string::npos)
      << strict_gemini().complaint_about(json::parse(GetParam().body));
}

}  // namespace
}  // namespace photofinish::testing
