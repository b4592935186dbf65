// Answers without `stream`: raced on the first token all the same, and written only when they are whole.
#include "tests/support/gateway_fixture.hpp"

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
