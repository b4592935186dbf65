// Tests the cost in an answer's usage, and the receipt's id in the answer's headers.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

std::string counted_answer() {
  return "data: " + token_chunk("hi") + "\n\ndata: " + finish_chunk() + "\n\ndata: " + usage_chunk(1000, 100) +
         "\n\ndata: [DONE]\n\n";
}

class answer_cost_test : public conversation_fixture {
 protected:
  answer_cost_test() {
    add("a", a_).prices = {{"m", *proxy::parse_prices("1/10")}};
    add("b", b_);
    add_route("alone", {"a/m"});
    add_route("raced", {"a/m", "b/m"});
  }
  json asking_for_cost(const char* model, bool is_streamed) {
    return {{"model", model}, {"stream", is_streamed}, {"usage", {{"include", true}}}};
  }

  scripted_provider a_{sends_stream(counted_answer(), 30ms)};
  scripted_provider b_{stays_silent()};
};

TEST_F(answer_cost_test, AWholeAnswersHeadHasItsCost) {
  const http_response got = chat({{"model", "alone"}});
  EXPECT_EQ(got.field_or("x-race-cost-usd", ""), "0.002") << got.body;
  EXPECT_FALSE(json::parse(got.body).at("usage").contains("cost"));
}

TEST_F(answer_cost_test, TheLosersAreInIt) {
  settings.providers.at("b").prices = {{"m", *proxy::parse_prices("3/30")}};
  settings.providers.at("b").behaves.billing = proxy::cancel_billing::full;
  EXPECT_EQ(chat({{"model", "raced"}}).field_or("x-race-cost-usd", ""), "0.008");
}

TEST_F(answer_cost_test, AnUnknownPriceLeavesItOut) {
  const http_response got = chat({{"model", "raced"}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-cost-usd", "none"), "none");
}

TEST_F(answer_cost_test, AClientThatAsksFindsItInTheUsage) {
  EXPECT_EQ(json::parse(chat(asking_for_cost("alone", false)).body).at("usage").at("cost"), 0.002);
  const http_response streamed = chat(asking_for_cost("alone", true));
  EXPECT_NE(streamed.body.find(R"("cost":0.002)"), std::string::npos) << streamed.body;
  EXPECT_EQ(streamed.field_or("x-race-cost-usd", "none"), "none") << "its head left before";
  for (const received_request& each : a_.requests())
    EXPECT_FALSE(json::parse(each.body).contains("usage")) << each.body;
}

TEST_F(answer_cost_test, ClientsOfOtherApisFindItToo) {
  const json response = json::parse(respond(asking_for_cost("alone", false)).body);
  EXPECT_EQ(response.at("usage").at("cost"), 0.002) << response;
  json message = asking_for_cost("alone", true);
  message["messages"] = {{{"role", "user"}, {"content", "hi"}}};
  message["max_tokens"] = 100;
  const http_response got = call("/v1/messages", message);
  EXPECT_NE(got.body.find(R"("cost":0.002)"), std::string::npos) << got.body;
}

// The gateway sends the head of the answer before the race has a winner.
TEST_F(answer_cost_test, AStreamThatBeginsEarlyNamesItsReceipt) {
  gateway::route& route = add_route("speed", {"a/m", "b/m"}, racing::race_policy::adaptive);
  route.race.keepalive_after = 1ms;
  start();
  http_response got;
  EXPECT_TRUE(comes_true([&] {
    got = chat({{"model", "speed"}, {"stream", true}});
    return !got.field_or("x-race-id", "").empty();
  })) << got.body;
}

}  // namespace
}  // namespace photofinish::testing
