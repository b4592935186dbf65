// Tests limits that several gateways share through a real redis-server: requests and tokens per minute by leases, and concurrent requests
// by permits. Also tests the limits while the redis-server is frozen or unreachable, or refuses commands.
#include "gateway/store/limit_script_texts.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/gateway_process.hpp"
#include "tests/support/network/redis_program.hpp"

#include <atomic>
#include <csignal>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point begun) { return std::chrono::duration<double>(steady::now() - begun).count(); }

class shared_limits_test : public gateway_fixture {
 protected:
  shared_limits_test() {
    add("a", provider);
    add_route("fast", {"a/m"});
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}}};
    settings.server.workers = 1;
    keeping.tick = 100ms;
  }

  void SetUp() override {
    if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
    store = std::make_unique<redis_program>(more_of_store);
    settings.store.url = proxy::secret(store->url());
    settings.store.timeout = 2000ms;  // the timeout is long, so that a slow store on a busy machine does not count as unreachable
  }

  gateway::limit_settings& limits() { return settings.access.keys[0].limits; }

  // Starts the given number of gateways, and waits until each gateway knows the others.
  void start_all(std::size_t count) {
    while (all.size() < count) all.push_back(std::make_unique<running_gateway>(settings, keeping, speaks));
    for (std::size_t each = 0; each < count; ++each) {
      gateway.swap(all[each]);
      const bool know = comes_true([&] { return metric("photofinish_replicas") == static_cast<double>(count); });
      gateway.swap(all[each]);
      ASSERT_TRUE(know);
    }
  }
  http_response ask(std::size_t at, std::string_view more = "", std::string_view key = "key-a") {
    test_client client(all[at]->port());
    client.post(streamed("fast", more), "Authorization: Bearer " + std::string(key) + "\r\n");
    return client.read();
  }
  double metric_of(std::size_t at, std::string_view name) {
    gateway.swap(all[at]);
    const double value = metric(name);
    gateway.swap(all[at]);
    return value;
  }
  int leases() const {
    const std::string text = store->ask({"INFO", "commandstats"}).text;
    const std::size_t at = text.find("cmdstat_evalsha:calls=");
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + 22));
  }
  // Opens a stream at the given gateway, and returns its client. Returns null if the gateway refused the request.
  std::unique_ptr<test_client> hold(std::size_t at) {
    auto client = std::make_unique<test_client>(all[at]->port());
    client->post(streamed("fast"), "Authorization: Bearer key-a\r\n");
    const http_response got = client->read_until("hi");
    return got.status == 200 ? std::move(client) : nullptr;
  }

  std::string more_of_store;
  std::unique_ptr<redis_program> store;
  std::atomic<bool> is_held = false;
  scripted_provider provider{[this](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    if (is_held && !call.wait_until([this] { return !is_held; })) return;
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
  std::vector<std::unique_ptr<running_gateway>> all;  // destroyed first
};

TEST_F(shared_limits_test, ThreeGatewaysAdmitAsManyRequestsAsOne) {
  constexpr double rate = 300;
  limits().requests_per_minute = static_cast<std::uint64_t>(rate);
  start_all(3);
  std::atomic<int> admitted = 0, refused = 0;
  std::atomic<bool> is_over = false;
  const int before = leases();
  const auto begun = steady::now();
  std::vector<std::thread> clients;
  for (std::size_t each = 0; each < 3; ++each)
    clients.emplace_back([&, each] {
      while (!is_over) (ask(each).status == 200 ? admitted : refused)++;
    });
  // Sends requests until all three gateways refuse requests, and then for two more seconds.
  EXPECT_TRUE(comes_true([&] { return refused > 30; }));
  std::this_thread::sleep_for(2000ms);
  is_over = true;
  for (std::thread& each : clients) each.join();
  const double seconds = seconds_since(begun), allowed = rate + rate / 60 * seconds;
  EXPECT_LE(admitted, allowed) << "whatever the load";
  EXPECT_GE(admitted, 0.97 * allowed) << seconds << " s, of which a call for the last ones";
  // Each gateway calls the store for leases 20 times a second: twice every 100 ms. It makes additional calls for heartbeats and provider
  // limits.
  EXPECT_LT(leases() - before, 60 * seconds + 3 * 20 * (seconds + 1));
}

TEST_F(shared_limits_test, UnderTheLimitHardlyAnyRequestAsksTheStore) {
  limits().requests_per_minute = 60'000;
  keeping.tick = 1000ms;
  start_all(2);
  const int before = leases();
  const auto begun = steady::now();
  for (std::size_t each = 0; each < 400; ++each) ASSERT_EQ(ask(each % 2).status, 200);
  EXPECT_LE(leases() - before, 0.05 * 400 + 2 * 2 * (seconds_since(begun) + 2)) << "5 %, and two a second of each";
  EXPECT_LE(metric_of(0, "photofinish_limit_waits_total") + metric_of(1, "photofinish_limit_waits_total"), 20);
}

TEST_F(shared_limits_test, WhatIsReservedAndNotUsedIsUsedByOthers) {
  limits().tokens_per_minute = 60'000;
  start_all(2);
  // Each request reserves a third of the limit's bucket, but uses only five tokens.
  for (std::size_t each = 0; each < 10; ++each)
    ASSERT_TRUE(comes_true([&] { return ask(each % 2, R"(,"max_tokens":20000)").status == 200; })) << each;
  const http_response too_large = ask(0, R"(,"max_tokens":61000)");
  EXPECT_EQ(too_large.status, 400);
  EXPECT_EQ(too_large.error("code"), "request_exceeds_limit");
}

TEST_F(shared_limits_test, TokensOfOneAreMissingAtTheOther) {
  limits().tokens_per_minute = 60;  // the limit refills by one token per second
  start_all(2);
  is_held = true;
  test_client holder(all[0]->port());
  holder.post(streamed("fast", R"(,"max_tokens":50)"), "Authorization: Bearer key-a\r\n");
  ASSERT_EQ(holder.read_until("hi").status, 200);
  const http_response refused = ask(1, R"(,"max_tokens":50)");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.field_or("x-ratelimit-limit-tokens", ""), "60");
  EXPECT_LT(std::stoi(refused.field_or("x-ratelimit-remaining-tokens", "99")), 50);
  EXPECT_GE(std::stoi(refused.field_or("retry-after", "0")), 1);
  is_held = false;
  holder.read();
}

TEST_F(shared_limits_test, PlacesAreCountedOverAllAndFreeWhateverWayTheyEnd) {
  limits().parallel_requests = 4;
  is_held = true;
  start_all(2);
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    std::vector<std::unique_ptr<test_client>> cut;
    for (std::size_t each = 0; each < 4; ++each) {
      cut.push_back(std::make_unique<test_client>(all[random() % 2]->port()));
      cut.back()->post(streamed("fast"), "Authorization: Bearer key-a\r\n");
      if (random() % 2 == 0) cut.back()->read_until("hi");
    }
    for (auto& each : cut) each->reset();
  }
  std::vector<std::unique_ptr<test_client>> held;
  EXPECT_TRUE(comes_true([&] {
    if (auto one = hold(held.size() % 2)) held.push_back(std::move(one));
    return held.size() == 4;
  })) << held.size();
  EXPECT_FALSE(hold(0));
  EXPECT_FALSE(hold(1)) << "not one more, at either";
  is_held = false;
  for (auto& each : held) each->read();
  EXPECT_TRUE(comes_true([&] { return ask(0).status == 200; }));
}

TEST_F(shared_limits_test, AKilledGatewaysPlacesAreFreeOnceTheirLeaseEnds) {
  limits().parallel_requests = 2;
  is_held = true;
  start_all(1);
  std::string config = "redis: {url: '" + store->url() + "', timeout: 2s}\nproviders: {a: {base_url: 'http://127.0.0.1:" +
                       std::to_string(provider.port()) + "/v1', api_key: none, models: [m]}}\nroutes: {fast: {targets: " +
                       "[a/m]}}\naccess_keys: [{name: alice, key: key-a, max_parallel_requests: 2}]\n";
  gateway_process victim({.config = config});
  ASSERT_TRUE(comes_true([&] { return metric_of(0, "photofinish_replicas") == 2; })) << "the victim has the store";
  test_client first(victim.port()), second(victim.port());
  for (test_client* each : {&first, &second}) {
    each->post(streamed("fast"), "Authorization: Bearer key-a\r\n");
    ASSERT_EQ(each->read_until("hi").status, 200);
  }
  EXPECT_EQ(ask(0).status, 429);
  victim.signal(SIGKILL);
  const auto killed = steady::now();
  is_held = false;
  EXPECT_TRUE(comes_true([&] { return ask(0).status == 200; }));
  EXPECT_GT(seconds_since(killed), 6) << "while it may live, its places are its own";
  EXPECT_LT(seconds_since(killed), 14);
}

TEST_F(shared_limits_test, AFrozenStoreHoldsUpNoRequestForLongerThanItsTimeout) {
  limits().requests_per_minute = 60;
  settings.store.timeout = 100ms;
  start_all(2);
  ASSERT_EQ(ask(0).status, 200);
  store->freeze();
  const auto begun = steady::now();
  int admitted = 1;
  double slowest = 0;
  for (std::size_t each = 0; each < 120; ++each) {
    const auto asked = steady::now();
    admitted += ask(each % 2).status == 200 ? 1 : 0;
    slowest = std::max(slowest, seconds_since(asked));
  }
  EXPECT_LT(slowest, 0.1 + 0.4 * slowness) << "its timeout, and what a busy machine takes";
  EXPECT_TRUE(comes_true([&] { return metric_of(0, "photofinish_limits_degraded") == 1; }));
  EXPECT_GE(admitted, 30) << "half of it at each";
  EXPECT_LE(admitted, 60 + seconds_since(begun) + 10) << "and the slices that were leased before";
  store->thaw();
  EXPECT_TRUE(comes_true([&] { return metric_of(0, "photofinish_limits_degraded") == 0; }));
  EXPECT_TRUE(comes_true([&] { return metric_of(1, "photofinish_limits_degraded") == 0; }));
  int after = 0;
  for (std::size_t each = 0; each < 120; ++each) after += ask(each % 2).status == 200 ? 1 : 0;
  EXPECT_LE(admitted + after, 60 + seconds_since(begun) + 10) << "the store has learned of what was used without it";
}

TEST_F(shared_limits_test, WithoutTheStoreEachKeepsToItsPart) {
  limits().requests_per_minute = 60;
  start_all(2);
  ASSERT_EQ(ask(0).status, 200);
  store->end();
  ASSERT_TRUE(comes_true([&] { return metric_of(1, "photofinish_limits_degraded") == 1; }));
  const auto begun = steady::now();
  int admitted = 0;
  for (int each = 0; each < 60; ++each) admitted += ask(1).status == 200 ? 1 : 0;
  EXPECT_GE(admitted, 30);
  EXPECT_LE(admitted, 30 + 0.5 * seconds_since(begun) + 1);
  store->begin();
  EXPECT_TRUE(comes_true([&] { return metric_of(1, "photofinish_limits_degraded") == 0; }));
  EXPECT_TRUE(comes_true([&] { return ask(0).status == 200; }));
}

TEST_F(shared_limits_test, WithDenyRequestsWithLimitsWaitForTheStore) {
  limits().requests_per_minute = 60;
  settings.store.on_failure = gateway::store_failure_rule::deny;
  settings.store.timeout = 100ms;
  start_all(1);
  ASSERT_TRUE(comes_true([&] { return ask(0).status == 200; }));
  store->end();
  http_response refused;
  EXPECT_TRUE(comes_true([&] { return (refused = ask(0)).status == 503; }));
  EXPECT_EQ(refused.error("code"), "limits_unavailable");
  EXPECT_EQ(ask(0, "", "key-b").status, 200);
  store->begin();
  EXPECT_TRUE(comes_true([&] { return ask(0).status == 200; }));
}

TEST_F(shared_limits_test, AKeyOfTheWrongTypeLosesNoRequest) {
  limits().requests_per_minute = 60;
  start_all(1);
  store->ask({"SET", "pf:rate:requests:key:alice", "no bucket"});
  EXPECT_EQ(ask(0).status, 200);
  EXPECT_EQ(metric_of(0, "photofinish_store_up"), 1);
  store->ask({"DEL", "pf:rate:requests:key:alice"});
  EXPECT_EQ(ask(0).status, 200);
}

TEST_F(shared_limits_test, AGatewayThatEndsGivesItsSliceBack) {
  limits().requests_per_minute = 60'000;
  start_all(1);
  ASSERT_EQ(ask(0).status, 200);
  all.clear();
  double missing = 60e6;
  for (int at = 0; at < 1; ++at) {
    const auto time = store->ask({"TIME"}).list;
    const double now = std::stod(time.at(0).text) * 1e6 + std::stod(time.at(1).text);
    missing = std::stod(store->ask({"HGET", "pf:rate:requests:key:alice", "full"}).text) - now;
  }
  EXPECT_LT(missing, 0.1e6) << "and not a second's worth";
}

// Tests that the store's script applies the same rules as reservation_bucket.
TEST(LeaseScript, DebtBeyondAnHourIsPaidByWhoeverLeases) {
  if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
  const redis_program store;
  constexpr std::int64_t second = 1'000'000, hour = 3600 * second;
  const auto lease = [&store](std::int64_t charge, std::int64_t want) {
    return store.ask({"EVAL", std::string(gateway::lease_script()), "1", "bucket", std::to_string(charge),
                      std::to_string(want), std::to_string(want), "0", "1"});
  };
  const auto field = [&store](const char* name) { return std::stoll(store.ask({"HGET", "bucket", name}).text); };
  EXPECT_EQ(lease(3 * hour, 0).list.at(1).number(), hour) << "no debt closes a bucket for longer";
  EXPECT_EQ(field("paid") - field("full"), 2 * hour);
  // Moves the bucket's timestamps back, which has the same effect as waiting for an hour and a minute.
  store.ask({"HSET", "bucket", "full", std::to_string(field("full") - hour - 60 * second), "paid",
             std::to_string(field("paid") - hour - 60 * second)});
  const auto given = lease(0, 10 * second);
  EXPECT_EQ(given.list.at(0).number(), 10 * second);
  EXPECT_NEAR(static_cast<double>(given.list.at(1).number().value_or(0)), 20.0 * second, 5.0 * second);
  EXPECT_LE(lease(100 * hour, 0).list.at(1).number(), hour);
  EXPECT_EQ(field("paid") - field("full"), 24 * hour);
}

}  // namespace
}  // namespace photofinish::testing
