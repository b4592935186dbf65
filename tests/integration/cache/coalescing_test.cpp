// Tests request coalescing end to end: equal requests that arrive while a race is running share this race.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

constexpr std::string_view still = R"(,"temperature":0)";

class coalescing_test : public gateway_fixture {
 protected:
  coalescing_test() {
    settings.server.workers = 2;  // the gateway has two workers, so that the clients of one race may be on different workers
    add("a", provider);
    gateway::route& fast = add_route("fast", {"a/m"});
    fast.cache.emplace().coalesce = true;
    fast.cache->ttl = 0ms;
  }

  std::size_t raced() const { return provider.requests().size(); }
  static std::string cached(const http_response& answer) { return answer.field_or("x-cache", "none"); }
  void wait_for_raced(std::size_t count) {
    ASSERT_TRUE(comes_true([&] { return raced() == count; }));
  }
  test_client asking(std::string_view body = "") {
    test_client client = connect();
    client.post(body.empty() ? streamed("fast", still) : std::string(body));
    return client;
  }
  // Waits until the metric shows this number of running requests. All requests that share the race have then arrived.
  void wait_for_running(double count) {
    ASSERT_TRUE(comes_true([&] { return metric("photofinish_inflight_requests", {R"(route="fast")"}) == count; }));
  }

  std::atomic<bool> may_speak = false, may_end = false;
  std::atomic<int> status = 200;
  std::atomic<bool> breaks = false;
  std::atomic<std::size_t> words = 1;
  scripted_provider provider{[this](provider_call& call) {
    if (!call.wait_until([this] { return may_speak.load(); })) return;
    if (status != 200) return call.answer(status, R"({"error":{"message":"no","code":"nope"}})");
    call.stream_head();
    for (std::size_t each = 0; each < words; ++each)
      if (!call.event(token_chunk("one"))) return;
    if (!call.wait_until([this] { return may_end.load(); })) return;
    if (breaks) return call.reset();
    call.event(token_chunk("two"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 3));
    call.event("[DONE]");
  }};
};

TEST_F(coalescing_test, EqualRequestsShareOneRace) {
  start();
  test_client leader = asking();
  wait_for_raced(1);
  std::vector<test_client> followers;
  for (int each = 0; each < 8; ++each) followers.push_back(asking(each % 2 == 0 ? "" : whole("fast", still)));
  wait_for_running(9);
  may_speak = true;
  EXPECT_NE(leader.read_until("one").body.find("one"), std::string::npos);
  may_end = true;
  const http_response led = leader.read();
  for (int each = 0; each < 8; ++each) {
    const http_response got = followers[static_cast<std::size_t>(each)].read();
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(cached(got), "coalesced");
    EXPECT_EQ(got.field_or("x-race-attempts", ""), "0");
    if (each % 2 == 0) {
      EXPECT_EQ(got.text(), "onetwo");
    } else {
      EXPECT_NE(got.body.find("\"onetwo\""), std::string::npos);
    }
  }
  EXPECT_EQ(raced(), 1u);
  expect_metric(8, "photofinish_cache_requests_total", {R"(result="coalesced")"});
  expect_metric(1, "photofinish_cache_requests_total", {R"(result="miss")"});
  expect_metric(9, "photofinish_requests_total", {R"(outcome="ok")"});
  EXPECT_EQ(metric("photofinish_attempts_total"), 1);
}

TEST_F(coalescing_test, WhoComesInTheMiddleGetsAllOfIt) {
  may_speak = true;
  start();
  test_client leader = asking();
  leader.read_until("one");
  test_client late = asking();
  ASSERT_TRUE(late.has_head());
  may_end = true;
  EXPECT_EQ(late.read().text(), "onetwo");
  EXPECT_EQ(raced(), 1u);
}

TEST_F(coalescing_test, FollowersGetTheSameBytes) {
  start();
  test_client leader = asking();
  wait_for_raced(1);
  test_client follower = asking();
  wait_for_running(2);
  may_speak = may_end = true;
  const http_response led = leader.read(), got = follower.read();
  EXPECT_EQ(cached(led), "miss");
  EXPECT_EQ(cached(got), "coalesced");
  EXPECT_EQ(got.body, led.body);
}

TEST_F(coalescing_test, TheLeadersLeavingHurtsNoFollower) {
  start();
  std::optional<test_client> leader(asking());
  wait_for_raced(1);
  test_client follower = asking();
  wait_for_running(2);
  leader->reset();
  leader.reset();
  may_speak = may_end = true;
  const http_response got = follower.read();
  EXPECT_EQ(got.text(), "onetwo");
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(raced(), 1u);
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
}

TEST_F(coalescing_test, ALeaderMayLeaveInTheMiddleOfItsAnswer) {
  may_speak = true;
  start();
  std::optional<test_client> leader(asking());
  leader->read_until("one");
  test_client follower = asking();
  wait_for_running(2);
  leader->reset();
  leader.reset();
  follower.read_until("one");
  expect_metric(0, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  may_end = true;
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")"});
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  EXPECT_EQ(raced(), 1u);
}

TEST_F(coalescing_test, WhenAllHaveLeftTheRaceEnds) {
  start();
  std::optional<test_client> leader(asking());
  wait_for_raced(1);
  std::optional<test_client> follower(asking());
  wait_for_running(2);
  leader->reset(), leader.reset();
  ASSERT_TRUE(comes_true([&] { return provider.open_connections() == 1; }));
  follower->reset(), follower.reset();
  ASSERT_TRUE(comes_true([&] { return provider.open_connections() == 0; }));
  wait_for_running(0);
  may_speak = may_end = true;
  EXPECT_EQ(post(streamed("fast", still)).text(), "onetwo");  // this request must not wait for the cancelled race
  EXPECT_EQ(raced(), 2u);
}

TEST_F(coalescing_test, AFollowersLeavingHurtsNobody) {
  start();
  test_client leader = asking();
  wait_for_raced(1);
  std::optional<test_client> follower(asking());
  test_client stays = asking();
  wait_for_running(3);
  follower->reset(), follower.reset();
  wait_for_running(2);
  may_speak = may_end = true;
  EXPECT_EQ(leader.read().text(), "onetwo");
  EXPECT_EQ(stays.read().text(), "onetwo");
}

// One of the clients that share a race does not read its answer. The gateway stores the unread bytes only once for all clients, and all
// other clients get their answers.
TEST_F(coalescing_test, ASlowFollowerHoldsNobodyUp) {
  words = 10'000;
  start();
  test_client leader = asking();
  wait_for_raced(1);
  test_client slow(gateway->port(), 4096);
  slow.post(streamed("fast", still));
  wait_for_running(2);
  may_speak = may_end = true;
  const http_response led = leader.read();
  EXPECT_TRUE(led.is_complete);
  const http_response got = slow.read();
  EXPECT_TRUE(got.is_complete);
  EXPECT_TRUE(got.body == led.body);  // uses EXPECT_TRUE, because EXPECT_EQ would need minutes to print the difference of such long texts
}

// If an answer becomes too long to be stored, the client that started the race still gets the complete answer. The answers of the clients
// that share the race are cut off.
TEST_F(coalescing_test, AnAnswerThatBecomesTooLongIsTheLeadersAlone) {
  words = 60'000;
  start();
  test_client leader = asking();
  wait_for_raced(1);
  test_client follower = asking();
  wait_for_running(2);
  may_speak = may_end = true;
  EXPECT_TRUE(leader.read().is_complete);
  const http_response got = follower.read();
  EXPECT_FALSE(got.is_complete);
  EXPECT_TRUE(got.body.find("gateway_overloaded") != std::string::npos);
  expect_metric(0, "photofinish_cache_bytes");
}

TEST_F(coalescing_test, ADefeatIsEverybodys) {
  status = 400;
  start();
  test_client leader = asking();
  wait_for_raced(1);
  test_client follower = asking();
  wait_for_running(2);
  may_speak = true;
  const http_response led = leader.read(), got = follower.read();
  EXPECT_EQ(led.status, 400);
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.body, led.body);
  EXPECT_EQ(raced(), 1u);
}

TEST_F(coalescing_test, ABrokenAnswerIsBrokenForAll) {
  breaks = true;
  start();
  test_client leader = asking();
  wait_for_raced(1);
  test_client follower = asking(), waits = asking(whole("fast", still));
  wait_for_running(3);
  may_speak = may_end = true;
  EXPECT_FALSE(leader.read().is_complete);
  const http_response got = follower.read();
  EXPECT_FALSE(got.is_complete);
  EXPECT_NE(got.body.find("upstream_broken"), std::string::npos);
  EXPECT_EQ(waits.read().status, 502);
}

// If the client that started the race has left and the answer is then cut off, the client that shares the race gets an error.
TEST_F(coalescing_test, ABrokenAnswerOfALeaderThatLeftIsTold) {
  breaks = true;
  start();
  std::optional<test_client> leader(asking());
  wait_for_raced(1);
  test_client follower = asking();
  wait_for_running(2);
  leader->reset(), leader.reset();
  may_speak = may_end = true;
  const http_response got = follower.read();
  EXPECT_FALSE(got.is_complete);
  EXPECT_NE(got.body.find("upstream_broken"), std::string::npos);
}

TEST_F(coalescing_test, OtherRacesAndOthersAnswersAreNotShared) {
  start();
  test_client leader = asking();
  wait_for_raced(1);
  test_client other = asking(streamed("fast", R"(,"temperature":0,"seed":1)"));
  wait_for_raced(2);
  test_client lowered = connect();
  lowered.post(streamed("fast", still), "x-race-max-attempts: 1\r\n");
  wait_for_raced(3);
  test_client fresh = connect();
  fresh.post(streamed("fast", still), "cache-control: no-cache\r\n");
  wait_for_raced(4);
  may_speak = may_end = true;
  for (test_client* each : {&leader, &other, &lowered, &fresh}) EXPECT_EQ(each->read().text(), "onetwo");
}

TEST_F(coalescing_test, WithoutTheSettingEachIsRaced) {
  settings.routes.at("fast").cache->coalesce = false;
  settings.routes.at("fast").cache->ttl = std::chrono::minutes(1);
  start();
  test_client leader = asking();
  wait_for_raced(1);
  test_client other = asking();
  wait_for_raced(2);
  may_speak = may_end = true;
  EXPECT_EQ(cached(leader.read()), "miss");
  EXPECT_EQ(cached(other.read()), "miss");
}

TEST_F(coalescing_test, SharedAnswersAreKeptToo) {
  settings.routes.at("fast").cache->ttl = std::chrono::minutes(1);
  start();
  std::optional<test_client> leader(asking());
  wait_for_raced(1);
  test_client follower = asking();
  wait_for_running(2);
  leader->reset(), leader.reset();
  may_speak = may_end = true;
  const http_response got = follower.read();
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_cache_answers") == 1; }));
  const http_response later = post(streamed("fast", still));
  EXPECT_EQ(cached(later), "hit");
  EXPECT_EQ(later.body, got.body);
}

}  // namespace
}  // namespace photofinish::testing
