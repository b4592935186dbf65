// Tests OpenAI's older completions API. The target that sends the first text wins the race. The gateway streams the answer, or sends it in
// one piece.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using proxy::served_api;

std::string text_chunk(const std::string& text, const std::string& finish = "null", const std::string& logprobs = "null") {
  return R"({"id":"cmpl-7","object":"text_completion","created":5,"model":"m","choices":[{"text":")" + text +
         R"(","index":0,"logprobs":)" + logprobs + R"(,"finish_reason":)" + finish + "}]}";
}

scripted_provider::script completes(std::vector<std::string> texts) {
  return [texts = std::move(texts)](provider_call& call) {
    call.stream_head();
    for (const std::string& text : texts) call.event(text_chunk(text));
    call.event(text_chunk("", R"("length")"));
    call.event(R"({"id":"cmpl-7","object":"text_completion","created":5,"model":"m","choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}})");
    call.end();
  };
}

class completions_test : public gateway_fixture {
 protected:
  completions_test() {
    add("chat", chat_);
    add("silent", silent_).apis = {served_api::completions};
    add("text", text_).apis = {served_api::chat, served_api::completions};
    add_route("r", {"chat/m", "silent/m", "text/m"});
    start();
  }

  http_response complete(const std::string& more) {
    test_client client = connect();
    client.post(R"({"model":"r","prompt":"def f(")" + more + "}", "", "/v1/completions");
    return client.read();
  }

  scripted_provider chat_{streams({"chat"})};
  scripted_provider silent_{stays_silent()};
  scripted_provider text_{completes({"x", "):", " pass"})};
};

TEST_F(completions_test, AStreamPassesAsItCame) {
  const http_response got = complete(R"(,"suffix":"\n","stream":true,"stream_options":{"include_usage":true})");
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "text/m");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "chat/m;reason=unsupported:completions");
  const std::vector<std::string> events = got.events();
  ASSERT_EQ(events.size(), 6u) << got.body;
  EXPECT_EQ(events[1], text_chunk("):"));
  EXPECT_EQ(json::parse(events[4]).at("usage").at("total_tokens"), 5);
  EXPECT_EQ(events[5], "[DONE]");
  EXPECT_TRUE(text_.request().head.starts_with("POST /v1/completions "));
  EXPECT_EQ(json::parse(text_.request().body).at("suffix"), "\n");
}

TEST_F(completions_test, AWholeOneIsPutTogether) {
  const http_response got = complete("");
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.body,
            R"({"id":"cmpl-7","object":"text_completion","created":5,"model":"m","choices":[{"text":"x): pass","index":0,"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}})");
  expect_metric(3, "photofinish_output_tokens_total", {R"(provider="text")", R"(source="usage")"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="completions")", R"(outcome="ok")"});
}

TEST_F(completions_test, PromptsComeInEveryForm) {
  for (const char* prompt : {R"(["a","b"])", "[1,2,3]", "[[1],[2]]", R"("")"}) {
    test_client client = connect();
    client.post(R"({"model":"r","prompt":)" + std::string(prompt) + "}", "", "/v1/completions");
    EXPECT_EQ(client.read().status, 200) << prompt;
  }
  for (const char* body : {R"({"model":"r"})", R"({"model":"r","prompt":[]})", R"({"model":"r","prompt":7})",
                           R"({"model":"r","prompt":"a","stream":1})", R"({"model":"r","prompt":"a","stream_options":1})"}) {
    test_client client = connect();
    client.post(body, "", "/v1/completions");
    EXPECT_EQ(client.read().status, 400) << body;
  }
}

class one_provider_test : public gateway_fixture {
 protected:
  http_response complete(scripted_provider::script play, const std::string& more) {
    provider_ = std::make_unique<scripted_provider>(std::move(play));
    add("p", *provider_).apis = {served_api::completions};
    add_route("r", {"p/m"});
    start();
    test_client client = connect();
    client.post(R"({"model":"r","prompt":"a")" + more + "}", "", "/v1/completions");
    return client.read();
  }
  std::unique_ptr<scripted_provider> provider_;
};

TEST_F(one_provider_test, LogprobsOfAWholeAnswerGrow) {
  const http_response got = complete(
      [](provider_call& call) {
        call.stream_head();
        call.event(text_chunk("a", "null", R"({"tokens":["a"],"token_logprobs":[-0.10],"top_logprobs":null,"text_offset":[0]})"));
        call.event(text_chunk("b", R"("stop")", R"({"tokens":["b"],"token_logprobs":[-2],"top_logprobs":null,"text_offset":[1]})"));
        call.end();
      },
      R"(,"logprobs":0,"echo":true)");
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_NE(got.body.find(R"("tokens":["a","b"],"token_logprobs":[-0.10,-2])"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("text":"ab")"), std::string::npos) << got.body;
}

TEST_F(one_provider_test, TheBestOfSeveralComesInOnePiece) {
  const http_response got = complete(
      [](provider_call& call) {
        const bool is_streamed = json::parse(call.request().body).contains("stream");
        call.answer(is_streamed ? 400 : 200, R"({"id":"c","object":"text_completion","created":5,"model":"m","choices":[{"text":"best","index":0,"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}})");
      },
      R"(,"best_of":2)");
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(got.body).at("choices")[0].at("text"), "best");
}

TEST_F(one_provider_test, ABrokenStreamEndsWithAnError) {
  const http_response got = complete(
      [](provider_call& call) {
        call.stream_head();
        call.event(text_chunk("half"));
        call.wait(milliseconds(20));
        call.reset();
      },
      R"(,"stream":true)");
  EXPECT_EQ(got.status, 200);
  EXPECT_FALSE(got.is_complete);
  EXPECT_NE(got.body.find(R"("code":"upstream_broken")"), std::string::npos) << got.body;
  EXPECT_EQ(got.body.find("[DONE]"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::testing
