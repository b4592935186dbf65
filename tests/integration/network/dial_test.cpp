#include "proxy/net/dial.hpp"

#include "tests/support/manual_alarms.hpp"
#include "tests/support/network/certificates.hpp"
#include "tests/support/network/fake_dns.hpp"
#include "tests/support/network/net_fixture.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <string>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::full_listener;
using testing::peer;
using testing::scripted_server;

struct DialTest : testing::net_fixture {
  ~DialTest() override {
    names.stop();
    dns.stop();
    run_until([this] { return names.is_idle() && dns.is_idle(); });
  }

  dial_target to(const std::string& host, std::uint16_t port, tls_context* tls = nullptr) {
    return {.host = host, .port = port, .tls = tls, .connect_timeout = 10min, .tls_timeout = 10min};
  }

  tls_context* trusting() { return *contexts.for_ca_file(authority.pem_file()); }

  // Runs the loop until the dial has set an alarm that fires after exactly this time.
  void await_alarm_in(std::chrono::milliseconds time) {
    run_until([&] { return cranked.has_alarm() && cranked.next_alarm() == cranked.now() + time; });
  }

  int option(byte_stream& stream, int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    ::getsockopt(stream.native_handle(), level, name, &value, &size);
    return value;
  }

  // Runs the dial for a moment, then cancels it, and returns the resulting failure. If the cancellation had no effect, the dial would take
  // ten minutes.
  failure cancelled_in_the_middle(dial& dialer) {
    auto pending = start(dialer.run());
    run_for(30ms);
    EXPECT_FALSE(pending->is_done());
    dialer.cancel();
    dialer.cancel();
    EXPECT_FALSE(pending->is_done());  // a dial never completes inside the call that starts it
    auto done = finish(std::move(pending));
    EXPECT_FALSE(done);
    return done ? failure{} : done.error();
  }

  testing::fake_dns dns{loop};
  name_cache names{loop, clock, {.servers = dns.servers(), .query_timeout = 10min, .tries = 1}};
  tls_contexts contexts;
  network net{loop, clock, names, contexts};
  testing::test_authority authority;
  tests::manual_alarms cranked;
  network timeless{loop, cranked, names, contexts};  // a network whose clock only the test advances; name resolution uses the real clock
};

scripted_server::script idle_peer() {
  return [](peer& client) { client.read_to_end(); };
}

TEST_F(DialTest, ConnectsWithTheOptionsOfAStreamingClient) {
  scripted_server server(idle_peer());
  dial dialer(net, to("127.0.0.1", server.port()));
  auto done = run(dialer.run());
  ASSERT_TRUE(done);
  EXPECT_NE(option(*done, IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_NE(option(*done, SOL_SOCKET, SO_KEEPALIVE), 0);
  EXPECT_EQ(option(*done, IPPROTO_TCP, TCP_KEEPIDLE), 60);
  EXPECT_EQ(option(*done, IPPROTO_TCP, TCP_KEEPINTVL), 60);
  EXPECT_EQ(option(*done, IPPROTO_TCP, TCP_KEEPCNT), 5);
}

TEST_F(DialTest, EachStepIsTimed) {
  dns.records["api.test"] = {.v4 = {"127.0.0.1"}, .v6 = {}, .delay = 20ms};
  const auto good = testing::server_context(authority.issue({.alt_name = "DNS:api.test"}));
  scripted_server server([&](peer& client) {
    std::this_thread::sleep_for(20ms);
    if (client.handshake(good.get())) client.read_to_end();
  });
  dial dialer(net, to("api.test", server.port(), trusting()));
  auto done = run(dialer.run());
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_TRUE(done->is_tls());
  EXPECT_GE(dialer.timings().dns, 19ms);
  // The measured time may be too short, because the server's pause may begin before the dial starts to measure the TLS handshake.
  EXPECT_GT(dialer.timings().tls, 0ms);
  EXPECT_GE(dialer.timings().total, 39ms);
  EXPECT_GE(dialer.timings().total, dialer.timings().dns + dialer.timings().connect + dialer.timings().tls);
}

// A cancelled dial resets a connection that the kernel has already established. If such connections were closed normally, each unused spare
// connection would occupy its port for a minute.
TEST_F(DialTest, WhatTheKernelHadConnectedWhenTheDialWasCancelledIsReset) {
  using boost::asio::ip::tcp;
  tcp::acceptor listener(loop, {boost::asio::ip::address_v4::loopback(), 0});
  listener.non_blocking(true);
  // The event loop has noticed that the connection is established, but the dial's coroutine has not continued yet.
  for (int turns_behind = 0; turns_behind < 5; ++turns_behind) {
    dial dialer(net, to("127.0.0.1", listener.local_endpoint().port()));
    auto pending = start(dialer.run());
    tcp::socket accepted(loop);
    boost::system::error_code ec = boost::asio::error::would_block;
    for (int turn = 0; ec == boost::asio::error::would_block && turn < 100; ++turn) {
      loop.poll_one();
      listener.accept(accepted, ec);
    }
    ASSERT_FALSE(ec) << ec.message();
    for (int turn = 0; turn < turns_behind; ++turn) loop.poll_one();
    dialer.cancel();
    if (finish(std::move(pending))) {
      EXPECT_GT(turns_behind, 0);
      break;
    }
    char byte = 0;
    accepted.read_some(boost::asio::buffer(&byte, 1), ec);
    EXPECT_EQ(ec, boost::asio::error::connection_reset) << ec.message() << ", " << turns_behind;
  }
}

TEST_F(DialTest, AClosedPortOfOneFamilyStartsTheOtherAtOnce) {
  scripted_server server(idle_peer());  // the server listens only on 127.0.0.1, so connections to [::1] are refused
  dial dialer(timeless, to("localhost", server.port()));
  EXPECT_TRUE(run(dialer.run()));
}

TEST_F(DialTest, ADeadFamilyCostsTheStaggerOnce) {
  scripted_server server(idle_peer());
  full_listener dead("::1", server.port());
  dns.records["api.test"] = {.v4 = {"127.0.0.1"}, .v6 = {"::1"}};
  dial first(timeless, to("api.test", server.port()));
  auto pending = start(first.run());
  await_alarm_in(250ms);
  cranked.advance(249ms);
  run_for(20ms);
  EXPECT_FALSE(pending->is_done());
  cranked.advance(1ms);
  EXPECT_TRUE(finish(std::move(pending)));
  dial second(timeless, to("api.test", server.port()));
  EXPECT_TRUE(run(second.run()));  // the second dial starts with the address family that was successful in the first dial
}

TEST_F(DialTest, IPv6IsTriedFirst) {
  scripted_server server(idle_peer(), "::1");
  dial dialer(net, to("localhost", server.port()));
  EXPECT_TRUE(run(dialer.run()));
  run_until([&] { return server.accepted() == 1; });
}

TEST_F(DialTest, RefusedEverywhereIsAConnectFailure) {
  dial dialer(net, to("localhost", testing::closed_port()));
  const auto done = run(dialer.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::connect);
  EXPECT_EQ(done.error().detail, "cannot connect to localhost: Connection refused");
}

TEST_F(DialTest, AnUnknownNameIsADnsFailure) {
  dial dialer(net, to("nowhere.test", 443));
  const auto done = run(dialer.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::dns);
}

TEST_F(DialTest, EachStepHasItsLimit) {
  full_listener hanging;
  auto target = to("127.0.0.1", hanging.port());
  target.connect_timeout = 60ms;
  dial connecting(net, target);
  auto done = run(connecting.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::connect);
  EXPECT_EQ(done.error().detail, "no connection within 60 ms");

  dns.records["silent.test"] = {.v4 = {}, .v6 = {}, .is_silent = true};
  target = to("silent.test", hanging.port());
  target.connect_timeout = 60ms;
  dial resolving(net, target);
  done = run(resolving.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::dns);
  EXPECT_EQ(done.error().detail, "no address for silent.test within 60 ms");

  scripted_server mute(idle_peer());
  target = to("127.0.0.1", mute.port(), trusting());
  target.tls_timeout = 60ms;
  dial securing(net, target);
  done = run(securing.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::tls);
  EXPECT_EQ(done.error().detail, "no TLS handshake within 60 ms");
}

TEST_F(DialTest, EachLimitStrikesAtItsMillisecond) {
  full_listener hanging;
  scripted_server mute(idle_peer());
  for (dial_target target : {to("127.0.0.1", hanging.port()), to("127.0.0.1", mute.port(), trusting())}) {
    target.connect_timeout = target.tls ? 3s : 2s, target.tls_timeout = 2s;
    dial dialer(timeless, target);
    auto pending = start(dialer.run());
    // Waits for one of two alarms: the time limit of the step that hangs, or the time after which the dial tries the next address.
    await_alarm_in(target.tls ? 2'000ms : 250ms);
    cranked.advance(1'999ms);
    run_for(20ms);
    EXPECT_FALSE(pending->is_done());
    cranked.advance(1ms);
    const auto done = finish(std::move(pending));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, target.tls ? failure_kind::tls : failure_kind::connect);
  }
}

TEST_F(DialTest, CancelledBeforehandItConnectsNowhere) {
  scripted_server server(idle_peer());
  dial dialer(net, to("127.0.0.1", server.port()));
  dialer.cancel();
  const auto done = run(dialer.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::cancelled);
  EXPECT_EQ(server.accepted(), 0);
}

TEST_F(DialTest, CancelledWhileResolving) {
  dns.records["silent.test"] = {.v4 = {}, .v6 = {}, .is_silent = true};
  dial dialer(net, to("silent.test", 443));
  EXPECT_EQ(cancelled_in_the_middle(dialer).kind, failure_kind::cancelled);
}

TEST_F(DialTest, CancelledWhileConnecting) {
  full_listener hanging;
  dial dialer(net, to("127.0.0.1", hanging.port()));
  EXPECT_EQ(cancelled_in_the_middle(dialer).kind, failure_kind::cancelled);
}

TEST_F(DialTest, CancelledWithTwoAttemptsUnderWay) {
  full_listener hanging;
  full_listener other("::1", hanging.port());
  dial dialer(timeless, to("localhost", hanging.port()));
  auto pending = start(dialer.run());
  await_alarm_in(250ms);
  cranked.advance(250ms);
  run_for(20ms);
  dialer.cancel();
  const auto done = finish(std::move(pending));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::cancelled);
}

TEST_F(DialTest, CancelledWhileTheServerIsSilentInTls) {
  scripted_server mute(idle_peer());
  dial dialer(net, to("127.0.0.1", mute.port(), trusting()));
  EXPECT_EQ(cancelled_in_the_middle(dialer).kind, failure_kind::cancelled);
}

TEST_F(DialTest, CancelledAfterTheEndItLeavesTheConnectionAlone) {
  scripted_server server([](peer& client) { client.write(client.read_some()); });
  dial dialer(net, to("127.0.0.1", server.port()));
  auto done = run(dialer.run());
  ASSERT_TRUE(done);
  dialer.cancel();
  EXPECT_TRUE(done->is_open());
  EXPECT_TRUE(done->is_quiet());
}

}  // namespace
}  // namespace photofinish::proxy
