// Tests clients that leave. The gateway must immediately close all upstream connections of the request, whenever and however the client
// disconnects.
#include "tests/support/canary.hpp"
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <algorithm>
#include <tuple>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

enum class way { fin, reset };
enum class moment { before_the_first_token, in_the_middle };
enum class form { stream, whole };

using departure = std::tuple<way, moment, form>;

std::string name_of(const departure& tested) {
  const auto [how, when, answer] = tested;
  return std::string(how == way::fin ? "Fin" : "Reset") + (when == moment::in_the_middle ? "Midway" : "Early") +
         (answer == form::stream ? "Stream" : "Whole");
}

class leaving_test : public gateway_fixture, public ::testing::WithParamInterface<departure> {
 protected:
  captured_log log;
};

TEST_P(leaving_test, EndsEveryAttemptAtOnce) {
  const auto [how, when, answer] = GetParam();
  scripted_provider first(when == moment::in_the_middle ? never_ends() : stays_silent()), second(stays_silent());
  add("a", first), add("b", second);
  add_route("r", {"a/m", "b/m"});
  start();
  test_client client = connect();
  client.post(answer == form::stream ? streamed("r") : whole("r"));
  const received_request to_first = first.request(), to_second = second.request();
  if (when == moment::in_the_middle && answer == form::stream) client.read_until("on ");
  else if (when == moment::in_the_middle) comes_true([&] { return first.bytes_sent() > 1'000; });
  canary machine;
  const auto left_at = test_clock::now();
  if (how == way::fin) client.fin();
  else client.reset();
  const double first_ms = milliseconds_between(left_at, first.closed_at(to_first));
  // an upper bound for the time at which the second connection was closed
  const double second_ms = milliseconds_between(left_at, second.closed_at(to_second));
  EXPECT_LT(std::max(first_ms, second_ms), 50 + machine.allowance_ms());
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  expect_metric(when == moment::before_the_first_token ? 2 : 1, "photofinish_attempts_total", {R"(outcome="cancelled")"});
  expect_metric(0, "photofinish_inflight_attempts");
  expect_metric(0, "photofinish_inflight_requests");
  // If the stream has begun, the client has already received the status. Otherwise the client has received no bytes.
  const bool has_begun = when == moment::in_the_middle && answer == form::stream;
  const std::string status = has_begun ? " status=200 " : " status=499 ";
  EXPECT_TRUE(comes_true([&] { return log.lines_with({"outcome=client_cancelled", status}).size() == 1; }));
}

INSTANTIATE_TEST_SUITE_P(
    , leaving_test,
    ::testing::Combine(::testing::Values(way::fin, way::reset),
                       ::testing::Values(moment::before_the_first_token, moment::in_the_middle),
                       ::testing::Values(form::stream, form::whole)),
    [](const auto& row) { return name_of(row.param); });

class half_close_test : public gateway_fixture {
 protected:
  captured_log log;
};

TEST_F(half_close_test, IsServedWhereItIsTolerated) {
  scripted_provider provider(streams({"one", " two"}, 20ms, 20ms));
  add("p", provider);
  add_route("r", {"p/m"});
  settings.server.client_half_close = gateway::half_close::tolerate;
  start();
  for (const std::string& body : {streamed("r"), whole("r")}) {
    test_client client = connect();
    client.post(body);
    client.fin();
    const http_response got = client.read();
    EXPECT_TRUE(got.is_complete);
    EXPECT_NE(got.body.find("two"), std::string::npos);
    EXPECT_TRUE(client.is_closed());
  }
  expect_metric(2, "photofinish_requests_total", {R"(outcome="ok")"});
}

TEST_F(half_close_test, AResetBehindItStillEndsTheAttempts) {
  scripted_provider provider(never_ends());
  add("p", provider);
  add_route("r", {"p/m"});
  settings.server.client_half_close = gateway::half_close::tolerate;
  start();
  test_client client = connect();
  client.post(streamed("r"));
  client.read_until("on ");
  client.fin();
  const std::size_t before = provider.bytes_sent();
  ASSERT_TRUE(comes_true([&] { return provider.bytes_sent() > before + 2'000; }));  // waits until the client has received more data
  canary machine;
  const auto left_at = test_clock::now();
  client.reset();
  const double closed_ms = milliseconds_between(left_at, provider.closed_at(provider.request()));
  EXPECT_LT(closed_ms, 50 + machine.allowance_ms());
}

TEST_F(half_close_test, AClientThatLeavesInTheMiddleOfItsBodyStartsNothing) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  {
    test_client client = connect();
    client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{\"model\":\"r\"");
  }
  expect_metric(0, "photofinish_inflight_requests");
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  EXPECT_TRUE(comes_true([&] { return log.lines_with({"endpoint=chat_completions", "outcome=client_cancelled status=499"}).size() == 1; }));
  EXPECT_EQ(provider.requests().size(), 0u);
}

}  // namespace
}  // namespace photofinish::testing
