// Tests a gateway that cannot reach any provider: the answers of /readyz, with one gateway and with several gateways.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/redis_program.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

constexpr std::string_view lost = "no provider can be reached\n";

class egress_test : public gateway_fixture {
 protected:
  egress_test() {
    add("a", provider);
    add_route("fast", {"a/m"});
    settings.server.workers = 1;
    // The housekeeper's ticks are short in this test, because a successful check by another gateway is valid for nine ticks.
    keeping.tick = 100ms;
    cut_off = settings;
    cut_off.providers["a"].url.port = closed_port();
  }

  enum class load { none, requests };

  // Waits until the given path returns the given status. Returns the body of that answer.
  std::string body_once(std::string_view path, int status, load meanwhile = load::requests) {
    http_response last;
    const bool came = comes_true([&] {
      if (meanwhile == load::requests) post(streamed("fast"));
      last = get(path);
      return last.status == status;
    });
    return came ? last.body : "never " + std::to_string(status) + ": " + last.body;
  }

  scripted_provider provider{streams({"hi"})};
  gateway::config cut_off;
};

TEST_F(egress_test, AloneItStaysReadyAndReportsItToABalancerThatAsks) {
  gateway = std::make_unique<running_gateway>(cut_off, keeping, speaks);
  EXPECT_EQ(get("/readyz").body, "ok\n");
  EXPECT_EQ(get("/readyz?egress=own").status, 200);
  ASSERT_EQ(body_once("/readyz?egress=own", 503), lost);
  EXPECT_EQ(get("/health?egress=own").status, 503);
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_EQ(get("/readyz").body, "ok, but no provider can be reached\n");
  EXPECT_EQ(get("/livez?egress=own").body, "ok\n");
  test_client client = connect();
  client.get("/v1/models");
  EXPECT_EQ(client.read().field_or("connection", ""), "close") << "the next request goes by the balancer";
}

TEST_F(egress_test, ItFindsOutWithoutRequestsThatProvidersCanBeReachedAgain) {
  captured_log log;
  gateway = std::make_unique<running_gateway>(cut_off, keeping, speaks);
  ASSERT_EQ(body_once("/readyz?egress=own", 503), lost);
  EXPECT_TRUE(log.logs_once({"no provider can be reached: ", "none of 1 hosts accepts a connection"}));
  gateway->reload(settings);
  EXPECT_EQ(body_once("/readyz?egress=own", 200, load::none), "ok\n");
  EXPECT_FALSE(log.lines_with({"providers can be reached again, after"}).empty());
}

TEST_F(egress_test, WithAStoreItLeavesWhileAnotherReachesItsProviders) {
  if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
  redis_program store;
  settings.store.url = cut_off.store.url = proxy::secret(store.url());
  const auto other = std::make_unique<running_gateway>(settings, keeping, speaks);
  gateway = std::make_unique<running_gateway>(cut_off, keeping, speaks);
  ASSERT_EQ(body_once("/readyz", 503), "no provider can be reached from this gateway\n");
  gateway->reload(settings);
  EXPECT_EQ(body_once("/readyz", 200, load::none), "ok\n");
}

TEST_F(egress_test, WithAStoreAFleetThatReachesNothingStaysReady) {
  if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
  redis_program store;
  cut_off.store.url = proxy::secret(store.url());
  auto other = std::make_unique<running_gateway>(cut_off, keeping, speaks);
  gateway = std::make_unique<running_gateway>(cut_off, keeping, speaks);
  ASSERT_EQ(body_once("/readyz?egress=own", 503), lost);
  std::swap(gateway, other);
  ASSERT_EQ(body_once("/readyz?egress=own", 503), lost);
  // Waits for several rounds in which each gateway asks the other through the store and gets no answer.
  ASSERT_TRUE(comes_true([&] { return store.ask({"GET", "pf:stats:egress:asked"}).text != ""; }));
  for (int tick = 0; tick < 30; ++tick) {
    ASSERT_EQ(get("/readyz").status, 200);
    std::this_thread::sleep_for(keeping.tick);
  }
}

// The store's user has at most the rights that older documentation listed. Older versions had no keys for egress checks in the store, so
// this user may not access these keys.
TEST_F(egress_test, AStoreThatRefusesTheQuestionIsAskedOnce) {
  if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
  redis_program store(
      "user default off\nuser pf on >secret ~pf:spend:* ~pf:post:* ~pf:live ~pf:cool -@all +@scripting +get +set +hset "
      "+hdel +hgetall +incrby +expire +time");
  cut_off.store.url = proxy::secret("redis://pf:secret@127.0.0.1:" + std::to_string(store.port()));
  gateway = std::make_unique<running_gateway>(cut_off, keeping, speaks);
  const auto denied = [&] { return metric("photofinish_store_errors_total", {R"(reason="permission")"}); };
  ASSERT_TRUE(comes_true([&] { return denied() > 0; }));
  ASSERT_EQ(body_once("/readyz?egress=own", 503), lost);
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_store_up") == 1; }));
}

}  // namespace
}  // namespace photofinish::testing
