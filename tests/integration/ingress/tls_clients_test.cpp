// Tests clients with TLS. They get the same answers as other clients. A client without the required certificate gets no answer.
#include "tests/integration/ingress/front_fixture.hpp"

#include <cstddef>
#include <list>
#include <string>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using gateway::client_auth;

class tls_clients : public front_fixture {
 protected:
  tls_clients() { show(authority.issue()); }

  void ask_for_certificates(client_auth how) {
    settings.server.ingress.tls->clients = how;
    settings.server.ingress.tls->client_authorities = clients.pem();
  }
  identity client_named(const std::string& name) {
    return clients.issue({.alt_name = "URI:spiffe://house/" + name, .common_name = name});
  }

  const test_authority authority, clients;
};

TEST_F(tls_clients, AreServedByEitherVersionOverHttp1) {
  start();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    tls_client client(gateway->port(), {.ca_file = authority.pem_file(), .version = version});
    ASSERT_TRUE(client.is_up());
    EXPECT_EQ(client.protocol(), "http/1.1");
    for (int request = 0; request < 3; ++request) {  // sends all requests on one connection
      client.post(streamed("r"));
      const std::string answer = client.read();
      EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK")) << answer;
      EXPECT_NE(answer.find("hello"), std::string::npos);
      EXPECT_TRUE(client.was_whole());
    }
  }
}

TEST_F(tls_clients, AClientThatKnowsOnlyHttp2IsRefusedAndOneThatNamesNothingIsNot) {
  start();
  EXPECT_FALSE(tls_client(gateway->port(), {.alpn = "\x02h2"}).is_up());
  EXPECT_EQ(tls_client(gateway->port(), {.alpn = "\x02h2\x08http/1.1"}).protocol(), "http/1.1");
  EXPECT_EQ(ask({.alpn = ""}), "HTTP/1.1 200 OK");
  EXPECT_TRUE(has_refused("tls", 1));
}

TEST_F(tls_clients, LongRequestsAndAnswersPassWhole) {
  std::string word;
  for (int part = 0; part < 600; ++part) word += "word ";
  scripted_provider talker([&](provider_call& call) {
    call.stream_head();
    for (int event = 0; event < 700; ++event) call.event(token_chunk(word));
    call.event(finish_chunk());
    call.end();
  });
  add("p", talker);
  start();
  tls_client client(gateway->port(), {.ca_file = authority.pem_file()});
  const std::string prompt(3u << 20, 'p');
  client.post(R"({"model":"r","stream":true,"messages":[{"role":"user","content":")" + prompt + R"("}]})");
  std::this_thread::sleep_for(300ms);  // meanwhile the gateway buffers the bytes that the kernel does not accept
  const std::string answer = client.read();
  EXPECT_TRUE(client.was_whole());
  std::size_t words = 0;
  for (std::size_t at = 0; (at = answer.find(word, at)) != std::string::npos; at += word.size()) ++words;
  EXPECT_EQ(words, 700u);
  EXPECT_NE(talker.request().body.find(prompt), std::string::npos);
}

TEST_F(tls_clients, AChangeOfKeysBetweenRequestsIsTakenIn) {
  start();
  tls_client client(gateway->port(), {.version = TLS1_3_VERSION});
  for (int request = 0; request < 3; ++request) {
    for (int change = 0; change < 20; ++change) client.change_keys();
    client.post(streamed("r"));
    EXPECT_TRUE(client.read().starts_with("HTTP/1.1 200 OK"));
  }
}

TEST_F(tls_clients, HttpWithoutTlsIsToldSo) {
  start();
  const std::string answer = sent_and_read(gateway->port(), "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
  EXPECT_NE(answer.find("https://"), std::string::npos);
}

TEST_F(tls_clients, TheAdminAddressStaysPlainUnlessToldOtherwise) {
  start();
  EXPECT_NE(sent_and_read(gateway->admin_port(), "GET /livez HTTP/1.0\r\n\r\n").find(" 200 "), std::string::npos);
  settings.server.ingress.tls->covers_admin = true;
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] { return tls_client(gateway->admin_port()).is_up(); }));
}

TEST_F(tls_clients, WhoLacksARequiredCertificateGetsNothing) {
  ask_for_certificates(client_auth::require);
  start();
  const test_authority strangers;
  EXPECT_EQ(ask({}), "");
  EXPECT_EQ(ask({.who = strangers.issue()}), "");
  EXPECT_EQ(provider.requests().size(), 0u);
  EXPECT_EQ(ask({.who = client_named("alice")}), "HTTP/1.1 200 OK");
  EXPECT_TRUE(has_refused("tls", 2));
}

TEST_F(tls_clients, AnOptionalCertificateNamesItsCallerAndAForeignOneIsRefused) {
  ask_for_certificates(client_auth::optional);
  settings.access.keys.push_back({.name = "alice", .key = {}, .routes = {}, .cert_subject = "CN=alice"});
  settings.access.keys.push_back({.name = "bob", .key = proxy::secret("bobs-key-0123456789"), .routes = {},
                                  .cert_subject = "URI:spiffe://house/bob"});
  start();
  const test_authority strangers;
  EXPECT_EQ(ask({}), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(ask({.who = client_named("carol")}), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(ask({.who = strangers.issue({.common_name = "alice"})}), "");
  const std::string sdk = "authorization: Bearer none\r\n";  // SDKs always send a key, even if the gateway requires none
  EXPECT_EQ(ask({.who = client_named("alice")}, sdk), "HTTP/1.1 200 OK");
  EXPECT_EQ(ask({.who = client_named("bob")}), "HTTP/1.1 200 OK");
  EXPECT_EQ(ask({}, "authorization: Bearer bobs-key-0123456789\r\n"), "HTTP/1.1 200 OK");
  EXPECT_EQ(ask({.who = client_named("alice")}, "x-photofinish-key: wrong\r\n"), "HTTP/1.1 401 Unauthorized");
}

TEST_F(tls_clients, AReloadShowsNewClientsTheNewCertificateAndLeavesOldConnectionsAlone) {
  start();
  tls_client old(gateway->port(), {.ca_file = authority.pem_file()});
  const identity next = authority.issue();
  const long serial = ASN1_INTEGER_get(X509_get0_serialNumber(next.certificate.get()));
  show(next);
  settings.server.ingress.tls->expires += std::chrono::hours(1);
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] { return tls_client(gateway->port()).serial() == serial; }));
  EXPECT_NE(old.serial(), serial);
  old.post(streamed("r"));
  EXPECT_TRUE(old.read().starts_with("HTTP/1.1 200 OK"));
}

TEST_F(tls_clients, TheCertificatesEndIsOnTheMetricsPage) {
  start();
  EXPECT_EQ(sample("photofinish_tls_certificate_expiry_timestamp_seconds"), 1'900'000'000);
}

TEST_F(tls_clients, WhoDoesNotFinishShakingHandsInTimeIsCut) {
  settings.limits.header_timeout = 200ms;
  start();
  EXPECT_EQ(sent_and_read(gateway->port(), ""), "");
  EXPECT_EQ(sent_and_read(gateway->port(), "\x16\x03\x01\x02"), "") << "the beginning of a ClientHello";
  EXPECT_EQ(ask({}), "HTTP/1.1 200 OK");
}

// Clients with unfinished handshakes do not take connections away from ordinary clients, although each handshake may last ten minutes.
TEST_F(tls_clients, AFloodOfHalfHandshakesKeepsNoClientOut) {
  settings.limits.header_timeout = std::chrono::minutes(10);
  settings.limits.max_connections = 100;
  start();
  std::list<test_client> flood;
  for (int client = 0; client < 300; ++client) {
    flood.emplace_back(gateway->port()).send("\x16\x03\x01\x02");
    if (client % 50 == 49) {
      EXPECT_EQ(ask({}), "HTTP/1.1 200 OK") << client;
    }
  }
  std::thread drip([&] {
    for (test_client& each : flood) each.send("x");
  });
  EXPECT_EQ(ask({}), "HTTP/1.1 200 OK");
  drip.join();
  EXPECT_TRUE(has_refused("crowded", 250));
}

}  // namespace
}  // namespace photofinish::testing
