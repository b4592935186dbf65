// Clients of every conversation at Gemini by its own API, alone and in races with providers of chat: the provider refuses
// what Gemini refuses.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/strict_gemini.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <set>
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
using testing::strict_gemini;

// A provider of chat that calls the same tools.
void call_tools(provider_call& call) {
  const json asked = json::parse(call.request().body);
  const std::string turn = std::to_string(asked.at("messages").size());
  const bool has_results = asked.at("messages").back().at("role") == "tool";
  const json calls = {{{"index", 0}, {"id", "call_f" + turn}, {"type", "function"}, {"function", {{"name", "f"}, {"arguments", R"({"x":1})"}}}},
                      {{"index", 1}, {"id", "call_g" + turn}, {"type", "function"}, {"function", {{"name", "g"}, {"arguments", "{}"}}}}};
  const json delta = has_results ? json{{"role", "assistant"}, {"content", "It is done"}} : json{{"role", "assistant"}, {"tool_calls", calls}};
  call.stream_head();
  call.event(json{{"id", "c"}, {"object", "chat.completion.chunk"}, {"created", 1}, {"model", "m"},
                  {"choices", {{{"index", 0}, {"delta", delta}, {"finish_reason", nullptr}}}}}.dump());
  call.event(testing::finish_chunk(has_results ? "stop" : "tool_calls"));
  call.end();
}

class gemini_provider_test : public testing::gateway_fixture {
 protected:
  gemini_provider_test() {
    add_google("google", google_);
    add_google("first", first_);
    add_google("broken", broken_);
    add("chat", chat_);
    add("second", second_);
    add_route("g", {"google/gemini-3-pro"});
    add_route("race", {"first/gemini-3-pro", "second/m"});
    add_route("failover", {"broken/gemini-3-pro", "chat/m"}, racing::race_policy::fallback);
  }

  void add_google(const std::string& name, const scripted_provider& at) {
    proxy::provider& target = add(name, at);
    target.dialect = "gemini";
    target.url.path = "/v1beta";
  }

  http_response call(std::string_view path, const json& request) {
    if (!gateway) start();
    testing::test_client client = connect();
    client.post(request.dump(), "", path);
    return client.read();
  }

  // A race of two that takes turns to answer.
  scripted_provider::script in_its_turn(int mine, scripted_provider::script play) {
    return [this, mine, play](provider_call& call) {
      if (turn_ % 2 == mine) play(call);
      else call.hang();
    };
  }

  // A turn of each client: what it sends back is what it got.
  json chat_turn(json& messages, const std::string& model, bool keeps_extras = true) {
    const http_response got = call("/v1/chat/completions", {{"model", model}, {"messages", messages}, {"tools", tools_of_chat()}, {"stream", false}});
    if (got.status != 200) return ADD_FAILURE() << got.body, json();
    json message = json::parse(got.body).at("choices")[0].at("message");
    message.erase("reasoning_content");
    if (!keeps_extras) {
      message.erase("extra_content");
      for (json& each : message["tool_calls"]) each.erase("extra_content");
    }
    if (!message.contains("tool_calls") || message.at("tool_calls").empty()) message.erase("tool_calls");
    messages.push_back(message);
    for (const json& each : message.value("tool_calls", json::array()))
      messages.push_back({{"role", "tool"}, {"tool_call_id", each.at("id")}, {"content", "result of " + each.at("function").at("name").get<std::string>()}});
    return message;
  }
  static json tools_of_chat() {
    json tools;
    for (const char* name : {"f", "g"})
      tools.push_back({{"type", "function"}, {"function", {{"name", name}, {"parameters", {{"type", "object"}, {"additionalProperties", false}}}}}});
    return tools;
  }

  json last_asked(const scripted_provider& of) { return json::parse(of.requests().back().body); }
  // Of the first calls of each step, in the last request.
  std::vector<std::string> signatures_of_calls(const scripted_provider& of) {
    std::vector<std::string> found;
    const json asked = last_asked(of);
    for (const json& content : asked.at("contents"))
      for (const json& part : content.at("parts"))
        if (part.contains("functionCall") && part.contains("thoughtSignature")) found.push_back(part.at("thoughtSignature"));
    return found;
  }

  std::atomic<int> turn_{0};
  strict_gemini model_;
  scripted_provider google_{[this](provider_call& call) { model_.answer(call); }};
  scripted_provider first_{in_its_turn(0, [this](provider_call& call) { model_.answer(call); })};
  scripted_provider second_{in_its_turn(1, call_tools)};
  scripted_provider chat_{call_tools};
  scripted_provider broken_{[](provider_call& call) {
    call.answer(429, R"([{"error":{"code":429,"message":"Slow down","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}])");
  }};
};

// The model remembers one conversation: requests of these tests come one after another.

TEST_F(gemini_provider_test, ASignatureComesBackThroughChat) {
  json messages = json::array({{{"role", "user"}, {"content", "q"}}});
  for (int step = 0; step < 3; ++step) {
    const json called = chat_turn(messages, "g");
    ASSERT_EQ(called.at("tool_calls").size(), 2u);
    EXPECT_EQ(called.at("tool_calls")[0].at("function").at("arguments"), R"({"x":1})");
    EXPECT_EQ(called.at("tool_calls")[1].at("function").at("arguments"), "{}");
    EXPECT_EQ(chat_turn(messages, "g").at("content"), "It is done");
    messages.push_back({{"role", "user"}, {"content", "again"}});
  }
  EXPECT_EQ(signatures_of_calls(google_).size(), 3u);
  for (const std::string& each : signatures_of_calls(google_)) EXPECT_TRUE(model_.issued().contains(each)) << each;
  std::set<std::string> ids;
  for (const json& each : messages)
    for (const json& called : each.value("tool_calls", json::array())) ids.insert(called.at("id").get<std::string>());
  EXPECT_EQ(ids.size(), 6u);
}

TEST_F(gemini_provider_test, AChatClientThatLosesSignaturesHasThemKeptForIt) {
  json messages = json::array({{{"role", "user"}, {"content", "q"}}});
  (void)chat_turn(messages, "g", false);
  EXPECT_EQ(chat_turn(messages, "g", false).at("content"), "It is done");
  EXPECT_EQ(signatures_of_calls(google_), std::vector<std::string>{"U0lH+0/=="});
}

TEST_F(gemini_provider_test, AChatClientsStreamHasTheSignatureOnItsCall) {
  const http_response got = call("/v1/chat/completions", {{"model", "g"}, {"stream", true}, {"stream_options", {{"include_usage", true}}},
                                                          {"messages", {{{"role", "user"}, {"content", "q"}}}}, {"tools", tools_of_chat()}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_NE(got.body.find(R"("name":"f","arguments":""},"extra_content":{"google":{"thought_signature":"U0lH+0/=="}}})"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("finish_reason":"tool_calls")"), std::string::npos);
  EXPECT_NE(got.body.find(R"("completion_tokens":8)"), std::string::npos);
  EXPECT_TRUE(got.body.ends_with("data: [DONE]\n\n"));
  EXPECT_TRUE(google_.request().head.starts_with("POST /v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse ")) << google_.request().head;
}

TEST_F(gemini_provider_test, EachTurnOfARaceMayHaveAnotherWinner) {
  json messages = json::array({{{"role", "user"}, {"content", "q"}}});
  for (turn_ = 0; turn_ < 10; ++turn_) {
    const json message = chat_turn(messages, "race");
    ASSERT_FALSE(message.is_null()) << "turn " << turn_;
    const bool calls = message.contains("tool_calls");
    EXPECT_EQ(message.value("tool_calls", json::array()).size(), calls ? 2u : 0u);
    if (!calls) messages.push_back({{"role", "user"}, {"content", "again"}});
  }
  for (const auto& each : first_.requests()) EXPECT_EQ(model_.complaint_about(json::parse(each.body)), "");
}

TEST_F(gemini_provider_test, ASignatureComesBackThroughResponses) {
  json input = json::array({{{"role", "user"}, {"content", "q"}}});
  const json tools = {{{"type", "function"}, {"name", "f"}, {"parameters", {{"type", "object"}}}}, {{"type", "function"}, {"name", "g"}}};
  for (int step = 0; step < 4; ++step) {
    const http_response got = call("/v1/responses", {{"model", "g"}, {"input", input}, {"tools", tools}, {"stream", true}});
    ASSERT_EQ(got.status, 200) << got.body;
    const strict_accumulator read(read_named_events(got.body));
    ASSERT_EQ(read.fault, "") << got.body;
    for (const json& item : read.response.at("output")) input.push_back(item);
    for (const json& item : read.response.at("output"))
      if (item.at("type") == "function_call") input.push_back({{"type", "function_call_output"}, {"call_id", item.at("call_id")}, {"output", "r"}});
    if (step % 2 == 1) input.push_back({{"role", "user"}, {"content", "again"}});
  }
  ASSERT_EQ(signatures_of_calls(google_).size(), 2u);
  for (const std::string& each : signatures_of_calls(google_)) EXPECT_TRUE(model_.issued().contains(each)) << each;
}

TEST_F(gemini_provider_test, ASignatureComesBackThroughMessages) {
  json messages = json::array({{{"role", "user"}, {"content", "q"}}});
  const json tools = {{{"name", "f"}, {"input_schema", {{"type", "object"}}}}, {{"name", "g"}, {"input_schema", {{"type", "object"}}}}};
  for (int step = 0; step < 4; ++step) {
    const http_response got = call("/v1/messages", {{"model", "g"}, {"max_tokens", 100}, {"messages", messages}, {"tools", tools}});
    ASSERT_EQ(got.status, 200) << got.body;
    const json content = json::parse(got.body).at("content");
    messages.push_back({{"role", "assistant"}, {"content", content}});
    json answers = json::array();
    for (const json& block : content)
      if (block.at("type") == "tool_use") answers.push_back({{"type", "tool_result"}, {"tool_use_id", block.at("id")}, {"content", "r"}});
    if (answers.empty()) answers.push_back({{"type", "text"}, {"text", "again"}});
    messages.push_back({{"role", "user"}, {"content", answers}});
  }
  ASSERT_EQ(signatures_of_calls(google_).size(), 2u);
  for (const std::string& each : signatures_of_calls(google_)) EXPECT_TRUE(model_.issued().contains(each)) << each;
}

// What another family's model left in a history.
TEST_F(gemini_provider_test, ForeignSignaturesDoNotReachGemini) {
  const json content = json::parse(R"([{"type":"thinking","thinking":"hm","signature":"EqFOREIGN"},{"type":"redacted_thinking","data":"EqFOREIGN"},
      {"type":"tool_use","id":"toolu_1","name":"f","input":{}}])");
  const json answers = json::parse(R"([{"type":"tool_result","tool_use_id":"toolu_1","content":"r"}])");
  const http_response got = call("/v1/messages", {{"model", "g"}, {"max_tokens", 100}, {"messages", {{{"role", "user"}, {"content", "q"}},
                                                  {{"role", "assistant"}, {"content", content}}, {{"role", "user"}, {"content", answers}}}}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(google_.request().body.find("FOREIGN"), std::string::npos);
  EXPECT_NE(got.field_or("x-race-dropped", "").find("google/gemini-3-pro;param=reasoning.signature"), std::string::npos) << got.field_or("x-race-dropped", "");
}

TEST_F(gemini_provider_test, ALostResultIsFilledIn) {
  json messages = json::array({{{"role", "user"}, {"content", "q"}}});
  (void)chat_turn(messages, "g");
  messages.erase(messages.size() - 1);
  EXPECT_EQ(chat_turn(messages, "g").at("content"), "It is done");
}

TEST_F(gemini_provider_test, AnErrorInAListStartsTheNextTarget) {
  const http_response got = call("/v1/chat/completions", {{"model", "failover"}, {"messages", {{{"role", "user"}, {"content", "q"}}}}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "chat/m");
}

TEST_F(gemini_provider_test, WhatGeminiCannotDoTakesItOut) {
  settings.routes.at("failover").targets.clear();
  add_route("mixed", {"google/gemini-3-pro", "chat/m"}, racing::race_policy::fallback);
  const http_response got = call("/v1/chat/completions", {{"model", "mixed"}, {"n", 2}, {"messages", {{{"role", "user"}, {"content", "q"}}}}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "google/gemini-3-pro;reason=unsupported:n");
}

// The judge itself: each of Gemini's faults is one for it.
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
}  // namespace photofinish
