// Tests requests without `stream`. The first token still decides the race, and the gateway writes the answer when it is complete.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using nlohmann::json;

class whole_answer_test : public gateway_fixture {
 protected:
  void serve(scripted_provider::script play) {
    provider = std::make_unique<scripted_provider>(std::move(play));
    add("p", *provider);
    add_route("r", {"p/m"}).race.stall_timeout = 100ms;
    start();
  }
  std::unique_ptr<scripted_provider> provider;
};

TEST_F(whole_answer_test, IsOneCompletionOutOfAllChunks) {
  serve(streams({"Hel", "lo"}));
  const http_response got = post(whole("r"));
  const json answer = json::parse(got.body);
  EXPECT_EQ(answer["object"], "chat.completion");
  EXPECT_EQ(answer["id"], "c-1");
  EXPECT_EQ(answer["choices"][0]["message"]["content"], "Hello");
  EXPECT_EQ(answer["choices"][0]["message"]["role"], "assistant");
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "stop");
}

TEST_F(whole_answer_test, HoldsTheUsageWithoutBeingAsked) {
  serve(sends_stream("data: " + token_chunk("hi") + "\n\ndata: " + finish_chunk() + "\n\ndata: " + usage_chunk(7, 2) +
                     "\n\ndata: [DONE]\n\n"));
  EXPECT_EQ(json::parse(post(whole("r")).body)["usage"]["total_tokens"], 9);
}

TEST_F(whole_answer_test, IsStreamedFromTheProvider) {
  serve(streams({"hi"}));
  post(whole("r", R"(,"stream":false)"));
  EXPECT_EQ(json::parse(provider->request().body)["stream"], true);
}

TEST_F(whole_answer_test, OfABrokenWinnerIsA502) {
  serve([](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("half"));
    call.wait(20ms);
    call.reset();
  });
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 502);
  EXPECT_EQ(got.error("code"), "upstream_broken");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "p/m");
  expect_metric(1, "photofinish_requests_total", {R"(outcome="truncated")"});
}

TEST_F(whole_answer_test, OfAStalledWinnerIsA504ThatIsNotToBeRepeated) {
  serve(stalls_after("half"));
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 504);
  EXPECT_EQ(got.error("type"), "timeout_error");
  EXPECT_EQ(got.field_or("x-should-retry", ""), "false");
}

// The answer of a provider that ignores `stream: true`: a chat.completion with all its members.
const std::string completion =
    R"({"id":"c-9","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"from json","reasoning_content":"hm"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}})";

// A provider that sends a role and then waits. Only the JSON answer of the other provider therefore contains a token.
scripted_provider::script says_only_a_role() {
  return [](provider_call& call) {
    call.stream_head();
    call.event(role_chunk());
    call.hang();
  };
}

TEST_F(whole_answer_test, OfAProviderThatDoesNotStreamWinsARaceAsAStream) {
  scripted_provider quiet(says_only_a_role());
  provider = std::make_unique<scripted_provider>(refuses(200, completion));
  add("quiet", quiet), add("p", *provider);
  add_route("r", {"quiet/m", "p/m"});
  start();
  const http_response got = post(streamed("r", R"(,"stream_options":{"include_usage":true})"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.field_or("content-type", ""), "text/event-stream");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "p/m");
  EXPECT_EQ(got.text(), "from json");
  EXPECT_NE(got.body.find(R"("choices":[],"usage":{"prompt_tokens":3)"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find("data: [DONE]"), std::string::npos) << got.body;
}

TEST_F(whole_answer_test, OfAProviderThatDoesNotStreamStaysWhole) {
  serve(refuses(200, completion));
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 200);
  const json answer = json::parse(got.body);
  EXPECT_EQ(answer["id"], "c-9");
  EXPECT_EQ(answer["object"], "chat.completion");
  EXPECT_EQ(answer["choices"][0]["message"]["content"], "from json");
  EXPECT_EQ(answer["choices"][0]["message"]["reasoning_content"], "hm");
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(answer["usage"]["total_tokens"], 5);
}

TEST_F(whole_answer_test, ThatIsAnErrorStaysOne) {
  serve(refuses(200, R"({"error":{"message":"slow down","code":429}})"));
  EXPECT_EQ(post(streamed("r")).status, 429);
}

TEST_F(whole_answer_test, UsageInEachChunkPassesWhereAskedFor) {
  serve(sends_stream(R"(data: {"id":"i","created":5,"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}})"
                     "\n\ndata: " + finish_chunk() + "\n\ndata: : keepalive\n\ndata: [DONE]\n\n"));
  const http_response got = post(streamed("r", R"(,"stream_options":{"include_usage":true,"continuous_usage_stats":true})"));
  EXPECT_NE(got.body.find(R"("content":"a"}}],"usage":{"prompt_tokens":7)"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find("data: [DONE]"), std::string::npos) << got.body;
}

TEST_F(whole_answer_test, LeavesTheConnectionForTheNextRequest) {
  serve(streams({"hi"}));
  test_client client = connect();
  for (int turn = 0; turn < 3; ++turn) {
    client.post(whole("r"));
    ASSERT_EQ(client.read().status, 200);
  }
}

}  // namespace
}  // namespace photofinish::testing
