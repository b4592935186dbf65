// Tests guardrails in combination with a cache. The guardrail judges every request, even if the answer is stored or the request shares
// another request's race.
#include "tests/integration/guardrails/guardrail_fixture.hpp"

#include <atomic>
#include <string>
#include <string_view>

namespace photofinish::testing {
namespace {

using gateway::guardrail_mode;
using gateway::without_verdict;

constexpr std::string_view still = R"(,"temperature":0)";

class guardrail_cache_test : public guardrail_fixture {
 protected:
  guardrail_cache_test() { settings.routes["fast"].cache.emplace().coalesce = true; }

  http_response ask() { return post(streamed("fast", still)); }
  test_client asking() {
    test_client client = connect();
    client.post(streamed("fast", still));
    return client;
  }
  // Waits until the guardrail service has begun to handle the call for the first request. It is not enough to check asked(), because a call
  // is recorded before its handler runs.
  void wait_for_leader() {
    ASSERT_TRUE(comes_true([this] { return heard == 1; }));
  }
  static std::string cached(const http_response& answer) { return answer.field_or("x-cache", "none"); }

  std::atomic<int> heard = 0;  // the number of calls that the guardrail service has received
};

TEST_F(guardrail_cache_test, AHitIsJudgedToo) {
  for (const guardrail_mode mode : {guardrail_mode::parallel, guardrail_mode::before}) {
    pii().mode = mode;
    judge_with(passes);
    start();
    EXPECT_EQ(cached(ask()), "miss");
    EXPECT_EQ(cached(ask()), "hit");
    judge_with(rejects);
    const http_response refused = ask();
    EXPECT_EQ(refused.error("code"), "content_blocked");
    EXPECT_EQ(refused.body.find("one"), std::string::npos);
    judge_with("garbage");
    EXPECT_EQ(ask().error("code"), "guardrail_unavailable");
    judge_with(passes);
    EXPECT_EQ(cached(ask()), "hit");
    expect_metric(0, "photofinish_inflight_requests");
    gateway.reset();
  }
}

TEST_F(guardrail_cache_test, AHitIsHeldUntilItsVerdict) {
  judge_with(passes);
  start();
  EXPECT_EQ(cached(ask()), "miss");
  judge_by([this](provider_call& call) {
    if (call.wait_until([this] { return may_judge.load(); })) call.answer(200, passes);
  });
  test_client client = asking();
  service.request(1);
  pass_time();
  EXPECT_FALSE(client.has_bytes());
  may_judge = true;
  EXPECT_EQ(cached(client.read()), "hit");
}

// The second request is answered from the cache, so the provider gets no second request. The provider got the first request with the masked
// text.
TEST_F(guardrail_cache_test, AMaskedRequestsAnswerIsKept) {
  pii().mode = guardrail_mode::before;
  judge_by([](provider_call& call) { call.answer(200, masks(call.request().body, "hi")); });
  start();
  EXPECT_EQ(cached(ask()), "miss");
  EXPECT_EQ(cached(ask()), "hit");
  ASSERT_EQ(raced(), 1u);
  EXPECT_NE(provider.request(0).body.find("***"), std::string::npos);
}

TEST_F(guardrail_cache_test, AReloadWithAnotherMaskAsksAnew) {
  pii().mode = guardrail_mode::before;
  judge_with(passes);
  const gateway::config with = settings;
  settings.guardrails.clear();
  start();
  EXPECT_EQ(cached(ask()), "miss");
  gateway->reload(with);
  EXPECT_EQ(cached(ask()), "miss");
}

TEST_F(guardrail_cache_test, FollowersAreToldOfALeadersRefusal) {
  may_speak = false;
  judge_by([this](provider_call& call) {
    if (heard++ > 0) return call.answer(200, passes);
    if (call.wait_until([this] { return may_judge.load(); })) call.answer(200, rejects);
  });
  start();
  test_client leader = asking();
  provider.request(0);
  wait_for_leader();
  test_client follower = asking();
  service.request(1);
  expect_verdicts(1, "pass");
  may_judge = true;
  EXPECT_EQ(leader.read().error("code"), "content_blocked");
  EXPECT_EQ(follower.read().error("code"), "content_blocked");
  EXPECT_EQ(raced(), 1u);
}

TEST_F(guardrail_cache_test, AFollowerIsJudgedForItself) {
  may_speak = false;
  judge_by([this](provider_call& call) { call.answer(200, asked() == 1 ? passes : rejects); });
  start();
  test_client leader = asking();
  provider.request(0);
  expect_verdicts(1, "pass");
  EXPECT_EQ(ask().error("code"), "content_blocked");
  may_speak = true;
  EXPECT_EQ(leader.read().text(), "onetwo");
}

TEST_F(guardrail_cache_test, ALeaderThatLeavesIsJudgedOnForItsFollowers) {
  may_speak = false;
  judge_by([this](provider_call& call) {
    if (heard++ > 0) return call.answer(200, passes);
    if (call.wait_until([this] { return may_judge.load(); })) call.answer(200, passes);
  });
  start();
  test_client leader = asking();
  provider.request(0);
  wait_for_leader();
  test_client follower = asking();
  service.request(1);
  expect_verdicts(1, "pass");
  pass_time();  // waits until the gateway has read the request that shares the race
  leader.reset();
  pass_time();
  may_judge = may_speak = true;
  EXPECT_EQ(follower.read().text(), "onetwo");
  EXPECT_EQ(raced(), 1u);
}

}  // namespace
}  // namespace photofinish::testing
