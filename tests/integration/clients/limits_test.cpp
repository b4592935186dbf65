// Tests limits of single requests and of concurrent requests: headers that override settings, the limits of requests in flight and of
// connections, and cooldowns.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <optional>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using racing::race_policy;

class limits_test : public gateway_fixture {
 protected:
  limits_test() {
    add("a", a), add("b", b), add("c", c);
    gateway::route& route = add_route("r", {"a/m", "b/m", "c/m"}, race_policy::hedge);
    route.race.hedge_delay = 30ms;
    route.race.max_parallel = 2;
  }
  std::size_t asked() const { return a.requests().size() + b.requests().size() + c.requests().size(); }

  // Target `a` is silent for longer than the hedge's delay, and stays silent until `may_answer` is true.
  std::atomic<bool> may_answer = true;
  scripted_provider a{[this](provider_call& call) {
    if (call.wait(100ms) && call.wait_until([this] { return may_answer.load(); })) streams({"a"})(call);
  }};
  scripted_provider b{streams({"b"})}, c{streams({"c"})};
};

TEST_F(limits_test, LoweringWhatARaceCostsWorks) {
  start();
  EXPECT_EQ(post(streamed("r"), "x-race-max-attempts: 1\r\n").field_or("x-race-attempts", ""), "1");
  EXPECT_EQ(post(streamed("r"), "x-race-max-parallel: 1\r\n").field_or("x-race-attempts", ""), "1");
  EXPECT_EQ(post(streamed("r"), "x-race-policy: fallback\r\n").field_or("x-race-attempts", ""), "1");
  EXPECT_EQ(post(streamed("r"), "x-race-hedge-delay-ms: 5000\r\n").field_or("x-race-attempts", ""), "1");
  may_answer = false;
  EXPECT_EQ(post(streamed("r")).field_or("x-race-attempts", ""), "2");
}

struct costlier {
  const char* name;
  const char* header;
  const char* value;
};

class costlier_test : public limits_test, public ::testing::WithParamInterface<costlier> {};

TEST_P(costlier_test, IsA400ThatNamesTheHeaderAndStartsNothing) {
  start();
  const http_response got = post(streamed("r"), std::string(GetParam().header) + ": " + GetParam().value + "\r\n");
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("param"), GetParam().header);
  EXPECT_EQ(asked(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    , costlier_test,
    ::testing::Values(costlier{"Policy", "x-race-policy", "all"}, costlier{"UnknownPolicy", "x-race-policy", "best"},
                      costlier{"Delay", "x-race-hedge-delay-ms", "10"}, costlier{"DelayNoNumber", "x-race-hedge-delay-ms", "soon"},
                      costlier{"Parallel", "x-race-max-parallel", "3"}, costlier{"NoParallel", "x-race-max-parallel", "0"},
                      costlier{"Attempts", "x-race-max-attempts", "4"}, costlier{"HugeAttempts", "x-race-max-attempts", "99999999999999999999"}),
    [](const auto& row) { return row.param.name; });

TEST_F(limits_test, MoreThanMaxInflightIsA503ToBeRepeatedSoon) {
  settings.limits.max_inflight = 1;
  settings.routes["r"].race.max_attempts = 1;
  may_answer = false;
  start();
  test_client first = connect();
  first.post(streamed("r"));
  a.request();
  const captured_log log;
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.field_or("retry-after", ""), "1");
  EXPECT_EQ(got.error("code"), "gateway_overloaded");
  expect_metric(1, "photofinish_overload_refusals_total", {R"(reason="max_inflight")"});
  EXPECT_TRUE(comes_true([&] { return log.lines_with({"code=gateway_overloaded reason=max_inflight"}).size() == 1; }));
  may_answer = true;
  EXPECT_EQ(first.read().status, 200);
  // Waits until the limit of requests in flight admits another request.
  EXPECT_TRUE(comes_true([&] { return post(streamed("r")).status == 200; }));
}

TEST_F(limits_test, MoreThanMaxConnectionsIsA503InTheOpenAiShape) {
  settings.limits.max_connections = 2;
  start();
  test_client first = connect(), second = connect();
  first.get("/livez"), second.get("/livez");
  ASSERT_EQ(first.read().status, 200);
  ASSERT_EQ(second.read().status, 200);
  test_client third = connect();
  const http_response got = third.read();
  EXPECT_EQ(got.status, 503);
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(got.error("code"), "gateway_overloaded");
}

class full_provider_test : public gateway_fixture {
 protected:
  // Starts an attempt at the first target, which runs until its client leaves. The target's limit permits no other attempt.
  void fill(proxy::provider& full) {
    full.limits.max_running = 1;
    add("free", free);
    add_route("full", {"busy/m"});
    add_route("both", {"busy/m", "free/m"});
    start();
    holder.emplace(connect());
    holder->post(streamed("full"));
    busy.request();
  }

  scripted_provider busy{stays_silent()}, free{streams({"free"})};
  std::optional<test_client> holder;
};

TEST_F(full_provider_test, IsSkippedAndTheOthersRace) {
  fill(add("busy", busy));
  const http_response got = post(streamed("both"));
  EXPECT_EQ(got.text(), "free");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "busy/m;reason=busy");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="skipped")", R"(reason="busy")"});
}

TEST_F(full_provider_test, AloneIsA503ToBeRepeatedSoonAndNoFailureOfItsOwn) {
  fill(add("busy", busy));
  const http_response got = post(streamed("full"));
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.error("code"), "provider_busy");
  EXPECT_EQ(got.field_or("retry-after", ""), "1");
  expect_metric(1, "photofinish_requests_total", {R"(outcome="gateway_error")"});
  EXPECT_EQ(metric("photofinish_attempts_total", {R"(outcome="failed")"}), 0);
  EXPECT_EQ(busy.requests().size(), 1u);
}

TEST_F(full_provider_test, TakesTheNextWhenItsAttemptEnds) {
  fill(add("busy", busy));
  holder.reset();
  expect_metric(0, "photofinish_inflight_attempts");  // waits until the gateway has noticed that the client has left
  test_client next = connect();
  next.post(streamed("full"));
  EXPECT_NO_THROW(busy.request(1));
}

// Both targets have capacity when the race is planned, but the second target has none when it should start. The second target counts as
// skipped, and the third target runs in its place.
TEST_F(full_provider_test, FoundFullAtTheStartTheNextTargetRuns) {
  add("one", free).limits.max_running = 1;
  add("other", busy);
  gateway::route& route = add_route("r", {"one/a", "one/b", "other/m"});
  route.race.max_attempts = 2;
  route.race.observe_losers = 0;
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "free");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "one/b;reason=busy");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "2");
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="lost")"});
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="skipped")", R"(reason="busy")"});
}

TEST_F(full_provider_test, ConnectionsInUseAreNotItsFailureEither) {
  settings.server.workers = 1;
  add("busy", busy).limits.max_connections = 1;
  add_route("full", {"busy/m"});
  start();
  test_client first = connect();
  first.post(streamed("full"));
  busy.request();
  for (int times = 0; times < 4; ++times) {  // one more failure than is needed to put a target into cooldown
    const http_response got = post(streamed("full"));
    EXPECT_EQ(got.status, 503);
    EXPECT_EQ(got.error("code"), "provider_busy");
    EXPECT_EQ(got.field_or("retry-after", ""), "1");
    EXPECT_EQ(got.field_or("x-race-skipped", ""), "busy/m;reason=busy");
  }
  expect_metric(4, "photofinish_attempts_total", {R"(outcome="skipped")", R"(reason="busy")"});
  EXPECT_EQ(metric("photofinish_attempts_total", {R"(outcome="failed")"}), 0);
}

class cooldown_test : public gateway_fixture {};

TEST_F(cooldown_test, ATargetThatAnswered429IsSkippedByTheNextRequest) {
  scripted_provider limited(refuses(429, "{}", "Retry-After: 30\r\n")), free(streams({"free"}, 20ms));
  add("limited", limited), add("free", free);
  add_route("r", {"limited/m", "free/m"});
  start();
  ASSERT_EQ(post(streamed("r")).field_or("x-race-winner", ""), "free/m");
  http_response next;
  ASSERT_TRUE(comes_true([&] {  // waits until the housekeeper has published the cooldown
    next = post(streamed("r"));
    return next.field("x-race-skipped").has_value();
  }));
  EXPECT_EQ(next.field_or("x-race-skipped", ""), "limited/m;reason=cooldown");
  EXPECT_EQ(next.field_or("x-race-attempts", ""), "1");
  const std::size_t before = limited.requests().size();
  post(streamed("r"));
  EXPECT_EQ(limited.requests().size(), before);
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="skipped")", R"(reason="cooldown")"});
}

// The prompt of one caller makes the target fail. The gateway must still send the requests of another caller to this target.
TEST_F(cooldown_test, WhatOneCallersPromptsBreakCoolsForThatCallerAlone) {
  scripted_provider fragile([](provider_call& call) {
    if (call.request().body.find("poison") == std::string::npos) return streams({"well"})(call);
    call.answer(500, "{}");
  });
  scripted_provider other(streams({"other"}));
  add("fragile", fragile), add("other", other);
  add_route("r", {"fragile/m", "other/m"}, race_policy::fallback);
  settings.access.keys = {{"alice", proxy::secret("alices-key"), {}}, {"bob", proxy::secret("bobs-key"), {}}};
  start();
  const auto poisoned = [](int number) {
    return R"({"model":"r","messages":[{"role":"user","content":"poison )" + std::to_string(number) + R"("}],"stream":true})";
  };
  int asked = 0;
  EXPECT_TRUE(comes_true([&] {
    const http_response got = post(poisoned(++asked), "Authorization: Bearer alices-key\r\n");
    return got.field_or("x-race-skipped", "") == "fragile/m;reason=cooldown";
  }));
  EXPECT_GE(asked, 4);
  const http_response bobs = post(streamed("r"), "Authorization: Bearer bobs-key\r\n");
  EXPECT_EQ(bobs.field_or("x-race-winner", ""), "fragile/m");
  EXPECT_EQ(bobs.field_or("x-race-skipped", "(none)"), "(none)");
}

TEST_F(cooldown_test, ATargetThatCoolsDownRunsWhenNoOtherIsLeft) {
  scripted_provider limited(in_turn({refuses(429, "{}", "Retry-After: 30\r\n"), streams({"again"})}));
  add("limited", limited);
  add_route("r", {"limited/m"});
  start();
  ASSERT_EQ(post(streamed("r")).status, 429);
  std::this_thread::sleep_for(50ms);  // gives the housekeeper time to publish the cooldown
  EXPECT_EQ(post(streamed("r")).text(), "again");
}

TEST_F(cooldown_test, ACallersOwn429DoesNotCoolDownTheConfiguredKey) {
  scripted_provider limited([](provider_call& call) {
    const bool is_own = call.request().field("authorization") == "Bearer own";
    if (is_own) call.answer(429, "{}", "Retry-After: 30\r\n");
    else streams({"configured"})(call);
  });
  scripted_provider other(streams({"other"}, 100ms));
  add("limited", limited).key.value = proxy::secret("configured"), add("other", other);
  add_route("r", {"limited/m", "other/m"});
  start();
  ASSERT_EQ(post(streamed("r"), "x-provider-key-limited: own\r\n").field_or("x-race-winner", ""), "other/m");
  std::this_thread::sleep_for(50ms);
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.field("x-race-skipped"), std::nullopt);
  EXPECT_EQ(got.field_or("x-race-winner", ""), "limited/m");
}

class stored_test : public gateway_fixture {
 protected:
  stored_test() {
    add("a", a), add("b", b);
    add_route("r", {"a/m", "b/m"}, race_policy::all);
  }
  scripted_provider a{streams({"a"})}, b{streams({"b"}, 20ms)};
};

TEST_F(stored_test, IsAskedOfOneProviderAlone) {
  start();
  for (const char* form : {R"(,"store":true)", R"(, "\u0073tore" : true)"}) {
    const http_response got = post(streamed("r", form));
    EXPECT_EQ(got.text(), "a");
    EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
    EXPECT_EQ(got.field_or("x-race-policy", ""), "fallback;reason=store");
  }
  EXPECT_EQ(b.requests().size(), 0u);
}

TEST_F(stored_test, IsAskedOfTheNextWhenTheFirstFails) {
  scripted_provider broken(refuses(500, "{}"));
  add("broken", broken);
  add_route("f", {"broken/m", "b/m"}, race_policy::all);
  start();
  EXPECT_EQ(post(streamed("f", R"(,"store":true)")).text(), "b");
}

TEST_F(stored_test, IsRacedWhereNothingIsToBeStored) {
  start();
  for (const char* form : {R"(,"store":false)", R"(,"store":null)", ""}) {
    const http_response got = post(streamed("r", form));
    EXPECT_EQ(got.field_or("x-race-attempts", ""), "2");
    EXPECT_FALSE(got.field("x-race-policy"));
  }
}

TEST_F(stored_test, IsRacedWhereNoProviderIsSentIt) {
  for (auto& [name, provider] : settings.providers) provider.behaves.drop_params = {"store"};
  start();
  EXPECT_EQ(post(streamed("r", R"(,"store":true)")).field_or("x-race-attempts", ""), "2");
}

TEST_F(stored_test, IsRefusedWhereTheRouteSaysSo) {
  settings.routes.at("r").race.stored = racing::stored_answers::refuse;
  start();
  const http_response got = post(streamed("r", R"(,"store":true)"));
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("param"), "store");
  EXPECT_EQ(a.requests().size() + b.requests().size(), 0u);
  EXPECT_EQ(post(streamed("r")).status, 200);
}

}  // namespace
}  // namespace photofinish::testing
