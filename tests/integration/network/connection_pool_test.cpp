#include "proxy/http/http1_exchange.hpp"
#include "proxy/pool/connection_pool.hpp"

#include "tests/integration/network/connection_pool_fixture.hpp"
#include "tests/support/network/certificates.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <semaphore>
#include <span>
#include <utility>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::peer;
using testing::scripted_server;

TEST_F(ConnectionPoolTest, AConnectionGivenBackIsUsedAgain) {
  scripted_server server(echo);
  auto from = at(server.port());
  from.limits.max_spares = 0;
  auto first = run(take(from));
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->is_reused());
  EXPECT_FALSE(first->has_served());
  use(*first);
  first->give_back();
  EXPECT_EQ(pool->counts(from).idle, 1u);

  auto second = start(take(from));
  loop.restart();
  loop.poll();
  ASSERT_TRUE(second->is_done());  // the second request received a connection without waiting
  auto again = finish(std::move(second));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->is_reused());
  EXPECT_TRUE(again->has_served());
  use(*again);
  expect_accepted(server, 1);
}

TEST_F(ConnectionPoolTest, AConnectionThatGoesAnotherWayIsNotReused) {
  scripted_server server(echo);
  scripted_server proxy([](peer& client) {
    client.read_some();
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    echo(client);
  });
  auto direct = at(server.port());
  direct.limits.max_spares = 0;
  auto behind = direct;
  behind.via = forward_proxy{.host = "127.0.0.1", .port = proxy.port(), .credentials = {}};
  for (int round = 0; round < 2; ++round) {
    for (const provider* from : {&direct, &behind}) {
      auto taken = run(take(*from));
      ASSERT_TRUE(taken) << taken.error().detail;
      EXPECT_EQ(taken->is_reused(), round == 1);
      use(*taken);
      taken->give_back();
    }
  }
  expect_accepted(server, 1);
  expect_accepted(proxy, 1);
}

TEST_F(ConnectionPoolTest, ASpareIsThereAfterTheFirstRequestAndAfterALoss) {
  scripted_server server(echo);
  const auto from = at(server.port());
  auto first = run(take(from));
  ASSERT_TRUE(first);
  await_idle(from, 1);
  auto second = run(take(from));
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->is_reused());
  EXPECT_FALSE(second->has_served());
  use(*second);
  { const lease lost = std::move(*second); }
  await_idle(from, 1);
  EXPECT_EQ(pool->counts(from).busy, 1u);
  expect_accepted(server, 3);
}

TEST_F(ConnectionPoolTest, SparesAreDialedOffTheRequestsPath) {
  scripted_server server(echo);
  const auto from = at(server.port());
  auto first = run(take(from));
  await_idle(from, 1);
  auto second = run(take(from));
  ASSERT_TRUE(second);
  const auto before = pool->counts(from).dialing;
  { const lease lost = std::move(*second); }
  EXPECT_EQ(pool->counts(from).dialing, before);  // a dial starts in the next turn of the event loop at the earliest
}

TEST_F(ConnectionPoolTest, AnIdleConnectionThatTheServerClosedIsNotReused) {
  std::atomic<bool> is_first{true}, may_close{false}, has_closed{false};
  scripted_server server([&](peer& client) {
    if (!is_first.exchange(false)) return echo(client);
    client.write(client.read_some());
    while (!may_close) std::this_thread::yield();
    client.close();
    has_closed = true;
  });
  auto from = at(server.port());
  from.limits.max_spares = 0;
  auto first = run(take(from));
  ASSERT_TRUE(first);
  use(*first);
  first->give_back();
  may_close = true;
  while (!has_closed) std::this_thread::yield();
  auto second = run(take(from));
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->is_reused());
  use(*second);
}

TEST_F(ConnectionPoolTest, TheSweepDropsWhatTheServerClosed) {
  scripted_server server([&](peer& client) { client.write(client.read_some()); });
  auto from = at(server.port());
  from.limits.max_spares = 0;
  auto first = run(take(from));
  use(*first);
  run_for(20ms);
  first->give_back();
  skipping.skip(1s);
  await_idle(from, 0);
}

TEST_F(ConnectionPoolTest, IdleConnectionsGoAfterTheirTimeAndSparesAfterFiveQuietMinutes) {
  scripted_server server(echo);
  const auto from = at(server.port());
  auto first = run(take(from));
  use(*first);
  await_idle(from, 1);  // waits until the spare connection is idle
  first->give_back();
  skipping.skip(40s);
  run_for(20ms);
  EXPECT_EQ(pool->counts(from).idle, 2u);
  skipping.skip(21s);
  run_until([&] { return server.accepted() == 3 && pool->counts(from).idle == 1; });  // the pool has replaced one connection by a new one
  skipping.skip(300s);
  await_idle(from, 0);
  run_for(20ms);
  expect_accepted(server, 3);
}

// A request takes a connection every second, until ten lifetimes of a connection have passed. The test advances the clock.
TEST_F(ConnectionPoolTest, AConnectionIsReplacedBeforeItIsTooOldAndNoRequestWaitsForADial) {
  scripted_server server(echo);
  auto from = at(server.port());
  from.limits.max_connection_age = 60s;
  from.limits.idle_timeout = 600s;
  auto first = run(take(from));
  ASSERT_TRUE(first);
  use(*first);
  await_idle(from, 1);  // waits until the spare connection is idle
  first->give_back();
  for (int second = 0; second < 600; ++second) {
    skipping.skip(1s);
    skipping.strike();  // the sweep
    ASSERT_GE(pool->counts(from).idle, 1u) << "after " << second << " s";
    auto taken = run(take(from));
    ASSERT_TRUE(taken && taken->is_reused()) << "after " << second << " s";
    use(*taken);
    taken->give_back();
    run_until([&] { return pool->counts(from).dialing == 0; });
  }
  run_until([&] { return server.accepted() >= 10; });
  EXPECT_LE(server.accepted(), 40) << "one connection is replaced by one, and a spare by a spare";
}

TEST_F(ConnectionPoolTest, AConnectionThatComesBackTooOldIsClosed) {
  scripted_server server(echo);
  auto from = at(server.port());
  from.limits.max_spares = 0;
  from.limits.max_connection_age = 60s;
  auto first = run(take(from));
  ASSERT_TRUE(first);
  use(*first);
  skipping.skip(47s);
  first->give_back();
  EXPECT_EQ(pool->counts(from).idle, 1u) << "no life is shorter than 80 % of the age";
  auto again = run(take(from));
  ASSERT_TRUE(again && again->is_reused());
  use(*again);
  skipping.skip(13s);
  again->give_back();
  EXPECT_EQ(pool->counts(from).idle, 0u);
  auto fresh = run(take(from));
  ASSERT_TRUE(fresh);
  EXPECT_FALSE(fresh->is_reused());
  use(*fresh);
}

TEST_F(ConnectionPoolTest, WithoutAMaximumAgeAConnectionLivesAsLongAsItIsUsed) {
  scripted_server server(echo);
  auto from = at(server.port());
  from.limits.max_spares = 0;
  from.limits.max_connection_age = 0s;
  auto taken = run(take(from));
  for (int half_minute = 0; half_minute < 240; ++half_minute) {
    ASSERT_TRUE(taken);
    use(*taken);
    taken->give_back();
    skipping.skip(30s);
    skipping.strike();
    taken = run(take(from));
    ASSERT_TRUE(taken && taken->is_reused());
  }
  use(*taken);
  expect_accepted(server, 1);
}

TEST_F(ConnectionPoolTest, AFreshConnectionIsNeverAnIdleOne) {
  scripted_server server(echo);
  auto from = at(server.port());
  from.limits.max_spares = 0;
  auto first = run(take(from));
  use(*first);
  first->give_back();
  auto fresh = run(take(from, freshness::fresh_only));
  ASSERT_TRUE(fresh);
  EXPECT_FALSE(fresh->is_reused());
  expect_accepted(server, 2);
}

TEST_F(ConnectionPoolTest, AtMaxConnectionsRequestsAreRefused) {
  scripted_server server(echo);
  auto from = at(server.port());
  from.limits.max_connections = 1;
  auto first = run(take(from));
  ASSERT_TRUE(first);
  const auto second = run(take(from));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, failure_kind::busy);
  EXPECT_EQ(second.error().origin, failure_origin::gateway);
  use(*first);
  first->give_back();
  auto fresh = run(take(from, freshness::fresh_only));  // meanwhile the pool closes the idle connection, to stay within its limit
  EXPECT_TRUE(fresh);
  EXPECT_EQ(pool->counts(from).total(), 1u);
}

TEST_F(ConnectionPoolTest, TlsConnectionsAreKeptByTheirCaFile) {
  const testing::test_authority authority;
  const auto good = testing::server_context(authority.issue());
  scripted_server server([&](peer& client) {
    if (client.handshake(good.get())) echo(client);
  });
  auto trusting = at(server.port(), "localhost");
  trusting.url.is_tls = true;
  trusting.ca_file = authority.pem_file();
  // There are no spare connections. The pool would use a spare connection before it uses the connection that the test has returned.
  trusting.limits.max_spares = 0;
  auto strict = trusting;
  strict.ca_file.clear();
  auto taken = run(take(trusting));
  ASSERT_TRUE(taken) << taken.error().detail;
  use(*taken);
  taken->give_back();
  const auto refused = run(take(strict));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, failure_kind::tls);
  auto again = run(take(trusting));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->has_served());
  EXPECT_TRUE(again->stream().is_tls());
}

// While a losing attempt waits for the first byte of its answer, it reads only the session tickets of its connection.
TEST_F(ConnectionPoolTest, TheConnectionAfterALosersResumesItsSession) {
  const testing::test_authority authority;
  const auto good = testing::server_context(authority.issue());
  scripted_server server([&](peer& client) {
    if (client.handshake(good.get())) client.read_to_end();
  });
  auto from = at(server.port(), "localhost");
  from.url.is_tls = true;
  from.ca_file = authority.pem_file();
  from.limits.max_spares = 0;
  auto taken = run(take(from));
  ASSERT_TRUE(taken) << taken.error().detail;
  EXPECT_FALSE(taken->stream().is_resumed());
  auto silence = start(taken->stream().read_some(scratch));
  const tls_context& context = **contexts.for_ca_file(from.ca_file);
  run_until([&] { return context.ticket_count("localhost", server.port()) > 0; });
  taken->stream().abort();
  EXPECT_FALSE(finish(std::move(silence)));
  { const lease lost = std::move(*taken); }

  auto next = run(take(from));
  ASSERT_TRUE(next) << next.error().detail;
  EXPECT_TRUE(next->stream().is_resumed());
}

// A server with four threads. Each open connection occupies one thread, so the server never reads a request on a fifth connection.
class few_threads {
 public:
  std::uint16_t port() const { return server_.port(); }
  int accepted() const { return server_.accepted(); }

 private:
  void serve(peer& client) {
    threads_.acquire();
    while (!client.read_some().empty()) client.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    threads_.release();
  }

  std::counting_semaphore<> threads_{4};
  scripted_server server_{[this](peer& client) { serve(client); }};
};

struct FewThreadsTest : ConnectionPoolTest {
  struct call {
    call(connection_pool& pool, const provider& of, std::span<char> scratch) : exchange(pool, of, scratch) {}
    http1_exchange exchange;
    std::unique_ptr<testing::started<result<response_head>>> answer;
  };

  // Starts this number of requests. Each request has its own connection.
  std::list<call> burst(const provider& of, int size) {
    std::list<call> calls;
    for (int each = 0; each < size; ++each) {
      call& made = calls.emplace_back(*pool, of, scratch);
      made.answer = start(made.exchange.start(head, {}));
    }
    return calls;
  }

  static std::size_t answered(const std::list<call>& calls) {
    return static_cast<std::size_t>(
        std::count_if(calls.begin(), calls.end(), [](const call& each) { return each.answer->is_done(); }));
  }

  request_head head{.method = "POST", .path = "/", .host = "localhost", .fields = {}};
};

TEST_F(FewThreadsTest, SparesThatStarveTheServerAreGivenUpAndNotDialedAgain) {
  few_threads server;
  auto from = at(server.port());
  // The pool has no spare connections. If it had some, the server would accept connections in a random order.
  from.limits.max_spares = 0;
  {
    std::list<call> calls = burst(from, 8);
    run_until([&] { return answered(calls) == 4; });
    skipping.skip(4s);
    from.limits.max_spares = 2;
    calls.splice(calls.end(), burst(from, 1));
    await_idle(from, 2);
    for (call& each : calls) each.exchange.cancel();  // four attempts lose their races after four seconds in which the server sent no byte
    run_until([&] { return answered(calls) == 9; });
    await_idle(from, 0);
  }
  run_until([&] { return server.accepted() == 11; });
  for (int times = 1; times <= 3; ++times) {
    std::list<call> calls = burst(from, 4);
    run_until([&] { return answered(calls) == 4; });  // no spare connection occupies a thread of the server
    EXPECT_EQ(pool->counts(from).idle, 0u);
    run_until([&] { return server.accepted() >= 11 + 4 * times; });
    EXPECT_EQ(server.accepted(), 11 + 4 * times);
  }
}

}  // namespace
}  // namespace photofinish::proxy
