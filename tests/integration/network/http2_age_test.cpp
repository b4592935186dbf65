// Tests HTTP/2 connections that become too old. The test advances the clock.
#include "proxy/http2/http2_exchange.hpp"
#include "proxy/http2/http2_pool.hpp"
#include "tests/support/network/http2_fixture.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::http2_answer;
using testing::http2_server;
using testing::outcome;

class http2_age : public testing::http2_fixture {
 protected:
  ~http2_age() override {
    run(end_pools());
    names.stop();
    run_until([this] { return names.is_idle(); });
  }

  boost::asio::awaitable<bool> end_pools() {
    streams->stop();
    co_await streams->drained();
    sockets->stop();
    co_await sockets->drained();
    streams.reset();
    sockets.reset();
    co_return true;
  }

  provider young(std::uint16_t port, std::chrono::milliseconds most) const {
    provider made = at(port);
    made.limits.max_connection_age = most;
    made.limits.idle_timeout = 600s;
    return made;
  }
  std::unique_ptr<exchange> make(const provider& to) {
    return std::make_unique<http2_exchange>(*streams, *sockets, to, "m", scratch);
  }
  outcome ask_now(const provider& to, std::string body = "{}") {
    auto with = make(to);
    return run(ask(*with, std::move(body)));
  }
  void pass_a_second() {
    skipping.skip(1s);
    skipping.strike();  // the sweep
  }

  std::array<char, 65536> scratch;
  name_cache names{loop, skipping, {}};
  tls_contexts contexts;
  network net{loop, skipping, names, contexts};
  std::optional<connection_pool> sockets{std::in_place, net};
  std::optional<http2_pool> streams{std::in_place, net, *sockets, scratch};
};

TEST_F(http2_age, AConnectionIsReplacedBeforeItIsTooOldAndNoRequestWaitsForADial) {
  http2_server server([](const auto&) { return testing::says({"a"}); });
  const provider to = young(server.port(), 60s);
  EXPECT_EQ(ask_now(to).text, "a");
  for (int second = 0; second < 300; ++second) {
    pass_a_second();
    const outcome got = ask_now(to);
    ASSERT_EQ(got.text, "a");
    ASSERT_EQ(got.connection, connection_used::reused) << "after " << second << " s";
  }
  const std::size_t connections = server.seen().connections;
  EXPECT_GE(connections, 5u) << "none lives for longer than a minute";
  EXPECT_LE(connections, 14u);
}

TEST_F(http2_age, AStreamThatRunsOnAnOldConnectionIsNotCut) {
  std::atomic<bool> may_end = false;
  http2_server server([&](const auto& request) {
    http2_answer plan = testing::says({"a", "b"});
    if (request.body == "long") plan.may_end = [&] { return may_end.load(); };
    return plan;
  });
  const provider to = young(server.port(), 60s);
  auto with = make(to);
  auto running = start(ask(*with, "long"));
  run_until([&] { return server.seen().streams == 1; });
  for (int second = 0; second < 130; ++second) {
    pass_a_second();
    ASSERT_EQ(ask_now(to).text, "ab");
  }
  EXPECT_GE(server.seen().connections, 3u) << "the old one takes no new stream";
  may_end = true;
  const outcome got = finish(std::move(running));
  EXPECT_EQ(got.text, "ab");
  EXPECT_FALSE(got.broke);
}

TEST_F(http2_age, WithoutAMaximumAgeAConnectionStays) {
  http2_server server([](const auto&) { return testing::says({"a"}); });
  const provider to = young(server.port(), 0s);
  for (int second = 0; second < 300; ++second) {
    ASSERT_EQ(ask_now(to).text, "a");
    for (int each = 0; each < 10; ++each) pass_a_second();
  }
  EXPECT_EQ(server.seen().connections, 1u);
}

}  // namespace
}  // namespace photofinish::proxy
