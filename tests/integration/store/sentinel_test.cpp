// Tests the store with Redis' own sentinels. They report the address of
// the primary server, and promote another server if the primary fails.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/redis_program.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class sentinel_test : public gateway_fixture {
 protected:
  sentinel_test() {
    add("a", provider);
    // Each output token costs a dollar, so an answer with two tokens costs two.
    settings.providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add_route("fast", {"a/m"});
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
    settings.access.keys[0].limits.budget_nano_usd = 1000 * dollar;
    settings.server.workers = 1;
    settings.store.url = proxy::secret("redis://main");
    keeping.tick = 20ms;
  }

  void SetUp() override {
    if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
  }

  http_response ask() { return post(streamed("fast"), "Authorization: Bearer key-a\r\n"); }
  bool is_up() {
    return comes_true([&] { return metric("photofinish_store_up") == 1; });
  }
  bool has_trouble(std::string_view reason) {
    const std::string label = "reason=\"" + std::string(reason) + "\"";
    return comes_true([&] { return metric("photofinish_store_errors_total", {label}) > 0; });
  }
  static std::int64_t sum_in(const redis_program& store) {
    std::int64_t sum = 0;
    for (const auto& key : store.ask({"KEYS", "pf:spend:*"}).list) sum += store.ask({"GET", key.text}).number().value_or(0);
    return sum;
  }

  static constexpr std::int64_t dollar = 1'000'000'000;
  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
};

// The new primary server continues the budget with the spent amount that was replicated to it.
TEST_F(sentinel_test, ASentinelLeadsToAnotherPrimary) {
  auto first = std::make_unique<redis_program>("repl-diskless-sync-delay 0");
  const redis_program second("replicaof 127.0.0.1 " + std::to_string(first->port()));
  const auto is_role = [](const redis_program& store, std::string_view wanted) {
    const auto role = store.ask({"ROLE"}).list;
    const bool is_linked = wanted != "slave" || (role.size() > 3 && role[3].text == "connected");
    return !role.empty() && role[0].text == wanted && is_linked;
  };
  ASSERT_TRUE(comes_true([&] { return is_role(second, "slave"); }));
  const sentinel_program sentinel(first->port());
  const std::string none = "127.0.0.1:" + std::to_string(closed_port());
  settings.store.sentinel = gateway::sentinel_settings{"main", {none, sentinel.address()}, {}};
  start();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(comes_true([&] { return sum_in(second) == 2 * dollar; })) << "replicated";
  first.reset();
  ASSERT_EQ(ask().status, 200) << "meanwhile";
  EXPECT_TRUE(comes_true([&] { return is_role(second, "master"); }));
  EXPECT_TRUE(is_up());
  EXPECT_TRUE(comes_true([&] { return sum_in(second) == 4 * dollar; }));
}

TEST_F(sentinel_test, AReplicaIsNotWrittenTo) {
  const redis_program primary("repl-diskless-sync-delay 0");
  const redis_program replica("replicaof 127.0.0.1 " + std::to_string(primary.port()));
  // A faulty sentinel that reports the replica as the primary server.
  const scripted_server wrong([&replica](peer& client) {
    while (!client.read_some().empty())
      client.write("*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(std::to_string(replica.port()).size()) + "\r\n" +
                   std::to_string(replica.port()) + "\r\n");
  });
  settings.store.sentinel = gateway::sentinel_settings{"main", {"127.0.0.1:" + std::to_string(wrong.port())}, {}};
  start();
  EXPECT_TRUE(has_trouble("not_ready"));
  EXPECT_EQ(metric("photofinish_store_up"), 0);
  EXPECT_EQ(ask().status, 200);
}

TEST_F(sentinel_test, ASentinelMayWantAPasswordAndKnowNoPrimary) {
  const redis_program store;
  const sentinel_program sentinel(store.port(), "requirepass guarded");
  settings.store.sentinel = gateway::sentinel_settings{"main", {sentinel.address()}, {}};
  start();
  EXPECT_TRUE(has_trouble("auth"));
  settings.store.sentinel->password = proxy::secret("guarded");
  settings.store.sentinel->master = "other";
  gateway->reload(settings);
  EXPECT_TRUE(has_trouble("not_ready"));
  settings.store.sentinel->master = "main";
  gateway->reload(settings);
  EXPECT_TRUE(is_up());
}

}  // namespace
}  // namespace photofinish::testing
