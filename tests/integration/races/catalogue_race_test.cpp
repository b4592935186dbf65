// Tests edge cases of races: first tokens in the same turn of the loop,
// losers in every state, clients that leave, and connections that die.
#include "tests/support/canary.hpp"
#include "tests/support/streams/stream_bytes.hpp"

#include <atomic>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class race_catalogue_test : public gateway_fixture {};

TEST_F(race_catalogue_test, AFastFailureLosesToASlowAnswerAndIsNeverSeen) {
  scripted_provider quick(sends_stream(events({R"({"error":{"message":"bytes of the failed one"}})"}), 10ms));
  std::atomic<bool> has_failed = false;
  scripted_provider slow(streams_when([&] { return has_failed.load(); }, {"slow", " but", " true"}));
  add("quick", quick), add("slow", slow);
  add_route("r", {"quick/m", "slow/m"});
  start();
  test_client client = connect();
  client.post(streamed("r"));
  quick.request(), slow.request();
  expect_metric(0, "photofinish_inflight_attempts", {R"(provider="quick")"});
  has_failed = true;
  const http_response got = client.read();
  EXPECT_EQ(got.text(), "slow but true");
  EXPECT_EQ((got.head + got.body).find("bytes of the failed one"), std::string::npos);
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "2");
}

TEST_F(race_catalogue_test, ADeadHeatHasOneWinnerAndMixesNothing) {
  const auto says = [](const std::string& word) { return streams(std::vector<std::string>(20, word), 2ms); };
  scripted_provider a(says("a")), b(says("b")), c(says("c"));
  add("a", a), add("b", b), add("c", c);
  add_route("r", {"a/m", "b/m", "c/m"});
  start();
  constexpr int runs = 300;
  for (int run = 0; run < runs; ++run) {
    const http_response got = post(streamed("r"));
    const std::string winner = got.field_or("x-race-winner", "?");
    ASSERT_EQ(got.text(), std::string(20, winner[0])) << "in race " << run;
    ASSERT_TRUE(got.is_complete);
  }
  expect_metric(runs, "photofinish_attempts_total", {R"(outcome="won")"});
  expect_metric(2 * runs, "photofinish_attempts_total", {R"(outcome="lost")"});
  expect_metric(0, "photofinish_inflight_attempts");
  EXPECT_TRUE(comes_true([&] { return a.open_connections() + b.open_connections() + c.open_connections() <= 3; }));
}

TEST_F(race_catalogue_test, LosersInEveryStateAreLetGoAtOnce) {
  full_listener never_connects;
  std::atomic<bool> is_let_go = false;
  scripted_server never_shakes_hands([&](peer& client) { client.read_to_end(), is_let_go = true; });
  scripted_provider without_a_head(stays_silent());
  scripted_provider inside_its_head([](provider_call& call) { call.send("HTTP/1.1 200 OK\r\nContent-"), call.hang(); });
  scripted_provider inside_its_body([](provider_call& call) { call.stream_head(), call.event(role_chunk()), call.hang(); });
  std::atomic<test_clock::time_point> won_at{};
  scripted_provider winner([&](provider_call& call) {
    const auto are_all_asked = [&] {
      return never_shakes_hands.accepted() > 0 && without_a_head.requests().size() + inside_its_head.requests().size() +
                                                          inside_its_body.requests().size() == 3;
    };
    if (!call.wait_until(are_all_asked) || !call.wait(30ms)) return;
    won_at = test_clock::now();
    streams({"won"})(call);
  });
  settings.providers["connect"] = local_provider("connect", never_connects.port());
  settings.providers["tls"] = local_provider("tls", never_shakes_hands.port());
  settings.providers["tls"].url.is_tls = true;
  add("head", without_a_head), add("half", inside_its_head), add("body", inside_its_body), add("winner", winner);
  add_route("r", {"connect/m", "tls/m", "head/m", "half/m", "body/m", "winner/m"}).race.max_parallel = 6;
  start();
  canary machine;
  ASSERT_EQ(post(streamed("r")).text(), "won");
  for (const scripted_provider* loser : {&without_a_head, &inside_its_head, &inside_its_body}) {
    const double closed_ms = milliseconds_between(won_at, loser->closed_at(loser->request()));
    EXPECT_LT(closed_ms, 50 + machine.allowance_ms());
  }
  expect_metric(5, "photofinish_attempts_total", {R"(outcome="lost")"});
  expect_metric(0, "photofinish_inflight_attempts");
  gateway->drain();  // the drain does not wait for losing attempts, even if an abandoned dial is still running
  EXPECT_TRUE(gateway->is_drained());
  EXPECT_TRUE(comes_true([&] { return is_let_go.load(); }));
}

TEST_F(race_catalogue_test, AClientThatLeavesEarlyBlamesNoProvider) {
  scripted_provider slow(in_turn({stays_silent(), stays_silent(), stays_silent(), streams({"fine"})}));
  add("p", slow);
  add_route("r", {"p/m"});
  start();
  for (std::size_t leaver = 0; leaver < 3; ++leaver) {
    test_client client = connect();
    client.post(streamed("r"));
    const received_request asked = slow.request(leaver);
    client.reset();
    slow.closed_at(asked);
  }
  expect_metric(3, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  expect_metric(3, "photofinish_attempts_total", {R"(outcome="cancelled")"});
  expect_metric(0, "photofinish_attempts_total", {R"(outcome="failed")"});
  std::this_thread::sleep_for(50ms);  // gives the housekeeper enough time to publish a cooldown, if there is one
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "fine");
  EXPECT_EQ(got.field("x-race-skipped"), std::nullopt);
}

TEST_F(race_catalogue_test, OfTwoEmptyAnswersTheFirstIsTakenWhenNothingElseIsLeft) {
  const std::string empty = events({role_chunk(), finish_chunk(), "[DONE]"});
  scripted_provider a(sends_stream(empty, 5ms)), b(sends_stream(empty, 60ms)), c(refuses(500, "{}", "", 100ms));
  add("a", a), add("b", b), add("c", c);
  add_route("r", {"a/m", "b/m", "c/m"});
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.field_or("x-race-winner", ""), "a/m");
  EXPECT_EQ(got.text(), "");
  EXPECT_TRUE(got.is_complete);
}

TEST_F(race_catalogue_test, PingsDoNotKeepASilentAttemptInTheRace) {
  scripted_provider pings([](provider_call& call) {
    call.stream_head();
    while (call.chunk(": ping\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\ndata:\n\n") && call.wait(10ms)) continue;
  });
  scripted_provider next(streams({"next"}));
  add("pings", pings), add("next", next);
  add_route("r", {"pings/m", "next/m"}, racing::race_policy::fallback).race.first_token_timeout = 300ms;
  start();
  EXPECT_EQ(post(streamed("r")).text(), "next");
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="failed")", R"(reason="timeout")"});
}

TEST_F(race_catalogue_test, PingsDoNotKeepAStalledWinnerAlive) {
  scripted_provider pings([](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("begun"));
    while (call.chunk("event: ping\ndata: {\"type\":\"ping\"}\n\n") && call.wait(10ms)) continue;
  });
  add("p", pings);
  add_route("r", {"p/m"}).race.stall_timeout = 400ms;
  start();
  const http_response got = post(streamed("r"));
  EXPECT_FALSE(got.is_complete);
  EXPECT_NE(got.events().back().find("upstream_stalled"), std::string::npos) << got.body;
}

// The three ways in which a provider closes a kept connection. After each of them the gateway retries once, and the client does not notice.
struct dead_connection {
  const char* name;
  scripted_provider::script second;  // how the provider reacts to a second request on the kept connection
};

class dead_connection_test : public gateway_fixture, public ::testing::WithParamInterface<dead_connection> {};

TEST_P(dead_connection_test, CostsOneSilentRetry) {
  scripted_provider provider(in_turn({streams({"first"}), GetParam().second, streams({"again"})}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  ASSERT_EQ(post(streamed("r")).text(), "first");
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "again");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
  expect_metric(0, "photofinish_attempts_total", {R"(outcome="failed")"});
}

INSTANTIATE_TEST_SUITE_P(
    , dead_connection_test,
    ::testing::Values(dead_connection{"End", [](provider_call& call) { call.close(); }},
                      dead_connection{"Reset", [](provider_call& call) { call.reset(); }},
                      dead_connection{"LateReset", [](provider_call& call) { call.wait(40ms), call.reset(); }}),
    [](const auto& row) { return row.param.name; });

TEST_F(race_catalogue_test, AKeptConnectionThatDoesNotTakeTheRequestIsReplacedToo) {
  // The provider closes the connection before it has read the request. The request is larger than the kernel's buffers, so the gateway's
  // write fails.
  std::atomic<int> connections = 0;
  scripted_server provider([&](peer& client) {
    std::string asked = client.read_some();
    if (connections++ == 0) {
      client.write(chunked(plain_answer, 64));
      client.read_some();  // reads only the beginning of the second request
      return client.reset();
    }
    while (asked.find("the end\"}") == std::string::npos) {
      const std::string more = client.read_some();
      if (more.empty()) return;
      asked = asked.substr(asked.size() - std::min<std::size_t>(asked.size(), 16)) + more;
    }
    client.write(chunked(plain_answer, 64));
    client.read_to_end();
  });
  settings.providers["p"] = local_provider("p", provider.port());
  settings.providers["p"].limits.max_spares = 0;
  add_route("r", {"p/m"});
  start();
  ASSERT_EQ(post(streamed("r")).text(), "one two");
  const std::string prompt(16u << 20, 'x');
  const http_response got = post(R"({"model":"r","stream":true,"messages":[{"role":"user","content":")" + prompt + "the end\"}]}");
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.text(), "one two");
}

}  // namespace
}  // namespace photofinish::testing
