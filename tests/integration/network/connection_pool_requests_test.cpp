// Tests requests for a pooled connection. Each request gets its own connection, waits for a connection, fails, or is cancelled.
#include "tests/integration/network/connection_pool_fixture.hpp"

#include "tests/support/network/certificates.hpp"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::full_listener;
using testing::peer;
using testing::scripted_server;

TEST_F(ConnectionPoolTest, AFailedDialIsTheRequestsFailure) {
  const auto from = at(testing::closed_port());
  const auto taken = run(take(from));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, failure_kind::connect);
  EXPECT_EQ(pool->counts(from).total(), 0u);
}

TEST_F(ConnectionPoolTest, ManyRequestsAtOnceEachGetTheirOwn) {
  scripted_server server(echo);
  auto from = at(server.port());
  std::vector<std::unique_ptr<testing::started<result<lease>>>> pending;
  for (int each = 0; each < 20; ++each) pending.push_back(start(take(from)));
  std::vector<lease> leases;
  for (auto& each : pending) {
    auto taken = finish(std::move(each));
    ASSERT_TRUE(taken);
    leases.push_back(std::move(*taken));
  }
  for (auto& each : leases) use(each);
  EXPECT_EQ(pool->counts(from).busy, 20u);
}

TEST_F(ConnectionPoolTest, AWaitingRequestTakesWhatIsGivenBackMeanwhile) {
  const testing::test_authority authority;
  const auto good = testing::server_context(authority.issue());
  std::atomic<bool> is_first{true};
  scripted_server server([&](peer& client) {
    // The server does not respond on later connections, so that their dials hang in the handshake.
    if (!is_first.exchange(false)) return client.read_to_end();
    if (client.handshake(good.get())) echo(client);
  });
  auto from = at(server.port(), "localhost");
  from.url.is_tls = true;
  from.ca_file = authority.pem_file();
  from.limits.max_spares = 0;
  auto first = run(take(from));
  ASSERT_TRUE(first);
  use(*first);
  auto wants_fresh = start(take(from, freshness::fresh_only));
  auto wants_any = start(take(from));
  run_for(20ms);
  first->give_back();
  auto taken = finish(std::move(wants_any));
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->is_reused());
  // The pool has cancelled the dial for the second request, because no request needs its connection any longer.
  run_until([&] { return pool->counts(from).dialing == 1; });
  EXPECT_FALSE(wants_fresh->is_done());
  pool->stop();
  EXPECT_FALSE(finish(std::move(wants_fresh)));
}

TEST_F(ConnectionPoolTest, ACancelledRequestsDialBecomesTheSpare) {
  dns.records["api.test"] = {.v4 = {"127.0.0.1"}, .v6 = {}, .delay = 40ms};
  scripted_server server(echo);
  const auto from = at(server.port(), "api.test");
  connection_request request(*pool, from);
  auto pending = start(request.take());
  // The DNS queries for A and AAAA records have started. Their answers arrive in a later turn of the event loop.
  run_until([&] { return dns.queries["api.test"] == 2; });
  request.cancel();
  EXPECT_FALSE(pending->is_done());  // an operation never completes inside the call that starts it
  const auto taken = finish(std::move(pending));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, failure_kind::cancelled);
  await_idle(from, 1);
  expect_accepted(server, 1);
}

TEST_F(ConnectionPoolTest, ACancelledRequestsDialEndsWhereNoSpareIsWanted) {
  full_listener hanging;
  auto from = at(hanging.port());
  from.limits.max_spares = 0;
  connection_request request(*pool, from);
  auto pending = start(request.take());
  run_for(10ms);
  EXPECT_EQ(pool->counts(from).dialing, 1u);
  request.cancel();
  EXPECT_FALSE(finish(std::move(pending)));
  run_until([&] { return pool->counts(from).dialing == 0; });
}

TEST_F(ConnectionPoolTest, ARequestCancelledBeforehandTakesNothing) {
  scripted_server server(echo);
  const auto from = at(server.port());
  connection_request request(*pool, from);
  request.cancel();
  const auto taken = run(request.take());
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, failure_kind::cancelled);
  EXPECT_EQ(pool->counts(from).total(), 0u);
}

TEST_F(ConnectionPoolTest, AConnectionThatComesInTheTurnOfTheCancelStaysInThePool) {
  scripted_server server(echo);
  const auto from = at(server.port());
  connection_request request(*pool, from);
  auto pending = start(request.take());
  while (pool->counts(from).busy == 0) loop.restart(), loop.run_one_for(1s);
  ASSERT_FALSE(pending->is_done());  // the connection is delivered, but the coroutine has not resumed yet
  request.cancel();
  EXPECT_FALSE(finish(std::move(pending)));
  EXPECT_EQ(pool->counts(from).busy, 0u);
  EXPECT_EQ(pool->counts(from).idle, 1u);
}

TEST_F(ConnectionPoolTest, StopEndsWaitsDialsAndIdleConnections) {
  scripted_server server(echo);
  full_listener hanging;
  auto from = at(server.port()), never = at(hanging.port());
  auto busy = run(take(from));
  await_idle(from, 1);
  auto waiting = start(take(never));
  run_for(10ms);
  run(end());  // the request for a connection ends immediately, although its dial might take ten minutes
  const auto ended = finish(std::move(waiting));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, failure_kind::cancelled);
  EXPECT_EQ(pool->counts(from).idle, 0u);
  use(*busy);  // the leased connection still works after the pool was stopped
  busy->give_back();
  EXPECT_EQ(pool->counts(from).total(), 0u);
  EXPECT_FALSE(run(take(from)));
  close();
}

}  // namespace
}  // namespace photofinish::proxy
