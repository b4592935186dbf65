// Tests races that prefer the target with the cached prompt. Two providers remember the prompts that they have read. The tests check which
// target answers, and which prefix was in that target's cache. They check no times.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using racing::race_policy;

// A provider with a prompt cache. It counts a prompt as cached if it has already read all messages of the prompt except the last two.
class keeping_provider {
 public:
  keeping_provider()
      : provider_([this](provider_call& call) {
          const std::string& body = call.request().body;
          const std::string prompt = body.substr(0, body.rfind(R"(,"stream")"));
          const bool is_known = knows(prompt, call.request().field("authorization"));
          call.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
          for (const std::string& event : {role_chunk(), token_chunk("an answer"), finish_chunk()}) call.event(event);
          const std::size_t tokens = prompt.size() / 4;
          call.event(R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{)"
                     R"("prompt_tokens":)" + std::to_string(tokens) + R"(,"completion_tokens":2,"total_tokens":)" +
                     std::to_string(tokens + 2) + R"(,"prompt_tokens_details":{"cached_tokens":)" +
                     std::to_string(is_known ? tokens * 9 / 10 : 0) + "}}}");
          call.event("[DONE]");
          call.end();
        }) {}

  operator const scripted_provider&() const { return provider_; }
  int found() const { return found_; }

 private:
  bool knows(const std::string& prompt, const std::string& account) {
    const std::lock_guard lock(mutex_);
    bool is_known = false;
    for (const std::string& each : read_) is_known |= (account + prompt).starts_with(each);
    const std::size_t end = prompt.rfind("]");
    read_.insert(account + prompt.substr(0, end));
    found_ += is_known ? 1 : 0;
    return is_known;
  }

  std::mutex mutex_;
  std::set<std::string> read_;
  std::atomic<int> found_ = 0;
  scripted_provider provider_;
};

// An agent's conversation with a long system prompt. Each answer adds one turn to the conversation.
class conversation {
 public:
  explicit conversation(const std::string& name)
      : messages_(R"({"role":"system","content":")" + name + std::string(9'000, 's') + R"("})") {
    ask("begin");
  }

  std::string body(const std::string& model = "r") const {
    return R"({"model":")" + model + R"(","messages":[)" + messages_ +
           R"(],"stream":true,"stream_options":{"include_usage":true}})";
  }
  void answered() {
    messages_ += R"(,{"role":"assistant","content":"an answer"})";
    ask("go on " + std::string(200, 'x'));
  }

 private:
  void ask(const std::string& text) { messages_ += R"(,{"role":"user","content":")" + text + R"("})"; }

  std::string messages_;
};

class prompt_cache_test : public gateway_fixture {
 protected:
  prompt_cache_test() { keeping.tick = 20ms; }

  racing::race_settings& serve(const keeping_provider& a, const keeping_provider& b) {
    for (proxy::provider* each : {&add("a", a), &add("b", b)})
      each->behaves.billing = proxy::cancel_billing::stops;
    return add_route("r", {"a/m", "b/m"}, race_policy::adaptive).race;
  }
  void start_with_board() {
    start();
    EXPECT_TRUE(comes_true([&] { return !post(streamed("r")).field_or("x-race-id", "").empty(); }));
  }
  // Sends the next turn of the conversation, appends the answer to the conversation, and returns the answer.
  http_response turn(conversation& with, const std::string& fields = "") {
    http_response got = post(with.body(), fields);
    EXPECT_EQ(got.status, 200) << got.body;
    with.answered();
    return got;
  }
};

TEST_F(prompt_cache_test, ConversationsStayWhereTheirPromptsAre) {
  keeping_provider a, b;
  serve(a, b);
  start_with_board();
  constexpr int sessions = 6, turns = 25;
  std::vector<conversation> all;
  for (int n = 0; n < sessions; ++n) all.emplace_back("session " + std::to_string(n));
  int warm = 0;  // the gateway may try the other target for a turn, so that both targets have the conversation in their caches
  for (int at = 0; at < turns; ++at) {
    for (std::size_t n = 0; n < all.size(); ++n) {
      const http_response got = turn(all[n]);
      if (at > 0) warm += got.field_or("x-race-prompt-cache", "").starts_with("warm;tokens=") ? 1 : 0;
    }
  }
  constexpr int can_be_warm = sessions * (turns - 1);
  EXPECT_GE(warm, can_be_warm * 94 / 100);
  EXPECT_GE(a.found() + b.found(), can_be_warm * 94 / 100);
  EXPECT_TRUE(comes_true([&] {
    return metric("photofinish_prompt_cache_matches_total", {R"(expected="warm")", R"(found="warm")"}) >=
           can_be_warm * 94 / 100;
  }));
  EXPECT_GT(metric("photofinish_prompt_cache_tokens_total", {R"(result="read")"}), 0);
  EXPECT_GT(metric("photofinish_prefixes"), 0);
}

TEST_F(prompt_cache_test, AnotherAccountIsCold) {
  keeping_provider a, b;
  serve(a, b);
  start_with_board();
  conversation with("accounts");
  const std::string one = "x-provider-key-a: one\r\nx-provider-key-b: one\r\n";
  const std::string other = "x-provider-key-a: other\r\nx-provider-key-b: other\r\n";
  EXPECT_EQ(turn(with, one).field_or("x-race-prompt-cache", ""), "cold");
  EXPECT_TRUE(turn(with, one).field_or("x-race-prompt-cache", "").starts_with("warm;tokens="));
  EXPECT_EQ(turn(with, other).field_or("x-race-prompt-cache", ""), "cold") << "the same conversation";
  EXPECT_TRUE(turn(with, one).field_or("x-race-prompt-cache", "").starts_with("warm;tokens="));
}

TEST_F(prompt_cache_test, OthersPassAsBefore) {
  keeping_provider a, b;
  serve(a, b).cache.prompt_cache = racing::prompt_caches::ignore;
  start_with_board();
  conversation with("ignored");
  for (int n = 0; n < 3; ++n) EXPECT_EQ(turn(with).field_or("x-race-prompt-cache", "none"), "none");
  EXPECT_EQ(metric("photofinish_prefixes"), 0);
}

TEST_F(prompt_cache_test, ShortQuestionsAreNotFollowed) {
  keeping_provider a, b;
  serve(a, b);
  start_with_board();
  EXPECT_EQ(post(streamed("r")).field_or("x-race-prompt-cache", "none"), "none");
}

}  // namespace
}  // namespace photofinish::testing
