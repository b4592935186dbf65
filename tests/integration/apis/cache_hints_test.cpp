// Tests that the gateway passes prompt cache hints and cache marks from the client to the provider.
#include "tests/integration/apis/conversation_fixture.hpp"
#include "tests/support/gateway/strict_anthropic.hpp"

#include <mutex>
#include <string>

namespace photofinish::testing {
namespace {

class cache_hints_test : public conversation_fixture {
 protected:
  cache_hints_test() {
    proxy::provider& key = add("key", model_);
    key.behaves.prompt_cache.hint = {"prompt_cache_key", "prompt_cache_key"};
    key.key.value = proxy::secret("sk-operator");
    add("header", model_).behaves.prompt_cache.hint = {"x-session-affinity", "x-session-affinity"};
    add_route("key", {"key/m"});
    add_route("header", {"header/m"});
    proxy::provider& claude = add_messages("claude", claude_);
    claude.preset = "anthropic";
    claude.behaves.prompt_cache.adds_marks = true;
    add_messages("elsewhere", claude_);
    add_route("claude", {"claude/claude-sonnet-5"});
    add_route("elsewhere", {"elsewhere/claude-sonnet-5"});
  }

  static json first_turn(const char* model) {
    return {{"model", model},
            {"messages", {{{"role", "system"}, {"content", std::string(8000, 'x')}}, {{"role", "user"}, {"content", "Why?"}}}}};
  }
  static json next_turn(json turn) {
    turn["messages"].push_back({{"role", "assistant"}, {"content", "So."}});
    turn["messages"].push_back({{"role", "user"}, {"content", "And?"}});
    return turn;
  }

  std::string key_at(std::size_t index) {
    return json::parse(model_.request(index).body).value("prompt_cache_key", std::string());
  }

  scripted_provider model_{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.end();
  }};
  std::mutex guard_;
  strict_anthropic strict_;
  scripted_provider claude_{[this](provider_call& call) {
    const std::lock_guard guard(guard_);
    const std::string fault = strict_.fault_of(json::parse(call.request().body));
    if (!fault.empty()) return call.answer(400, anthropic_error(fault));
    stream_message(call, {{{"type", "text"}, {"text", "hi"}}}, "end_turn");
  }};
};

TEST_F(cache_hints_test, EachTurnHasTheHintOfItsConversation) {
  const json first = first_turn("key");
  ASSERT_EQ(chat(first).status, 200);
  ASSERT_EQ(chat(next_turn(first)).status, 200);
  json other = first;
  other["messages"][1]["content"] = "How?";
  ASSERT_EQ(chat(other).status, 200);
  const std::string hint = key_at(0);
  EXPECT_EQ(hint.size(), 32u);
  EXPECT_EQ(key_at(1), hint);
  EXPECT_NE(key_at(2), hint);
  EXPECT_EQ(key_at(2).size(), 32u);
}

TEST_F(cache_hints_test, CallersWithKeysOfTheirOwnHaveOtherHints) {
  const json first = first_turn("key");
  for (const char* field : {"", "x-provider-key-key: sk-a\r\n", "x-provider-key-key: sk-b\r\n", "x-provider-key-key: sk-a\r\n"})
    ASSERT_EQ(chat(first, field).status, 200);
  EXPECT_NE(key_at(0), key_at(1));
  EXPECT_NE(key_at(0), key_at(2));
  EXPECT_NE(key_at(1), key_at(2));
  EXPECT_EQ(key_at(1), key_at(3));
}

TEST_F(cache_hints_test, AHintOfTheClientPasses) {
  json asked = first_turn("key");
  asked["prompt_cache_key"] = "mine";
  ASSERT_EQ(chat(asked).status, 200);
  EXPECT_EQ(key_at(0), "mine");
  ASSERT_EQ(chat(first_turn("header"), "x-session-affinity: mine\r\n").status, 200);
  EXPECT_EQ(model_.request(1).field("x-session-affinity"), "mine");
  ASSERT_EQ(chat(first_turn("header")).status, 200);
  EXPECT_EQ(model_.request(2).field("x-session-affinity").size(), 32u);
}

TEST_F(cache_hints_test, AHintOfAResponsesClientReachesChat) {
  const http_response got = respond({{"model", "key"}, {"prompt_cache_key", "thread-1"}, {"input", "Why?"}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(key_at(0), "thread-1");
  EXPECT_EQ(got.field_or("x-race-dropped", "").find("prompt_cache_key"), std::string::npos) << got.head;
}

TEST_F(cache_hints_test, PromptsOfOtherApisAreMarkedForClaude) {
  const http_response got = chat(first_turn("claude"));
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(claude_.request(0).body).at("cache_control"), json({{"type", "ephemeral"}}));
  ASSERT_EQ(respond({{"model", "claude"}, {"input", "hi"}}).status, 200);
  EXPECT_TRUE(json::parse(claude_.request(1).body).contains("cache_control"));
  ASSERT_EQ(message({{"model", "claude"}}).status, 200);
  EXPECT_FALSE(json::parse(claude_.request(2).body).contains("cache_control"));
}

TEST_F(cache_hints_test, ClaudeCodesAttributionGoesToAnthropicAlone) {
  const json text{{"type", "text"}, {"text", "x-anthropic-billing-header: cc_version=2.1; cch=36ee5;"}};
  const json system{text, {{"type", "text"}, {"text", "Be brief."}}};
  ASSERT_EQ(message({{"model", "claude"}, {"system", system}}).status, 200);
  const http_response got = message({{"model", "elsewhere"}, {"system", system}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(claude_.request(0).body).at("system").size(), 2u);
  EXPECT_EQ(json::parse(claude_.request(1).body).at("system"), json::array({system[1]}));
  EXPECT_EQ(got.field_or("x-race-dropped", ""), "");
}

}  // namespace
}  // namespace photofinish::testing
