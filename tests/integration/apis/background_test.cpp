// Tests background responses, which continue after their requests have ended. Their cost is first estimated, and later computed from the
// usage that the provider reports.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <atomic>
#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

constexpr const char* queued = R"({"id":"resp_a","object":"response","status":"queued","output":[],"usage":null})";

class background_test : public conversation_fixture {
 protected:
  background_test() {
    settings.access.id_secret = proxy::secret("0123456789abcdef0123456789abcdef");
    add_responses("lab", lab_).prices = {{"m", *proxy::parse_prices("0/1000000")}};  // each output token costs a dollar
    add_route("lab", {"lab/m"});
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
    settings.access.keys[0].limits = {.budget_nano_usd = 5'000'000'000'000};
    keeping.tick = 10ms;
  }

  http_response begin(const json& more) {
    json request{{"model", "lab"}, {"background", true}, {"store", true}};
    request.update(more);
    return respond(request, "Authorization: Bearer key-a\r\n");
  }
  http_response ask(const std::string& id) { return get("/v1/responses/" + id, "Authorization: Bearer key-a\r\n"); }
  void expect_spent(double usd) { expect_metric(usd, "photofinish_budget_spend_usd", {R"(name="alice")"}); }
  int tokens_left() {
    const http_response models = get("/v1/models", "Authorization: Bearer key-a\r\n");
    return std::stoi(models.field_or("x-ratelimit-remaining-tokens", "-1"));
  }

  std::atomic<bool> is_done_ = false;
  std::atomic<int> output_ = 500;
  scripted_provider lab_{[this](provider_call& call) {
    if (call.request().head.starts_with("POST") || !is_done_) return call.answer(200, queued);
    call.answer(200, R"({"id":"resp_a","object":"response","status":"completed","output":[],"usage":{"input_tokens":40,)"
                     R"("output_tokens":)" + std::to_string(output_) + "}}");
  }};
};

TEST_F(background_test, IsChargedByTheEstimateAndOnceByTheTruth) {
  const http_response begun = begin({{"max_output_tokens", 100}});
  ASSERT_EQ(begun.status, 200) << begun.body;
  const std::string id = json::parse(begun.body).at("id");
  expect_spent(100);
  // The response is still in the provider's queue, so reading it does not change its cost.
  EXPECT_EQ(ask(id).status, 200);
  expect_spent(100);
  is_done_ = true;
  EXPECT_NE(ask(id).body.find("completed"), std::string::npos);
  expect_spent(500);
  EXPECT_EQ(ask(id).status, 200);
  expect_metric(500, "photofinish_client_tokens_total", {R"(client="alice")", R"(direction="output")"});
  expect_spent(500);
}

TEST_F(background_test, ItsTokensAreHeldAndThenOwed) {
  settings.access.keys[0].limits.tokens_per_minute = 200;
  const http_response begun = begin({{"max_output_tokens", 100}});
  ASSERT_EQ(begun.status, 200) << begun.body;
  expect_spent(100);
  EXPECT_LT(tokens_left(), 190);
  is_done_ = true;
  EXPECT_EQ(ask(json::parse(begun.body).at("id")).status, 200);
  EXPECT_EQ(tokens_left(), 0);  // the key has exceeded its token limit, which needs minutes to recover
}

// A background response is charged when it begins. Therefore a key may still fetch the response after it has exceeded its token limit or
// spent its budget. All other limits of the key apply.
TEST_F(background_test, CanBeFetchedByAKeyThatOwesTokensAndHasSpentItsBudget) {
  settings.access.keys[0].limits = {.requests_per_minute = 4, .tokens_per_minute = 200, .budget_nano_usd = 1'000'000'000};
  const http_response begun = begin({{"max_output_tokens", 100}});
  ASSERT_EQ(begun.status, 200) << begun.body;
  const std::string id = json::parse(begun.body).at("id");
  is_done_ = true;
  EXPECT_EQ(ask(id).status, 200);
  expect_spent(500);
  EXPECT_EQ(tokens_left(), 0);
  EXPECT_EQ(begin({{"max_output_tokens", 100}}).status, 429);  // a refused request must not use any tokens
  EXPECT_EQ(ask(id).status, 200);
  EXPECT_TRUE(comes_true([&] { return ask(id).body.find("rpm_limit") != std::string::npos; }));
}

TEST_F(background_test, UsageThatCannotBeIsNotChargedLaterEither) {
  const http_response begun = begin({{"max_output_tokens", 100}});
  ASSERT_EQ(begun.status, 200) << begun.body;
  is_done_ = true;
  output_ = 2'000'000'000;
  EXPECT_EQ(ask(json::parse(begun.body).at("id")).status, 200);
  EXPECT_TRUE(comes_true([this] { return metric("photofinish_budget_spend_usd", {R"(name="alice")"}) > 100; }));
  EXPECT_LT(metric("photofinish_budget_spend_usd", {R"(name="alice")"}), 140'000);
}

// A client may ask for a huge number of output tokens. Nevertheless, the cost estimate never exceeds the cost of the longest answer that
// the model can write.
TEST_F(background_test, AnEstimateIsBoundedToo) {
  ASSERT_EQ(begin({{"max_output_tokens", 1'000'000'000'000}}).status, 200);
  EXPECT_TRUE(comes_true([this] { return metric("photofinish_budget_spend_usd", {R"(name="alice")"}) > 0; }));
  EXPECT_LT(metric("photofinish_client_tokens_total", {R"(client="alice")", R"(direction="output")"}), 1'100'000);
}

TEST_F(background_test, WithoutAWordOfItsLengthAGuessIsCharged) {
  ASSERT_EQ(begin(json::object()).status, 200);
  expect_spent(1000);
}

TEST_F(background_test, WhatTookLessThanItMightStaysChargedAsItWasEstimated) {
  const http_response begun = begin({{"max_output_tokens", 190}});
  ASSERT_EQ(begun.status, 200) << begun.body;
  expect_spent(190);
  is_done_ = true;
  output_ = 150;
  EXPECT_EQ(ask(json::parse(begun.body).at("id")).status, 200);
  expect_metric(190, "photofinish_client_tokens_total", {R"(client="alice")", R"(direction="output")"});
}

}  // namespace
}  // namespace photofinish::testing
