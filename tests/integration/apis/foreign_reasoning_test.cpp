// Reasoning that one account's provider has encrypted, at a target that cannot read it: it is asked once more without.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/integration/apis/conversation_fixture.hpp"

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
    add_route("both", {"stubborn/m", "strict/m"}, racing::race_policy::fallback);
    settings.log_level = "info";
  }

  http_response go_on(const std::string& model, bool is_streamed = true) {
    const json reasoning{{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}, {"encrypted_content", "gAAAAfromElsewhere"}};
    const json said{{"role", "user"}, {"content", "and?"}};
    return respond({{"model", model}, {"stream", is_streamed}, {"input", {said, reasoning, said}}});
  }

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
