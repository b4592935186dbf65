#include "proxy/http/http1_exchange.hpp"
#include "proxy/pool/connection_pool.hpp"

#include "tests/support/network/certificates.hpp"
#include "tests/support/network/fake_dns.hpp"
#include "tests/support/network/net_fixture.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::full_listener;
using testing::peer;
using testing::scripted_server;

// Answers each request until the client goes.
void echo(peer& client) {
  while (true) {
    const std::string heard = client.read_some();
    if (heard.empty()) return;
    client.write(heard);
  }
}

struct ConnectionPoolTest : testing::net_fixture {
  ~ConnectionPoolTest() override {
    if (pool) close();
    names.stop();
    dns.stop();
    run_until([this] { return names.is_idle() && dns.is_idle(); });
  }

  boost::asio::awaitable<bool> end() {
    pool->stop();
    co_await pool->drained();
    co_return true;
  }
  void close() {
    run(end());
    pool.reset();
  }

  provider at(std::uint16_t port, const std::string& host = "127.0.0.1") {
    provider made;
    made.url = {.is_tls = false, .host = host, .port = port, .path = ""};
    made.limits.max_spares = 1;
    made.limits.connect_timeout = made.limits.tls_timeout = 10min;
    return made;
  }

  boost::asio::awaitable<result<lease>> take(const provider& from, freshness wanted = freshness::any) {
    connection_request request(*pool, from);
    auto taken = co_await request.take(wanted);
    co_return taken;
  }

  // A whole request and its answer.
  void use(lease& taken) {
    const std::array<std::string_view, 1> hello{"hello"};
    ASSERT_TRUE(run(taken.stream().write(hello)));
    const auto got = run(taken.stream().read_some(scratch));
    ASSERT_TRUE(got);
    ASSERT_EQ(*got, 5u);
  }

  void await_idle(const provider& of, std::size_t count) {
    run_until([&] { return pool->counts(of).idle == count && pool->counts(of).dialing == 0; });
  }

  // The server counts on a thread of its own: a little later than we connect.
  void expect_accepted(const scripted_server& server, int count) {
    run_until([&] { return server.accepted() >= count; });
    EXPECT_EQ(server.accepted(), count);
  }

  std::array<char, 4096> scratch;
  testing::fake_dns dns{loop};
  name_cache names{loop, skipping, {.servers = dns.servers(), .query_timeout = 10min, .tries = 1}};
  tls_contexts contexts;
  network net{loop, skipping, names, contexts};
  std::optional<connection_pool> pool{std::in_place, net};
};

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
  ASSERT_TRUE(second->is_done());  // without any wait
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
  EXPECT_EQ(pool->counts(from).dialing, before);  // nothing is dialed before the loop has turned
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
  await_idle(from, 1);  // the spare
  first->give_back();
  skipping.skip(40s);
  run_for(20ms);
  EXPECT_EQ(pool->counts(from).idle, 2u);
  skipping.skip(21s);
  run_until([&] { return server.accepted() == 3 && pool->counts(from).idle == 1; });  // one is replaced
  skipping.skip(300s);
  await_idle(from, 0);
  run_for(20ms);
  expect_accepted(server, 3);
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
  auto fresh = run(take(from, freshness::fresh_only));  // the idle one makes room
  EXPECT_TRUE(fresh);
  EXPECT_EQ(pool->counts(from).total(), 1u);
}

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
    if (!is_first.exchange(false)) return client.read_to_end();  // silent: the dial hangs in its handshake
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
  run_until([&] { return pool->counts(from).dialing == 1; });  // its own dial is not needed any more
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
  run_until([&] { return dns.queries["api.test"] == 2; });  // A and AAAA; the answer comes later in this loop
  request.cancel();
  EXPECT_FALSE(pending->is_done());  // never inline
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
  ASSERT_FALSE(pending->is_done());  // delivered, and not resumed yet
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
  run(end());  // the dial alone would take ten minutes
  const auto ended = finish(std::move(waiting));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, failure_kind::cancelled);
  EXPECT_EQ(pool->counts(from).idle, 0u);
  use(*busy);  // a lease may outlive stop()
  busy->give_back();
  EXPECT_EQ(pool->counts(from).total(), 0u);
  EXPECT_FALSE(run(take(from)));
  close();
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
  trusting.limits.max_spares = 0;  // which would be taken before what was given back
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

// A loser hears nothing but the session tickets, while it waits for its first byte.
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

// Gives each connection a thread out of a pool of four, for as long as it is open: a request on a fifth lies unread.
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

  // So many requests at once, each on a connection of its own.
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
  from.limits.max_spares = 0;  // or which of them the server turns to first would be chance
  {
    std::list<call> calls = burst(from, 8);
    run_until([&] { return answered(calls) == 4; });
    skipping.skip(4s);
    from.limits.max_spares = 2;
    calls.splice(calls.end(), burst(from, 1));
    await_idle(from, 2);
    for (call& each : calls) each.exchange.cancel();  // four have lost their races, after four seconds without a byte
    run_until([&] { return answered(calls) == 9; });
    await_idle(from, 0);
  }
  run_until([&] { return server.accepted() == 11; });
  for (int times = 1; times <= 3; ++times) {
    std::list<call> calls = burst(from, 4);
    run_until([&] { return answered(calls) == 4; });  // no spare holds a thread
    EXPECT_EQ(pool->counts(from).idle, 0u);
    run_until([&] { return server.accepted() >= 11 + 4 * times; });
    EXPECT_EQ(server.accepted(), 11 + 4 * times);
  }
}

}  // namespace
}  // namespace photofinish::proxy
