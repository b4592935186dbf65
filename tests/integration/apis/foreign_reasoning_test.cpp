// Reasoning that one account's provider has encrypted, at a target that cannot read it: it is asked once more without.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/integration/apis/conversation_fixture.hpp"
#include "tests/support/gateway/strict_anthropic.hpp"
#include "tests/support/gateway/strict_gemini.hpp"

#include <string>

namespace photofinish::testing {
namespace {

const std::string refusal =
    R"({"error":{"message":"The encrypted content gAAA...DQ== could not be verified.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}})";

bool has_reasoning(const received_request& request) { return request.body.find("encrypted_content") != std::string::npos; }

// Has an account of its own: it reads no reasoning of others.
void read_none(provider_call& call) {
  if (has_reasoning(call.request())) return call.answer(400, refusal);
  call.answer(200, R"({"id":"resp_1","object":"response","status":"completed","output":[{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]}]})");
}

class foreign_reasoning_test : public conversation_fixture {
 protected:
  foreign_reasoning_test() {
    for (const auto& [name, at] : {std::pair{"strict", &strict_}, {"stubborn", &stubborn_}, {"once", &once_}}) {
      add_responses(name, *at);
      add_route(name, {std::string(name) + "/m"});
    }
    add_messages("claude", claude_);
    add_gemini("google", google_);
    add_route("claude", {"claude/claude-sonnet-4-5"});
    add_route("google", {"google/gemini-3-pro"});
    add_route("both", {"stubborn/m", "strict/m"}, racing::race_policy::fallback);
    settings.log_level = "info";
  }

  http_response go_on(const std::string& model, bool is_streamed = true) {
    return go_on_from(model, {{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}, {"encrypted_content", "gAAAAfromElsewhere"}},
                      is_streamed);
  }
  http_response go_on_from(const std::string& model, const json& reasoning, bool is_streamed = true) {
    const json said{{"role", "user"}, {"content", "and?"}};
    return respond({{"model", model}, {"stream", is_streamed}, {"input", {said, reasoning, said}}});
  }

  // What a client of that API goes on with, after another account's model has answered it.
  void expect_second_request(const http_response& got, const std::string& target, const scripted_provider& at) {
    ASSERT_EQ(got.status, 200) << got.body;
    ASSERT_EQ(at.requests().size(), 2u);
    EXPECT_NE(at.request(0).body.find("RWxzZXdoZXJl"), std::string::npos);
    EXPECT_EQ(at.request(1).body.find("RWxzZXdoZXJl"), std::string::npos);
    EXPECT_NE(got.field_or("x-race-dropped", "").find(target + ";param=reasoning"), std::string::npos) << got.head;
    expect_metric(1, "photofinish_repeated_attempts_total", {R"(reason="reasoning")"});
  }

  claude_stand_in claude_model_;
  scripted_provider claude_{[this](provider_call& call) { claude_model_.answer(call); }};
  strict_gemini gemini_model_;
  scripted_provider google_{[this](provider_call& call) { gemini_model_.answer(call); }};
  scripted_provider strict_{read_none};
  scripted_provider stubborn_{refuses(400, refusal)};
  scripted_provider once_{[](provider_call& call) {
    if (json::parse(call.request().body).at("stream") == true)
      return call.answer(400, R"({"error":{"message":"verify first","param":"stream","code":"unsupported_value"}})");
    read_none(call);
  }};
};

TEST_F(foreign_reasoning_test, IsLeftOutInASecondRequestOfTheSameAttempt) {
  const captured_log log;
  const http_response got = go_on("strict");
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
  EXPECT_EQ(got.field_or("x-race-dropped", ""), "strict/m;param=reasoning");
  ASSERT_EQ(strict_.requests().size(), 2u);
  EXPECT_TRUE(has_reasoning(strict_.request(0)));
  EXPECT_EQ(json::parse(strict_.request(1).body).at("input"),
            json::parse(R"([{"role":"user","content":"and?"},{"role":"user","content":"and?"}])"));
  expect_metric(1, "photofinish_repeated_attempts_total", {R"(provider="strict")", R"(reason="reasoning")"});
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="won")"});
  EXPECT_EQ(metric("photofinish_attempts_total", {R"(outcome="failed")"}), 0);
  EXPECT_TRUE(comes_true([&log] { return !log.lines_with({"repeated_without=reasoning"}).empty(); }));
}

TEST_F(foreign_reasoning_test, ARefusalThatStaysIsRepeatedOnce) {
  const http_response got = go_on("stubborn");
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("code"), "invalid_encrypted_content");
  EXPECT_EQ(stubborn_.requests().size(), 2u);
}

// A summary alone, which no provider can read where nothing is stored: the first request went without it.
TEST_F(foreign_reasoning_test, WhereTheFirstRequestHadNoneItIsNotRepeated) {
  const http_response got = go_on_from("stubborn", {{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("code"), "invalid_encrypted_content");
  EXPECT_EQ(stubborn_.requests().size(), 1u);
  EXPECT_EQ(metric("photofinish_repeated_attempts_total"), 0);
}

TEST_F(foreign_reasoning_test, AThinkingBlockThatClaudeRefusesIsLeftOut) {
  json request = messages_client().request("claude");
  request["messages"] = json::parse(R"([{"role":"user","content":"q"},{"role":"assistant","content":[
      {"type":"thinking","thinking":"hm","signature":"RWxzZXdoZXJl"},{"type":"tool_use","id":"t1","name":"f","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"r"}]}])");
  const http_response got = message(request);
  expect_second_request(got, "claude/claude-sonnet-4-5", claude_);
  EXPECT_FALSE(json::parse(claude_.request(1).body).contains("thinking")) << "in the middle of calls without it";
}

TEST_F(foreign_reasoning_test, SoIsOneThatAChatClientBringsBack) {
  const http_response got = chat({{"model", "claude"}, {"messages", json::parse(R"([{"role":"user","content":"q"},
      {"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"RWxzZXdoZXJl",
      "format":"anthropic-claude-v1","index":0}]},{"role":"user","content":"and?"}])")}});
  expect_second_request(got, "claude/claude-sonnet-4-5", claude_);
}

TEST_F(foreign_reasoning_test, ASignatureThatGeminiRefusesIsLeftOut) {
  json request = chat_client().request("google");
  request["messages"] = json::parse(R"([{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[
      {"id":"c1","type":"function","function":{"name":"f","arguments":"{}"},
       "extra_content":{"google":{"thought_signature":"RWxzZXdoZXJl"}}}]},{"role":"tool","tool_call_id":"c1","content":"r"}])");
  const http_response got = chat(request);
  expect_second_request(got, "google/gemini-3-pro", google_);
}

TEST_F(foreign_reasoning_test, TheNextTargetGetsItAllTheSame) {
  const http_response got = go_on("both");
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "strict/m");
  EXPECT_TRUE(has_reasoning(strict_.request(0))) << "it may be its own";
}

TEST_F(foreign_reasoning_test, AStreamAndReasoningMayBothBeRefused) {
  const http_response got = go_on("once", false);
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(once_.requests().size(), 3u);
  expect_metric(1, "photofinish_repeated_attempts_total", {R"(reason="stream")"});
  expect_metric(1, "photofinish_repeated_attempts_total", {R"(reason="reasoning")"});
}

}  // namespace
}  // namespace photofinish::testing
