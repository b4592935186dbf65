// Tests several gateways that share budgets, limits that providers report, and heartbeats through a real redis-server. Also tests the
// limits while the redis-server is frozen or unreachable, or refuses commands.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/certificates.hpp"
#include "tests/support/network/redis_program.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

// The rights of a user of the store, exactly as docs/operating/several-gateways.md describes them.
constexpr std::string_view few_rights =
    "user pf on >secret ~pf:* -@all +@scripting +get +set +hset +hdel +hgetall +incrby +expire +time";

class redis_test : public gateway_fixture {
 protected:
  redis_test() {
    add("a", provider);
    // Each output token costs a dollar, so an answer with two tokens costs two.
    settings.providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add_route("fast", {"a/m"});
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}}};
    settings.server.workers = 1;
    keeping.tick = 20ms;
  }

  void SetUp() override {
    if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
  }

  void share(const redis_program& by) { settings.store.url = proxy::secret(by.url()); }
  void budget(int dollars) { settings.access.keys[0].limits.budget_nano_usd = dollars * dollar; }

  void start_both() {
    start();
    other = std::make_unique<running_gateway>(settings, keeping, speaks);
  }
  // Swaps the two gateways, so that the next request goes to the gateway that did not get the last request.
  void change_over() { std::swap(gateway, other); }

  http_response ask(std::string_view key = "key-a") {
    return post(streamed("fast"), "Authorization: Bearer " + std::string(key) + "\r\n");
  }
  bool spends(double dollars) {
    return comes_true([&] { return metric("photofinish_budget_spend_usd", {R"(name="alice")"}) == dollars; });
  }
  bool is_up(double wanted = 1) {
    return comes_true([&] { return metric("photofinish_store_up") == wanted; });
  }
  // Adds up the amounts of all budget windows in the store, and returns the sum in nano-dollars.
  static std::int64_t sum_in(const redis_program& store, const std::vector<std::string>& before = {}) {
    std::int64_t sum = 0;
    for (const auto& key : store.ask({"KEYS", "pf:spend:*"}, before).list)
      sum += store.ask({"GET", key.text}, before).number().value_or(0);
    return sum;
  }

  static constexpr std::int64_t dollar = 1'000'000'000;
  std::unique_ptr<running_gateway> other;
  std::atomic<bool> is_limited = false;
  scripted_provider provider{[this](provider_call& call) {
    if (is_limited) return call.answer(429, R"({"error":{"message":"slow down"}})", "retry-after: 30\r\n");
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
};

TEST_F(redis_test, TwoGatewaysHaveOneBudget) {
  redis_program store;
  share(store);
  budget(7);
  start_both();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(2));
  change_over();
  ASSERT_EQ(ask().status, 200);
  EXPECT_TRUE(spends(4)) << "its own two, and the other's";
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(6));
  change_over();
  ASSERT_TRUE(spends(6));
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(8));
  change_over();
  ASSERT_TRUE(spends(8));
  const http_response refused = ask();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.error("code"), "insufficient_quota");
  EXPECT_EQ(refused.field_or("x-photofinish-key-spend-usd", ""), "8");
  EXPECT_EQ(sum_in(store), 8 * dollar);
  EXPECT_EQ(ask("key-b").status, 200);
}

TEST_F(redis_test, GatewaysAreCountedAndLeave) {
  redis_program store;
  share(store);
  start_both();
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_replicas") == 2; }));
  other.reset();
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_replicas") == 1; }));
}

TEST_F(redis_test, AFrozenStoreHoldsUpNoRequestAndEachSpendIsAddedOnce) {
  redis_program store;
  share(store);
  budget(1000);
  start_both();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(2));
  store.freeze();
  for (int each = 0; each < 20; ++each) {
    ASSERT_EQ(ask().status, 200);
    change_over();
  }
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_limits_degraded") == 1; }));
  EXPECT_GT(metric("photofinish_store_errors_total", {R"(reason="timeout")"}), 0);
  EXPECT_EQ(get("/readyz").status, 200);
  for (int each = 0; each < 10; ++each) ASSERT_EQ(ask().status, 200);
  store.thaw();  // the frozen store had unread commands in its socket, and executes them now
  EXPECT_TRUE(is_up());
  EXPECT_TRUE(spends(62));
  change_over();
  EXPECT_TRUE(spends(62));
  EXPECT_EQ(sum_in(store), 62 * dollar);
}

TEST_F(redis_test, WithoutTheStoreEachSpendsItsShareOfWhatIsLeft) {
  auto store = std::make_unique<redis_program>();
  share(*store);
  budget(22);
  start_both();
  ASSERT_EQ(ask().status, 200);
  change_over();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(comes_true([&] { return sum_in(*store) == 4 * dollar; }));
  change_over();
  ASSERT_EQ(ask().status, 200);
  change_over();
  // A gateway reads the total spending of the budget only after the store has confirmed the two dollars that this gateway has spent.
  // Therefore the total includes these two dollars.
  ASSERT_TRUE(spends(6));
  ASSERT_TRUE(comes_true([&] { return metric("photofinish_replicas") == 2; }));
  store->end();
  ASSERT_TRUE(is_up(0));
  // The budget has 16 dollars left. This gateway may spend half of them, which pays for four answers of two dollars. If the heartbeat of
  // the other gateway expires on a busy machine, this gateway may spend all 16.
  const double gateways = metric("photofinish_replicas");
  ASSERT_TRUE(gateways == 1 || gateways == 2) << gateways;
  for (double spent = 6; spent < 22;) {
    ASSERT_EQ(ask().status, 200) << spent;
    ASSERT_TRUE(spends(spent += 2 * gateways)) << "two, and two that the other may have spent";
  }
  EXPECT_EQ(ask().status, 429);
}

TEST_F(redis_test, WithDenyRequestsWithABudgetWaitForTheStoreAndOthersDoNot) {
  auto store = std::make_unique<redis_program>();
  share(*store);
  settings.store.on_failure = gateway::store_failure_rule::deny;
  budget(1000);
  start();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(2));
  store->end();
  http_response refused;
  ASSERT_TRUE(comes_true([&] { return (refused = ask()).status == 503; }));
  EXPECT_EQ(refused.error("code"), "limits_unavailable");
  EXPECT_EQ(refused.field_or("retry-after", ""), "1");
  EXPECT_EQ(ask("key-b").status, 200);
  EXPECT_EQ(get("/readyz").status, 200);
  store->begin();
  EXPECT_TRUE(comes_true([&] { return ask().status == 200; }));
}

TEST_F(redis_test, AWrongPasswordIsSaidAndNotShown) {
  redis_program store("requirepass right-one");
  settings.store.url = proxy::secret("redis://:wrong-one@127.0.0.1:" + std::to_string(store.port()));
  const captured_log log;
  start();
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_store_errors_total", {R"(reason="auth")"}) >= 3; }));
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"cannot be used (", "auth"}).empty(); }));
  EXPECT_TRUE(log.lines_with({"wrong-one"}).empty());
  EXPECT_EQ(metric("photofinish_store_up"), 0);
  EXPECT_TRUE(log.logs_once({"cannot be used (", "limits"})) << "once, and not each second";
  EXPECT_LE(log.lines_with({"cannot be used (", "usage reports"}).size(), 1u);
}

TEST_F(redis_test, AUserWithFewRightsIsEnough) {
  redis_program store(std::string(few_rights) + "\nuser default on >boss ~* &* +@all");
  settings.store.url = proxy::secret("redis://pf:secret@127.0.0.1:" + std::to_string(store.port()));
  budget(1000);
  start_both();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(2));
  is_limited = true;
  EXPECT_NE(ask().status, 200);
  EXPECT_TRUE(comes_true([&] { return !store.ask({"HGETALL", "pf:cool"}, {"AUTH", "boss"}).list.empty(); }));
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_replicas") == 2; }));
  EXPECT_TRUE(comes_true([&] { return sum_in(store, {"AUTH", "boss"}) == 2 * dollar; }));
  EXPECT_EQ(metric("photofinish_store_errors_total"), 0);
}

TEST_F(redis_test, AMissingRightIsSaid) {
  redis_program store("user pf on >secret ~pf:* -@all +@scripting +get +set +hset +hdel +hgetall +expire +time");
  settings.store.url = proxy::secret("redis://pf:secret@127.0.0.1:" + std::to_string(store.port()));
  budget(1000);
  const captured_log log;
  start();
  ASSERT_EQ(ask().status, 200);
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_store_errors_total", {R"(reason="permission")"}) > 0; }));
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"cannot be used (", "permission"}).empty(); }));
}

TEST_F(redis_test, WhatCouldNotBePostedIsPostedByTheNextRunOnce) {
  const temporary_folder folder;
  keeping.state_dir = folder.path().string();
  redis_program store;
  share(store);
  budget(1000);
  start();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(2));
  store.freeze();
  ASSERT_EQ(ask().status, 200);  // the command that reports this request's cost is waiting in the frozen store's socket
  ASSERT_TRUE(comes_true([&] { return metric("photofinish_limits_degraded") == 1; }));
  ASSERT_EQ(ask().status, 200);
  gateway.reset();
  EXPECT_NE(folder.read("spend").find("key:alice"), std::string::npos);
  store.thaw();
  start();
  EXPECT_TRUE(comes_true([&] { return sum_in(store) == 6 * dollar; }));
  EXPECT_TRUE(comes_true([&] { return folder.read("spend").find(R"("posts":[])") != std::string::npos; }));
  gateway.reset();
  EXPECT_EQ(sum_in(store), 6 * dollar);
}

TEST_F(redis_test, ALimitThatAProviderNamesAtOneIsKnownToTheOther) {
  redis_program store;
  share(store);
  scripted_provider second{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("from b"));
    call.event(finish_chunk());
    call.event("[DONE]");
  }};
  add("b", second);
  add_route("both", {"a/m", "b/m"}, racing::race_policy::fallback);
  start_both();
  is_limited = true;
  const auto race = [this] { return post(streamed("both"), "Authorization: Bearer key-b\r\n"); };
  ASSERT_EQ(race().status, 200);
  ASSERT_EQ(provider.requests().size(), 1u);
  ASSERT_TRUE(comes_true([&] { return !store.ask({"HGETALL", "pf:cool"}).list.empty(); }));
  change_over();
  const double calls = metric("photofinish_store_call_seconds_count");
  ASSERT_TRUE(comes_true([&] { return metric("photofinish_store_call_seconds_count") >= calls + 3; })) << "it has read";
  ASSERT_EQ(race().status, 200);
  EXPECT_EQ(provider.requests().size(), 1u) << "and has not asked where it would be refused";
}

TEST_F(redis_test, RequestsCauseNoCommands) {
  redis_program store;
  share(store);
  budget(100'000);
  keeping.tick = 1000ms;
  start();
  ASSERT_TRUE(is_up());
  const auto calls_of = [&](const std::string& command) {
    const std::string text = store.ask({"INFO", "commandstats"}).text;
    const std::string name = "cmdstat_" + command + ":calls=";
    const std::size_t place = text.find(name);
    return place == std::string::npos ? 0 : std::stoi(text.substr(place + name.size()));
  };
  // Counts ticks by the gateway's requests for the store's time. The gateway sends two such requests in each tick. The duration of a tick
  // is not reliable on a busy machine.
  const int scripts = calls_of("evalsha"), rounds = calls_of("time");
  for (int each = 0; each < 200; ++each) ASSERT_EQ(ask().status, 200);
  const int sent = calls_of("evalsha") - scripts;
  EXPECT_LE(sent, 2 * (calls_of("time") - rounds) + 12) << "four in a tick, however many requests";
}

TEST_F(redis_test, ScriptsThatAreGoneAreLoadedAgain) {
  redis_program store;
  share(store);
  budget(1000);
  start();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(2));
  store.ask({"SCRIPT", "FLUSH"});
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_store_errors_total", {R"(reason="scripts")"}) > 0; }));
  ASSERT_EQ(ask().status, 200);
  EXPECT_TRUE(comes_true([&] { return sum_in(store) == 4 * dollar; }));
}

TEST_F(redis_test, AKeyOfTheWrongTypeHoldsUpNoOther) {
  const captured_log log;
  redis_program store;
  share(store);
  budget(1000);
  settings.access.keys[1].limits.budget_nano_usd = 1000 * dollar;
  start();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(comes_true([&] { return sum_in(store) == 2 * dollar; }));
  const std::string key = store.ask({"KEYS", "pf:spend:*:key:alice"}).list.at(0).text;
  store.ask({"DEL", key});
  store.ask({"HSET", key, "a", "b"});
  ASSERT_EQ(ask().status, 200);
  ASSERT_EQ(ask("key-b").status, 200);
  EXPECT_TRUE(comes_true([&] { return sum_in(store) == 2 * dollar; })) << "bob's";
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_store_errors_total", {R"(reason="refused")"}) > 0; }));
  EXPECT_EQ(metric("photofinish_store_up"), 1);
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_limits_degraded") == 1; }));
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"refused a command about " + key, "WRONGTYPE"}).empty(); }));
  store.ask({"DEL", key});
  EXPECT_TRUE(comes_true([&] { return sum_in(store) == 6 * dollar; })) << "and alice's: what was known, and her last";
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_limits_degraded") == 0; }));
}

TEST_F(redis_test, TlsIsVerified) {
  const test_authority authority;
  const temporary_folder folder;
  write_pem(authority.issue(), folder.path());
  const std::string at = folder.path().string();
  const std::uint16_t port = closed_port();
  redis_program store("tls-port " + std::to_string(port) + "\ntls-cert-file " + at + "/server.crt\ntls-key-file " + at +
                      "/server.key\ntls-ca-cert-file " + authority.pem_file() + "\ntls-auth-clients no");
  settings.store.url = proxy::secret("rediss://127.0.0.1:" + std::to_string(port));
  settings.store.timeout = 1000ms;
  start();
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_store_errors_total", {R"(reason="tls")"}) > 0; }));
  settings.store.ca_file = authority.pem_file();
  gateway->reload(settings);
  EXPECT_TRUE(is_up());
}

TEST_F(redis_test, AReloadTakesAndLeavesAStore) {
  redis_program store;
  budget(1000);
  start();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(spends(2));
  share(store);
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] { return sum_in(store) == 2 * dollar; }));
  settings.store = {};
  gateway->reload(settings);
  EXPECT_TRUE(spends(2));
  ASSERT_EQ(ask().status, 200);
  EXPECT_TRUE(spends(4));
  EXPECT_EQ(get("/metrics", "Authorization: Bearer key-b\r\n").body.find("photofinish_store_up"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::testing
