// Tests connections through an HTTP proxy: the CONNECT request, and how the dial reacts to each answer of the proxy.
#include "proxy/net/dial.hpp"
#include "proxy/net/tunnel.hpp"
#include "proxy/pool/connection_pool.hpp"

#include "tests/support/network/certificates.hpp"
#include "tests/support/network/fake_dns.hpp"
#include "tests/support/network/net_fixture.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::closed_port;
using testing::peer;
using testing::scripted_server;

struct TunnelTest : testing::net_fixture {
  ~TunnelTest() override {
    names.stop();
    dns.stop();
    run_until([this] { return names.is_idle() && dns.is_idle(); });
  }

  // Returns a target at api.test, a host name that only the proxy can resolve.
  dial_target through(std::uint16_t proxy_port, tls_context* tls = nullptr) {
    return {.host = "api.test", .port = 443, .tls = tls,
            .via = forward_proxy{.host = "127.0.0.1", .port = proxy_port, .credentials = secret("bWU6cHc=")},
            .connect_timeout = 10min, .tls_timeout = 10min};
  }

  std::string refusal_of(std::string answer) {
    scripted_server proxy([answer](peer& client) {
      client.read_some();
      client.write(answer);
      client.close();
    });
    dial dialer(net, through(proxy.port()));
    const auto done = run(dialer.run());
    EXPECT_FALSE(done) << answer;
    if (done) return {};
    EXPECT_EQ(done.error().kind, failure_kind::connect);
    std::string text = done.error().detail;
    const std::string name = "127.0.0.1:" + std::to_string(proxy.port());
    const std::size_t at = text.find(name);
    return at == std::string::npos ? text : text.replace(at, name.size(), "P");
  }

  testing::fake_dns dns{loop};
  name_cache names{loop, clock, {.servers = dns.servers(), .query_timeout = 10min, .tries = 1}};
  tls_contexts contexts;
  network net{loop, clock, names, contexts};
  testing::test_authority authority;
};

int choose_http2(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char*, unsigned, void*) {
  static constexpr std::array<unsigned char, 2> h2{'h', '2'};
  *chosen = h2.data();
  *size = 2;
  return SSL_TLSEXT_ERR_OK;
}

TEST_F(TunnelTest, CarriesTlsToTheProviderWithItsNameAndHttp2) {
  const auto provider = testing::server_context(authority.issue({.alt_name = "DNS:api.test"}));
  SSL_CTX_set_alpn_select_cb(provider.get(), choose_http2, nullptr);
  std::mutex guard;
  std::string asked;
  scripted_server proxy([&](peer& client) {
    const std::string head = client.read_some();
    {
      const std::lock_guard held(guard);
      asked = head;
    }
    client.write("HTTP/1.1 200 Connection established\r\nVia: 1.1 p\r\n\r\n");
    if (client.handshake(provider.get())) client.write(client.read_some());
    client.read_to_end();
  });
  auto target = through(proxy.port(), *contexts.for_ca_file(authority.pem_file()));
  target.offer = alpn_offer::http2_or_http1;
  dial dialer(net, target);
  auto done = run(dialer.run());
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_TRUE(done->is_tls());
  EXPECT_TRUE(done->speaks_http2());
  const std::array<std::string_view, 1> hello{"hello"};
  ASSERT_TRUE(run(done->write(hello)));
  std::array<char, 64> room{};
  const auto got = run(done->read_some(room));
  ASSERT_TRUE(got);
  EXPECT_EQ(std::string_view(room.data(), *got), "hello");
  const std::lock_guard held(guard);
  EXPECT_EQ(asked,
            "CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\nProxy-Authorization: Basic bWU6cHc=\r\n\r\n");
}

TEST_F(TunnelTest, ACertificateOfTheProxysNameIsNotTheProviders) {
  const auto wrong = testing::server_context(authority.issue({.alt_name = "DNS:proxy.test"}));
  scripted_server proxy([&](peer& client) {
    client.read_some();
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    client.handshake(wrong.get());
  });
  dial dialer(net, through(proxy.port(), *contexts.for_ca_file(authority.pem_file())));
  const auto done = run(dialer.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::tls);
}

TEST_F(TunnelTest, ItsRefusalsAreNamed) {
  EXPECT_EQ(refusal_of("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"),
            "the proxy P refused: 407 Proxy Authentication Required "
            "(give its user and password: http://USER:PASSWORD@HOST:PORT)");
  EXPECT_EQ(refusal_of("HTTP/1.0 403 Forbidden\r\n\r\n<html>"),
            "the proxy P refused: 403 Forbidden (the proxy does not allow this host)");
  EXPECT_EQ(refusal_of("HTTP/1.1 502 \x01" "Bad\r\n\r\n"), "the proxy P refused: 502 Bad");
  EXPECT_EQ(refusal_of("SSH-2.0-OpenSSH_9.2\r\n\r\n"), "the proxy P does not answer like an HTTP proxy");
  EXPECT_EQ(refusal_of(""), "the proxy P closed the connection without an answer");
  EXPECT_EQ(refusal_of("HTTP/1.1 200 OK\r\n\r\nmore"), "the proxy P sent further bytes after its response");
  EXPECT_EQ(refusal_of("HTTP/1.1 200 OK\r\nX: " + std::string(40'000, 'x')),
            "the proxy P sent a response head that is too long");
}

TEST_F(TunnelTest, AProxyThatIsNotThereIsNamed) {
  dial dialer(net, through(closed_port()));
  const auto done = run(dialer.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().detail, "cannot connect to the proxy 127.0.0.1: Connection refused");
}

TEST_F(TunnelTest, ASilentProxyHasTheLimitOfAConnection) {
  scripted_server mute([](peer& client) { client.read_to_end(); });
  auto target = through(mute.port());
  target.connect_timeout = 60ms;
  dial dialer(net, target);
  const auto done = run(dialer.run());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::connect);
  EXPECT_EQ(done.error().detail, "no answer from the proxy 127.0.0.1 within 60 ms");
}

TEST_F(TunnelTest, CancelledWhileTheProxyIsSilent) {
  scripted_server mute([](peer& client) { client.read_to_end(); });
  dial dialer(net, through(mute.port()));
  auto pending = start(dialer.run());
  run_until([&] { return mute.accepted() == 1; });
  run_for(10ms);
  dialer.cancel();
  const auto done = finish(std::move(pending));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::cancelled);
}

TEST_F(TunnelTest, TheNameOfTheProviderIsNotLookedUpHere) {
  dns.records["proxy.test"] = {.v4 = {"127.0.0.1"}, .v6 = {}};
  scripted_server proxy([](peer& client) {
    client.read_some();
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    client.read_to_end();
  });
  auto target = through(proxy.port());
  target.via->host = "proxy.test";
  dial dialer(net, target);
  const auto done = run(dialer.run());
  EXPECT_TRUE(done) << done.error().detail;
}

TEST_F(TunnelTest, ConnectionsOfOtherWaysAreNotShared) {
  provider direct, tunnelled;
  direct.url = tunnelled.url = {.is_tls = false, .host = "127.0.0.1", .port = 1, .path = ""};
  tunnelled.via = forward_proxy{.host = "127.0.0.1", .port = 2, .credentials = {}};
  EXPECT_NE(route_of(direct.via), route_of(tunnelled.via));
  forward_proxy other = *tunnelled.via;
  other.credentials = secret("bWU6cHc=");
  EXPECT_NE(route_of(tunnelled.via), route_of(other));
}

TEST(TunnelRequest, PutsAddressesOfIPv6IntoBrackets) {
  EXPECT_EQ(tunnel_request({.host = "p", .port = 3128, .credentials = {}}, "2001:db8::1", 8443),
            "CONNECT [2001:db8::1]:8443 HTTP/1.1\r\nHost: [2001:db8::1]:8443\r\n\r\n");
}

}  // namespace
}  // namespace photofinish::proxy
