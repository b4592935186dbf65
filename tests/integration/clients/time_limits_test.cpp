// Tests every time limit on real sockets, with limits of milliseconds. Checks the client's answer, and that all connections are closed.
// hand_cranked_limits_test.cpp, dial_test.cpp and tests/unit/racing test the same limits with simulated clocks.
#include "tests/support/streams/stream_bytes.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using nlohmann::json;

class time_limits_test : public one_provider_test {
 protected:
  // Sends a request, and checks that the answer took at least this long. Other tests, which use simulated clocks, check that such an answer
  // takes no longer.
  http_response post_for(milliseconds limit, std::string_view body) {
    const auto asked_at = test_clock::now();
    http_response got = post(body);
    EXPECT_GE(milliseconds_between(asked_at, test_clock::now()), static_cast<double>(limit.count()) - 5);
    return got;
  }
  void expect_nothing_left() {
    expect_metric(0, "photofinish_inflight_attempts");
    expect_metric(0, "photofinish_inflight_requests");
  }
};

TEST_F(time_limits_test, ConnectTimeout) {
  const full_listener never_connects;
  settings.providers["p"] = local_provider("p", never_connects.port());
  settings.providers["p"].limits.connect_timeout = 80ms;
  add_route("r", {"p/m"});
  start();
  const http_response got = post_for(80ms, streamed("r"));
  EXPECT_EQ(got.status, 502);
  EXPECT_NE(got.error("message").find("no connection within 80 ms"), std::string::npos) << got.body;
  expect_metric(1, "photofinish_attempts_total", {R"(reason="connect")"});
  expect_nothing_left();
}

TEST_F(time_limits_test, TlsTimeout) {
  scripted_server silent([](peer& client) { client.read_to_end(); });
  settings.providers["p"] = local_provider("p", silent.port());
  settings.providers["p"].url.is_tls = true;
  settings.providers["p"].limits.tls_timeout = 80ms;
  add_route("r", {"p/m"});
  start();
  const http_response got = post_for(80ms, streamed("r"));
  EXPECT_EQ(got.status, 502);
  EXPECT_NE(got.error("message").find("no TLS handshake within 80 ms"), std::string::npos) << got.body;
  expect_metric(1, "photofinish_attempts_total", {R"(reason="tls")"});
  expect_nothing_left();
}

TEST_F(time_limits_test, FirstTokenTimeoutWhateverComesButATokenOfTheAnswer) {
  settings.routes["r"].race.first_token_timeout = 100ms;
  serve([](provider_call& call) {
    call.stream_head();
    while (call.event(role_chunk()) && call.chunk(": ping\n\n") && call.wait(15ms)) continue;
  });
  const http_response got = post_for(100ms, streamed("r"));
  EXPECT_EQ(got.status, 504);
  EXPECT_EQ(got.field_or("x-should-retry", ""), "false");
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="failed")", R"(reason="timeout")"});
  expect_nothing_left();
}

TEST_F(time_limits_test, RaceTimeoutOverAllAttempts) {
  scripted_provider fails(refuses(500, "{}")), silent(stays_silent());
  add("a", fails), add("b", silent);
  gateway::route& route = add_route("r", {"a/m", "b/m"}, racing::race_policy::fallback);
  route.race.race_timeout = 300ms;
  route.race.first_token_timeout = 10'000ms;
  start();
  EXPECT_EQ(post_for(300ms, streamed("r")).status, 504);
  silent.closed_at(silent.request());
  expect_nothing_left();
}

TEST_F(time_limits_test, StallTimeoutOfAStreamAndOfAWholeAnswer) {
  settings.routes["r"].race.stall_timeout = 100ms;
  serve(stalls_after("begun"));
  const http_response stream = post_for(100ms, streamed("r"));
  EXPECT_FALSE(stream.is_complete);
  EXPECT_EQ(json::parse(stream.events().back())["error"]["code"], "upstream_stalled");
  const http_response answer = post_for(100ms, whole("r"));
  EXPECT_EQ(answer.status, 504);
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="broken")", R"(reason="stall")"});
  expect_nothing_left();
}

TEST_F(time_limits_test, TotalTimeoutOfAStreamThatNeverEndsAndOfAWholeAnswer) {
  settings.routes["r"].race.total_timeout = 300ms;
  serve(never_ends());
  const http_response stream = post_for(300ms, streamed("r"));
  EXPECT_EQ(stream.status, 200);
  EXPECT_FALSE(stream.is_complete);
  EXPECT_EQ(stream.body.find("[DONE]"), std::string::npos);
  const json error = json::parse(stream.events().back())["error"];
  EXPECT_EQ(error["type"], "timeout_error");
  EXPECT_NE(error["message"].get<std::string>().find("total_timeout"), std::string::npos);
  const http_response answer = post_for(300ms, whole("r"));
  EXPECT_EQ(answer.status, 504);
  EXPECT_TRUE(answer.is_complete);
  for (std::size_t index = 0; index < 2; ++index) provider->closed_at(provider->request(index));
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="broken")", R"(reason="timeout")"});
  expect_nothing_left();
}

TEST_F(time_limits_test, IdleTimeoutOfAClientsConnection) {
  settings.limits.idle_timeout = 300ms;
  serve(streams({"hi"}));
  const auto begun_at = test_clock::now();
  test_client fresh = connect(), used = connect();
  used.get("/livez");
  ASSERT_EQ(used.read().status, 200);
  EXPECT_TRUE(fresh.is_closed());
  EXPECT_TRUE(used.is_closed());
  EXPECT_GE(milliseconds_between(begun_at, test_clock::now()), 300);
  EXPECT_EQ(fresh.read().status, 0);  // the client sent no request, so the gateway sends no answer
}

TEST_F(time_limits_test, HeaderTimeoutWhateverDripsIn) {
  settings.limits.header_timeout = 120ms;
  serve(streams({"hi"}));
  test_client slow = connect();
  slow.send("GET /v1/models HTTP/1.1\r\n");
  std::jthread drip([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && slow.send("a")) std::this_thread::sleep_for(10ms);
  });
  const http_response got = slow.read();
  EXPECT_EQ(got.status, 408);
  EXPECT_EQ(got.error("type"), "invalid_request_error");
}

TEST_F(time_limits_test, BodyTimeout) {
  settings.limits.body_timeout = 100ms;
  serve(streams({"hi"}));
  for (const char* framing : {"Content-Length: 500\r\n\r\n{\"model\"", "Transfer-Encoding: chunked\r\n\r\n40\r\n{\"model\""}) {
    test_client slow = connect();
    const auto begun_at = test_clock::now();
    slow.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n" + std::string(framing));
    const http_response got = slow.read();
    EXPECT_EQ(got.status, 408);
    EXPECT_GE(milliseconds_between(begun_at, test_clock::now()), 100);
    EXPECT_TRUE(slow.is_closed());
  }
  EXPECT_EQ(provider->requests().size(), 0u);
}

TEST_F(time_limits_test, IdleTimeoutOfAProvidersConnection) {
  scripted_provider provider_at(streams({"hi"}));
  add("p", provider_at).limits.idle_timeout = 100ms;
  settings.providers["p"].limits.max_spares = 0;
  add_route("r", {"p/m"});
  start();
  ASSERT_EQ(post(streamed("r")).text(), "hi");
  std::this_thread::sleep_for(250ms);
  ASSERT_EQ(post(streamed("r")).text(), "hi");
  EXPECT_NE(provider_at.request(1).connection, provider_at.request(0).connection);
}

TEST_F(time_limits_test, KeepaliveAfterAnswersEarlyOnce) {
  settings.routes["r"].race.keepalive_after = 60ms;
  std::atomic<bool> may_answer = false;
  serve(streams_when([&] { return may_answer.load(); }, {"late"}));
  test_client client = connect();
  client.post(streamed("r"));
  EXPECT_TRUE(client.has_head());
  may_answer = true;
  const http_response early = client.read();
  EXPECT_EQ(early.status, 200);
  EXPECT_TRUE(early.is_complete);
  EXPECT_EQ(early.text(), "late");
  EXPECT_EQ(early.field("x-race-winner"), std::nullopt);
}

}  // namespace
}  // namespace photofinish::testing
