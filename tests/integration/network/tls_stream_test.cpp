// Tests TLS on a socket: certificates, records, session tickets, and the different ways in which a connection ends.
#include "proxy/net/byte_stream.hpp"

#include "tests/support/network/byte_stream_fixture.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::peer;
using testing::scripted_server;
using testing::tls_script;

using TlsStreamTest = testing::byte_stream_fixture;

TEST_F(TlsStreamTest, TlsGivesBytesAndAProperEnd) {
  scripted_server server(tls_script(good.get(), [](peer& client) {
    client.write("got " + client.read_some());
    client.say_goodbye();
  }));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  EXPECT_TRUE(stream.is_tls());
  EXPECT_TRUE(run(send(stream, {"one", "two"})));
  EXPECT_EQ(run(read_all(stream)), "got onetwo");  // the peer received one TLS record, so it needed only one read
  EXPECT_FALSE(stream.ended_abruptly());
}

TEST_F(TlsStreamTest, TlsEndWithoutCloseNotifyIsAbrupt) {
  scripted_server server(tls_script(good.get(), [](peer& client) {
    client.read_some();
    client.write("partial");
  }));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  EXPECT_TRUE(run(send(stream, {"hello"})));
  EXPECT_EQ(run(read_all(stream)), "partial");
  EXPECT_TRUE(stream.ended_abruptly());
  EXPECT_EQ(run(read_all(stream)), "");
}

TEST_F(TlsStreamTest, RecordsLargerThanTheBufferAreReadToTheirEnd) {
  const std::string large(200'000, 'y');
  scripted_server server(tls_script(good.get(), [&](peer& client) {
    client.write(large);
    client.say_goodbye();
  }));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  std::array<char, 100> small;
  std::string all;
  while (true) {
    const auto got = run(stream.read_some(small));
    ASSERT_TRUE(got);
    if (*got == 0) break;
    all.append(small.data(), *got);
  }
  EXPECT_EQ(all, large);
}

struct refused_certificate {
  std::string name;
  testing::leaf_options options;
  bool is_self_signed;
  std::string host;
  std::string words;
};
class RefusedCertificateTest : public TlsStreamTest,
                               public ::testing::WithParamInterface<refused_certificate> {};

TEST_P(RefusedCertificateTest, TheHandshakeFailsAndSaysWhy) {
  const auto& kind = GetParam();
  const auto bad = testing::server_context(kind.is_self_signed ? testing::self_signed(kind.options)
                                                               : authority.issue(kind.options));
  scripted_server server(tls_script(bad.get(), [](peer& client) { client.read_to_end(); }));
  auto stream = connect(server);
  const auto done = secure(stream, server, kind.host);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::tls);
  EXPECT_NE(done.error().detail.find(kind.words), std::string::npos) << done.error().detail;
  EXPECT_FALSE(stream.is_open());
  EXPECT_EQ(context->ticket_count(kind.host, server.port()), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RefusedCertificateTest,
    ::testing::Values(
        refused_certificate{"OtherHost", {.alt_name = "DNS:other.test"}, false, "localhost", "another host"},
        refused_certificate{"OtherAddress", {.alt_name = "IP:192.0.2.1"}, false, "127.0.0.1", "another host"},
        refused_certificate{"NoAddress", {.alt_name = "DNS:127.0.0.1"}, false, "127.0.0.1", "another host"},
        refused_certificate{"Expired", {.from_s = -7200, .until_s = -3600}, false, "localhost", "expired"},
        refused_certificate{"TooEarly", {.from_s = 3600, .until_s = 7200}, false, "localhost", "not valid"},
        refused_certificate{"SelfSigned", {}, true, "localhost", "self-signed"}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(TlsStreamTest, AnUnknownAuthorityIsRefused) {
  const testing::test_authority stranger;
  const auto bad = testing::server_context(stranger.issue());
  scripted_server server(tls_script(bad.get(), [](peer& client) { client.read_to_end(); }));
  auto stream = connect(server);
  const auto done = secure(stream, server);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().detail, "the certificate's issuer is not trusted");
}

TEST_F(TlsStreamTest, AnAddressIsVerifiedAsAnAddress) {
  scripted_server server(tls_script(good.get(), [](peer& client) { client.read_to_end(); }));
  auto by_v4 = connect(server), by_v6 = connect(server);
  EXPECT_TRUE(secure(by_v4, server, "127.0.0.1"));
  EXPECT_TRUE(secure(by_v6, server, "::1"));
}

TEST_F(TlsStreamTest, AServerThatSpeaksNoTlsIsToldApart) {
  scripted_server server([](peer& client) {
    client.read_some();
    client.write("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  auto stream = connect(server);
  const auto done = secure(stream, server);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().detail, "the server does not speak TLS on this port");
}

TEST_F(TlsStreamTest, AnEndDuringTheHandshakeIsATlsFailure) {
  scripted_server server([](peer& client) { client.read_some(); });
  auto stream = connect(server);
  const auto done = secure(stream, server);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::tls);
  EXPECT_EQ(done.error().detail, "the connection was closed during the handshake");
}

TEST_F(TlsStreamTest, ACaFileThatCannotBeReadIsNamed) {
  const auto made = tls_context::make("/nowhere/ca.pem");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().detail.find("/nowhere/ca.pem"), std::string::npos);
  EXPECT_EQ(made.error().origin, failure_origin::gateway);
}

// The server's side of a TLS connection in memory. The test can split the records that the server sends.
class tls_in_memory {
 public:
  explicit tls_in_memory(SSL_CTX* context) : ssl_(SSL_new(context)) {
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(ssl_.get());
  }

  void handshake(peer& client) {
    while (SSL_do_handshake(ssl_.get()) != 1) {
      client.write(records());
      const std::string heard = client.read_some();
      if (heard.empty()) return;
      BIO_write(SSL_get_rbio(ssl_.get()), heard.data(), static_cast<int>(heard.size()));
    }
    client.write(records());
  }

  std::string record(std::string_view bytes) {
    SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    return records();
  }

 private:
  std::string records() {
    std::string all(1 << 16, '\0');
    const int size = BIO_read(SSL_get_wbio(ssl_.get()), all.data(), static_cast<int>(all.size()));
    all.resize(static_cast<std::size_t>(std::max(size, 0)));
    return all;
  }

  ssl_ptr ssl_;
};

// OpenSSL may report pending bytes although the next read returns none. The stream must then wait until the socket has more bytes.
TEST_F(TlsStreamTest, HalfARecordIsWaitedForAndNotSpunOn) {
  std::atomic<bool> is_rest_due{false};
  scripted_server server([&](peer& client) {
    tls_in_memory tls(good.get());
    tls.handshake(client);
    const std::string whole = tls.record("whole"), cut = tls.record("in two parts");
    client.write(whole + cut.substr(0, cut.size() / 2));
    while (!is_rest_due) std::this_thread::sleep_for(1ms);
    client.write(cut.substr(cut.size() / 2));
    client.read_to_end();
  });
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  const auto got = run(stream.read_some(scratch));
  ASSERT_TRUE(got);
  ASSERT_EQ(std::string(scratch.data(), *got), "whole");
  int waits = 0;
  const auto count_waits = [&]() -> boost::asio::awaitable<std::string> {
    while (++waits < 1000) {
      co_await stream.readable();
      if (auto count = stream.try_read(scratch)) co_return std::string(scratch.data(), **count);
    }
    co_return "it spins";
  };
  auto reading = start(count_waits());
  run_for(20ms);
  EXPECT_FALSE(reading->is_done());
  is_rest_due = true;
  EXPECT_EQ(finish(std::move(reading)), "in two parts");
  EXPECT_LT(waits, 5);
}

TEST_F(TlsStreamTest, TheNextConnectionResumesAfterAnAbortedOne) {
  scripted_server server(tls_script(good.get(), [](peer& client) {
    client.write(client.read_some() + (client.is_resumed() ? " resumed" : " full"));
    client.read_to_end();
  }));
  auto first = connect(server);
  ASSERT_TRUE(secure(first, server));
  (void)run(send(first, {"a"}));
  ASSERT_TRUE(run(first.read_some(scratch)));  // reads the session tickets, which arrive before the answer
  EXPECT_FALSE(first.is_resumed());
  const auto tickets = context->ticket_count("localhost", server.port());
  EXPECT_GE(tickets, 1u);
  first.abort();

  auto second = connect(server);
  ASSERT_TRUE(secure(second, server));
  EXPECT_TRUE(second.is_resumed());
  EXPECT_EQ(context->ticket_count("localhost", server.port()), tickets - 1);  // each TLS session ticket is used only once
  auto elsewhere = connect(server);
  ASSERT_TRUE(secure(elsewhere, server, "127.0.0.1"));
  EXPECT_FALSE(elsewhere.is_resumed());
}

TEST_F(TlsStreamTest, Tls12SessionsResumeTooAndServeOn) {
  const auto old = testing::server_context(authority.issue(), TLS1_2_VERSION);
  scripted_server server(tls_script(old.get(), [](peer& client) { client.read_to_end(); }));
  for (int connection = 0; connection < 3; ++connection) {
    auto stream = connect(server);
    ASSERT_TRUE(secure(stream, server));
    EXPECT_EQ(stream.is_resumed(), connection > 0);
    stream.abort();
  }
}

TEST_F(TlsStreamTest, Tls11IsRefused) {
  const auto old = testing::server_context(authority.issue(), TLS1_1_VERSION);
  SSL_CTX_set_security_level(old.get(), 0);
  scripted_server server(tls_script(old.get(), [](peer& client) { client.read_to_end(); }));
  auto stream = connect(server);
  EXPECT_FALSE(secure(stream, server));
}

}  // namespace
}  // namespace photofinish::proxy
