#include "proxy/net/name_cache.hpp"

#include "tests/support/network/fake_dns.hpp"
#include "tests/support/network/net_fixture.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::stopwatch;

struct NameCacheTest : testing::net_fixture {
  NameCacheTest() { open(10min); }

  ~NameCacheTest() override {
    names->stop();
    server.stop();
    run_until([this] { return names->is_idle() && server.is_idle(); });
  }

  void open(std::chrono::milliseconds query_timeout) {
    const dns_options options{.servers = server.servers(), .query_timeout = query_timeout, .tries = 1};
    names.emplace(loop, skipping, options);
  }

  boost::asio::awaitable<result<address_list>> resolve(std::string host) {
    name_cache::waiter waiting(loop);
    auto found = co_await names->resolve(host, waiting);
    co_return found;
  }

  static std::vector<std::string> texts(const result<address_list>& found) {
    if (!found) return {std::string(to_string(found.error().kind)) + ": " + found.error().detail};
    std::vector<std::string> all;
    for (const auto& each : *found) all.push_back(each.to_string());
    return all;
  }

  using list = std::vector<std::string>;
  testing::fake_dns server{loop};
  std::optional<name_cache> names;
};

TEST_F(NameCacheTest, AddressesAlternateBetweenTheFamiliesIPv6First) {
  server.records["api.test"] = {.v4 = {"192.0.2.1", "192.0.2.2"}, .v6 = {"2001:db8::1"}};
  EXPECT_EQ(texts(run(resolve("api.test"))), (list{"2001:db8::1", "192.0.2.1", "192.0.2.2"}));
}

TEST_F(NameCacheTest, TheFamilyThatConnectedGoesFirst) {
  server.records["api.test"] = {.v4 = {"192.0.2.1"}, .v6 = {"2001:db8::1"}};
  (void)run(resolve("api.test"));
  names->prefer("api.test", boost::asio::ip::make_address("192.0.2.1"));
  EXPECT_EQ(texts(run(resolve("api.test"))), (list{"192.0.2.1", "2001:db8::1"}));
}

TEST_F(NameCacheTest, LiteralsAndLocalhostNeedNoQuery) {
  EXPECT_EQ(texts(run(resolve("192.0.2.7"))), list{"192.0.2.7"});
  EXPECT_EQ(texts(run(resolve("2001:db8::7"))), list{"2001:db8::7"});
  EXPECT_EQ(texts(run(resolve("localhost"))), (list{"::1", "127.0.0.1"}));
  EXPECT_TRUE(server.queries.empty());
}

TEST_F(NameCacheTest, ManyWaitersShareOneLookUp) {
  server.records["api.test"] = {.v4 = {"192.0.2.1"}, .v6 = {}, .delay = 30ms};
  auto first = start(resolve("api.test")), second = start(resolve("api.test"));
  auto third = start(resolve("api.test"));
  EXPECT_EQ(texts(finish(std::move(first))), list{"192.0.2.1"});
  EXPECT_EQ(texts(finish(std::move(second))), list{"192.0.2.1"});
  EXPECT_EQ(texts(finish(std::move(third))), list{"192.0.2.1"});
  EXPECT_EQ(server.queries["api.test"], 2);  // A and AAAA
}

TEST_F(NameCacheTest, AnAnswerIsRememberedForItsTtl) {
  server.records["api.test"] = {.v4 = {"192.0.2.1"}, .v6 = {}, .ttl_s = 60};
  (void)run(resolve("api.test"));
  skipping.skip(59s);
  (void)run(resolve("api.test"));
  EXPECT_EQ(server.queries["api.test"], 2);
}

TEST_F(NameCacheTest, AStaleAnswerIsServedAtOnceAndRefreshed) {
  server.records["api.test"] = {.v4 = {"192.0.2.1"}, .v6 = {}, .ttl_s = 60};
  (void)run(resolve("api.test"));
  server.records["api.test"] = {.v4 = {"192.0.2.2"}, .v6 = {}, .ttl_s = 60, .delay = 20ms};
  skipping.skip(61s);
  EXPECT_EQ(texts(run(resolve("api.test"))), list{"192.0.2.1"});
  run_until([&] { return texts(run(resolve("api.test"))) == list{"192.0.2.2"}; });
  EXPECT_EQ(server.queries["api.test"], 4);
}

TEST_F(NameCacheTest, ATtlOfZeroLivesForFiveSecondsAndAWeekForFiveMinutes) {
  server.records["short.test"] = {.v4 = {"192.0.2.1"}, .v6 = {}, .ttl_s = 0};
  server.records["long.test"] = {.v4 = {"192.0.2.1"}, .v6 = {}, .ttl_s = 604800};
  (void)run(resolve("short.test"));
  (void)run(resolve("long.test"));
  skipping.skip(4s);
  (void)run(resolve("short.test"));
  EXPECT_EQ(server.queries["short.test"], 2);
  skipping.skip(2s);
  (void)run(resolve("short.test"));
  run_until([&] { return server.queries["short.test"] == 4; });
  skipping.skip(300s);
  (void)run(resolve("long.test"));
  run_until([&] { return server.queries["long.test"] == 4; });
}

TEST_F(NameCacheTest, AServerOutOfOrderLeavesTheOldAnswerStanding) {
  server.records["api.test"] = {.v4 = {"192.0.2.1"}, .v6 = {}};
  (void)run(resolve("api.test"));
  server.records["api.test"] = {.v4 = {}, .v6 = {}, .is_out_of_order = true};
  skipping.skip(61s);
  (void)run(resolve("api.test"));
  run_until([&] { return server.queries["api.test"] == 4; });
  run_for(30ms);
  EXPECT_EQ(texts(run(resolve("api.test"))), list{"192.0.2.1"});
}

TEST_F(NameCacheTest, AnUnknownNameFailsAndIsAskedForAgainAfterASecond) {
  const auto found = run(resolve("nowhere.test"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, failure_kind::dns);
  EXPECT_NE(found.error().detail.find("nowhere.test"), std::string::npos);
  const int queries = server.queries["nowhere.test"];
  (void)run(resolve("nowhere.test"));
  EXPECT_EQ(server.queries["nowhere.test"], queries);
  server.records["nowhere.test"] = {.v4 = {"192.0.2.9"}, .v6 = {}};
  skipping.skip(1001ms);
  EXPECT_EQ(texts(run(resolve("nowhere.test"))), list{"192.0.2.9"});
}

TEST_F(NameCacheTest, ASilentServerFailsAfterTheQueryTimeout) {
  server.records["api.test"] = {.v4 = {}, .v6 = {}, .is_silent = true};
  names->stop();
  run_until([&] { return names->is_idle(); });
  open(50ms);
  const stopwatch watch;
  const auto found = run(resolve("api.test"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, failure_kind::dns);
  EXPECT_GE(watch.elapsed_ms(), 49);
}

TEST_F(NameCacheTest, SilenceAboutIPv6CostsFiftyMilliseconds) {
  server.records["api.test"] = {.v4 = {"192.0.2.1"}, .v6 = {}, .is_silent_about_v6 = true};
  // The name lookup does not wait for the IPv6 answer, although the IPv6 query may take ten minutes.
  EXPECT_EQ(texts(run(resolve("api.test"))), list{"192.0.2.1"});
}

TEST_F(NameCacheTest, WaitingEndsAtOnceWhenCancelledAndTheLookUpGoesOn) {
  server.records["api.test"] = {.v4 = {"192.0.2.1"}, .v6 = {}, .delay = 60ms};
  name_cache::waiter waiting(loop);
  auto cancelled = start(names->resolve("api.test", waiting));
  run_until([&] { return server.queries["api.test"] == 2; });
  waiting.cancel();
  EXPECT_FALSE(cancelled->is_done());  // an operation never completes inside the call that starts it
  const auto found = finish(std::move(cancelled));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, failure_kind::cancelled);
  EXPECT_EQ(texts(run(resolve("api.test"))), list{"192.0.2.1"});
  EXPECT_EQ(server.queries["api.test"], 2);
}

TEST_F(NameCacheTest, AWaiterCancelledBeforehandAsksNothing) {
  name_cache::waiter waiting(loop);
  waiting.cancel();
  const auto found = run(names->resolve("api.test", waiting));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, failure_kind::cancelled);
  EXPECT_EQ(server.queries["api.test"], 0);
}

TEST_F(NameCacheTest, StoppingDuringALookUpNeverBlocks) {
  server.records["api.test"] = {.v4 = {}, .v6 = {}, .is_silent = true};
  auto waiting = start(resolve("api.test"));
  run_until([&] { return server.queries["api.test"] == 2; });
  names->stop();
  const auto found = finish(std::move(waiting));
  run_until([&] { return names->is_idle(); });
  names.reset();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, failure_kind::cancelled);
  open(10min);
}

TEST_F(NameCacheTest, AServersListThatIsNoneFailsEachLookUp) {
  names->stop();
  run_until([&] { return names->is_idle(); });
  names.emplace(loop, skipping, dns_options{.servers = "not an address"});
  const auto found = run(resolve("api.test"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, failure_kind::dns);
}

}  // namespace
}  // namespace photofinish::proxy
