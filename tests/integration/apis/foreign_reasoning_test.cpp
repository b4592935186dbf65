// Tests encrypted reasoning that is sent to a target whose account cannot decrypt it. After a refusal, the gateway repeats the request
// without this reasoning. If the gateway knows which target made the reasoning, it sends the reasoning to no other target.
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

// A provider with a different account. It cannot read any of the encrypted reasoning in this test.
void read_none(provider_call& call) {
  if (has_reasoning(call.request())) return call.answer(400, refusal);
  call.answer(200, R"({"id":"resp_1","object":"response","status":"completed","output":[{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]}]})");
}

const std::string made_here = "gAAAAmadeHere";

// A provider that encrypts its reasoning, and cannot read reasoning that was encrypted for other accounts.
void reads_its_own(provider_call& call) {
  if (has_reasoning(call.request()) && call.request().body.find(made_here) == std::string::npos) return call.answer(400, refusal);
  call.answer(200, R"({"id":"resp_1","object":"response","status":"completed","output":[{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":")" +
                       made_here + R"("},{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]}]})");
}

const std::string created = R"({"type":"response.created","sequence_number":0,"response":{"id":"resp_0","object":"response","status":"in_progress","output":[]}})";

// A provider that notices too late that it cannot read the reasoning in the request. It has already begun its answer, and therefore sends
// the event `error`.
scripted_provider::script notices_late(std::string error) {
  return [error = std::move(error)](provider_call& call) {
    call.stream_head();
    call.event(created);
    if (has_reasoning(call.request())) {
      call.event(error);
    } else {
      call.event(R"({"type":"response.output_text.delta","sequence_number":1,"output_index":0,"content_index":0,"item_id":"msg_1","delta":"Hi"})");
      call.event(R"({"type":"response.completed","sequence_number":2,"response":{"id":"resp_0","object":"response","status":"completed","output":[]}})");
    }
    call.send("0\r\n\r\n");
  };
}

class foreign_reasoning_test : public conversation_fixture {
 protected:
  foreign_reasoning_test() {
    for (const auto& [name, at] : {std::pair{"late", &late_}, {"late_and_flat", &late_and_flat_}, {"too_late", &too_late_}}) {
      add_responses(name, *at);
      add_route(name, {std::string(name) + "/m"});
    }
    add_messages("late_claude", late_claude_);
    add_route("late_claude", {"late_claude/claude-sonnet-4-5"});
    for (const auto& [name, at] : {std::pair{"strict", &strict_}, {"stubborn", &stubborn_}, {"once", &once_}}) {
      add_responses(name, *at);
      add_route(name, {std::string(name) + "/m"});
    }
    add_responses("maker", maker_);
    add_route("maker", {"maker/m"});
    add_messages("claude", claude_);
    add_gemini("google", google_);
    add_gemini("other_google", other_google_);
    add_route("other_google", {"other_google/gemini-3-pro"});
    add_route("claude", {"claude/claude-sonnet-4-5"});
    add_route("google", {"google/gemini-3-pro"});
    add_route("both", {"stubborn/m", "strict/m"}, racing::race_policy::fallback);
    settings.log.level = "info";
  }

  http_response go_on(const std::string& model, bool is_streamed = true) {
    return go_on_from(model, {{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}, {"encrypted_content", "gAAAAfromElsewhere"}},
                      is_streamed);
  }
  http_response go_on_from(const std::string& model, const json& reasoning, bool is_streamed = true) {
    const json said{{"role", "user"}, {"content", "and?"}};
    return respond({{"model", model}, {"stream", is_streamed}, {"input", {said, reasoning, said}}});
  }

  // Sends the second request of a conversation whose first answer came from the route "maker".
  http_response go_on_after_maker(const std::string& model, bool is_streamed) {
    const http_response first = respond({{"model", "maker"}, {"stream", is_streamed}});
    EXPECT_NE(first.body.find(made_here), std::string::npos) << first.body;
    return go_on_from(model, {{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}, {"encrypted_content", made_here}},
                      is_streamed);
  }

  // Checks that the target got a second request without the foreign reasoning, and that the client got an answer.
  void expect_second_request(const http_response& got, const std::string& target, const scripted_provider& at) {
    ASSERT_EQ(got.status, 200) << got.body;
    ASSERT_EQ(at.requests().size(), 2u);
    EXPECT_NE(at.request(0).body.find("RWxzZXdoZXJl"), std::string::npos);
    EXPECT_EQ(at.request(1).body.find("RWxzZXdoZXJl"), std::string::npos);
    EXPECT_NE(got.field_or("x-race-dropped", "").find(target + ";param=reasoning"), std::string::npos) << got.head;
    expect_metric(1, "photofinish_repeated_attempts_total", {R"(reason="reasoning")"});
  }

  scripted_provider late_{notices_late(R"({"type":"error","sequence_number":1,"error":{"type":"invalid_request_error","code":"invalid_encrypted_content","message":"The encrypted content gAAA could not be verified.","param":null}})")};
  scripted_provider late_and_flat_{notices_late(R"({"type":"response.failed","sequence_number":1,"response":{"id":"resp_0","status":"failed","output":[],"error":{"code":"invalid_encrypted_content","message":"no"}}})")};
  // A provider that reports the error after the first token, when a second request is no longer possible.
  scripted_provider too_late_{[](provider_call& call) {
    call.stream_head();
    call.event(created);
    call.event(R"({"type":"response.output_text.delta","sequence_number":1,"output_index":0,"content_index":0,"item_id":"msg_1","delta":"Hi"})");
    call.event(R"({"type":"error","sequence_number":2,"error":{"code":"invalid_encrypted_content","message":"The encrypted content could not be verified."}})");
    call.send("0\r\n\r\n");
  }};
  scripted_provider late_claude_{[](provider_call& call) {
    const bool is_refused = call.request().body.find("RWxzZXdoZXJl") != std::string::npos;
    const auto say = [&call](const char* name, const char* data) { call.chunk("event: " + std::string(name) + "\ndata: " + data + "\n\n"); };
    call.stream_head();
    say("message_start", R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}})");
    if (is_refused) {
      say("error", R"({"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}})");
    } else {
      say("content_block_start", R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})");
      say("content_block_delta", R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}})");
      say("content_block_stop", R"({"type":"content_block_stop","index":0})");
      say("message_delta", R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}})");
      say("message_stop", R"({"type":"message_stop"})");
    }
    call.send("0\r\n\r\n");
  }};
  claude_stand_in claude_model_;
  scripted_provider claude_{[this](provider_call& call) { claude_model_.answer(call); }};
  strict_gemini gemini_model_;
  scripted_provider google_{[this](provider_call& call) { gemini_model_.answer(call); }};
  strict_gemini other_gemini_model_;
  scripted_provider other_google_{[this](provider_call& call) { other_gemini_model_.answer(call); }};
  scripted_provider maker_{reads_its_own};
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

// The conversation contains only a summary of the reasoning, because no reasoning was stored. No provider can use the summary, so the
// gateway leaves it out of the first request. If the provider refuses this request, the gateway does not repeat it.
TEST_F(foreign_reasoning_test, WhereTheFirstRequestHadNoneItIsNotRepeated) {
  const http_response got = go_on_from("stubborn", {{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("code"), "invalid_encrypted_content");
  EXPECT_EQ(stubborn_.requests().size(), 1u);
  EXPECT_EQ(metric("photofinish_repeated_attempts_total"), 0);
}

// A provider may already have sent the status 200 when it notices that it cannot read the reasoning.
TEST_F(foreign_reasoning_test, ARefusalInAStreamBeforeItsFirstTokenIsMendedToo) {
  for (const auto& [route, at] : {std::pair{"late", &late_}, {"late_and_flat", &late_and_flat_}}) {
    SCOPED_TRACE(route);
    const http_response got = go_on(route);
    ASSERT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
    EXPECT_EQ(at->requests().size(), 2u);
    EXPECT_FALSE(has_reasoning(at->request(1)));
    const std::size_t first = got.body.find("event: response.created");
    EXPECT_EQ(got.body.find("event: response.created", first + 1), std::string::npos) << "of the first request nothing is shown";
    EXPECT_NE(got.body.find(R"("delta":"Hi")"), std::string::npos) << got.body;
  }
  expect_metric(1, "photofinish_repeated_attempts_total", {R"(provider="late")", R"(reason="reasoning")"});
}

TEST_F(foreign_reasoning_test, SoIsOneOfASignature) {
  const json said = json::parse(R"([{"role":"user","content":"q"},{"role":"assistant","content":[
      {"type":"thinking","thinking":"hm","signature":"RWxzZXdoZXJl"},{"type":"text","text":"a"}]},{"role":"user","content":"and?"}])");
  for (const bool is_streamed : {true, false}) {
    SCOPED_TRACE(is_streamed);
    const http_response got = message({{"model", "late_claude"}, {"stream", is_streamed}, {"messages", said}});
    ASSERT_EQ(got.status, 200) << got.body;
    EXPECT_NE(got.body.find("Hi"), std::string::npos) << got.body;
  }
  EXPECT_EQ(late_claude_.requests().size(), 3u) << "the second request went without what the first was refused for";
}

TEST_F(foreign_reasoning_test, IsRefusedOnceInAConversation) {
  for (int turn = 0; turn < 3; ++turn) {
    const http_response got = go_on("strict");
    ASSERT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(got.field_or("x-race-dropped", ""), "strict/m;param=reasoning");
  }
  EXPECT_EQ(strict_.requests().size(), 4u) << "as many, and one more for the first";
  expect_metric(1, "photofinish_repeated_attempts_total", {R"(reason="reasoning")"});
}

TEST_F(foreign_reasoning_test, BehindTheFirstTokenItIsTheEnd) {
  const http_response got = go_on("too_late");
  EXPECT_EQ(got.status, 200);
  EXPECT_NE(got.body.find("response.failed"), std::string::npos) << got.body;
  EXPECT_EQ(too_late_.requests().size(), 1u);
}

// The gateway reads the beginning of a stream to find out whether it is a refusal. The client must also receive this beginning.
TEST_F(foreign_reasoning_test, AStreamThatIsNotRefusedIsTheSame) {
  json asked{{"model", "late"}, {"stream", true}, {"input", "signature"}};
  const http_response looked_at = respond(asked);
  asked["input"] = "q";
  const http_response passed = respond(asked);
  EXPECT_EQ(looked_at.body, passed.body);
  EXPECT_TRUE(looked_at.is_complete);
  EXPECT_EQ(late_.requests().size(), 2u);
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

TEST_F(foreign_reasoning_test, IsNotSentToAnotherAccountOnceItsMakerIsKnown) {
  for (const bool is_streamed : {true, false}) {
    SCOPED_TRACE(is_streamed);
    const std::size_t before = strict_.requests().size();
    const http_response got = go_on_after_maker("strict", is_streamed);
    ASSERT_EQ(got.status, 200) << got.body;
    ASSERT_EQ(strict_.requests().size(), before + 1);
    EXPECT_FALSE(has_reasoning(strict_.request(before)));
    EXPECT_EQ(got.field_or("x-race-dropped", ""), "strict/m;param=reasoning");
  }
  EXPECT_EQ(metric("photofinish_repeated_attempts_total"), 0);
}

TEST_F(foreign_reasoning_test, ComesBackToItsMaker) {
  const http_response got = go_on_after_maker("maker", true);
  ASSERT_EQ(got.status, 200) << got.body;
  ASSERT_EQ(maker_.requests().size(), 2u);
  EXPECT_NE(maker_.request(1).body.find(made_here), std::string::npos);
  EXPECT_EQ(got.field_or("x-race-dropped", ""), "");
}

TEST_F(foreign_reasoning_test, AnItemThatIsNotKnownIsSentNextToOneThatIs) {
  go_on_after_maker("maker", true);
  const auto item = [](const std::string& blob) {
    return json{{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}, {"encrypted_content", blob}};
  };
  respond({{"model", "strict"}, {"input", {{{"role", "user"}, {"content", "q"}}, item(made_here), item("gAAAAunknown")}}});
  ASSERT_EQ(strict_.requests().size(), 2u);
  EXPECT_EQ(strict_.request(0).body.find(made_here), std::string::npos);
  EXPECT_NE(strict_.request(0).body.find("gAAAAunknown"), std::string::npos);
  EXPECT_FALSE(has_reasoning(strict_.request(1)));
}

TEST_F(foreign_reasoning_test, SignaturesOfOneGoogleAccountAreNotSentToAnother) {
  chat_client client;
  take_turn(client, "google");
  take_turn(client, "other_google");
  EXPECT_EQ(other_google_.requests().size(), 1u) << "it refuses signatures that it has not issued";
  EXPECT_EQ(metric("photofinish_repeated_attempts_total"), 0);
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
