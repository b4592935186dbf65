// A connection pool for tests. The test controls the pool's name resolution and its clock.
#pragma once

#include "proxy/pool/connection_pool.hpp"
#include "tests/support/network/fake_dns.hpp"
#include "tests/support/network/net_fixture.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Answers each request until the client disconnects.
inline void echo(testing::peer& client) {
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
    made.limits.connect_timeout = made.limits.tls_timeout = std::chrono::minutes(10);
    return made;
  }

  boost::asio::awaitable<result<lease>> take(const provider& from, freshness wanted = freshness::any) {
    connection_request request(*pool, from);
    auto taken = co_await request.take(wanted);
    co_return taken;
  }

  // Sends a request on the leased connection, and reads the whole answer.
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

  // Waits until the server has accepted this number of connections. The
  // server counts connections on its own thread, so its count may be late.
  void expect_accepted(const testing::scripted_server& server, int count) {
    run_until([&] { return server.accepted() >= count; });
    EXPECT_EQ(server.accepted(), count);
  }

  std::array<char, 4096> scratch;
  testing::fake_dns dns{loop};
  name_cache names{loop, skipping, {.servers = dns.servers(), .query_timeout = std::chrono::minutes(10), .tries = 1}};
  tls_contexts contexts;
  network net{loop, skipping, names, contexts};
  std::optional<connection_pool> pool{std::in_place, net};
};

}  // namespace photofinish::proxy
