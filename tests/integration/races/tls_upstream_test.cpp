// Tests providers that use TLS: which certificates the gateway accepts, and how it interprets the end of a connection.
#include "tests/support/network/certificates.hpp"
#include "tests/support/streams/stream_bytes.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class tls_upstream_test : public gateway_fixture {
 protected:
  // Starts a provider with the given certificate. The script `then` handles each connection after a request has arrived.
  void serve(const identity& who, scripted_server::script then) {
    context_ = server_context(who);
    provider = std::make_unique<scripted_server>([this, then = std::move(then)](peer& client) {
      if (!client.handshake(context_.get())) return;
      while (read_request(client)) then(client);
    });
    settings.providers["p"] = local_provider("p", provider->port());
    settings.providers["p"].url.is_tls = true;
    settings.providers["p"].url.host = "localhost";
    settings.providers["p"].ca_file = authority.pem_file();
    settings.providers["p"].limits.max_spares = 0;
    add_route("r", {"p/m"});
    start();
  }

  bool read_request(peer& client) {
    std::string asked;
    for (std::string more; asked.find("\"messages\"") == std::string::npos; asked += more)
      if (more = client.read_some(); more.empty()) return false;
    ++requests;
    return true;
  }

  test_authority authority;
  std::atomic<int> requests = 0;
  std::unique_ptr<scripted_server> provider;

 private:
  std::shared_ptr<SSL_CTX> context_;
};

TEST_F(tls_upstream_test, AStreamArrivesAndItsConnectionIsUsedAgain) {
  serve(authority.issue(), [](peer& client) { client.write(chunked(plain_answer, 50)); });
  for (int turn = 0; turn < 3; ++turn) {
    const http_response got = post(streamed("r"));
    EXPECT_EQ(got.text(), "one two") << got.body;
    EXPECT_TRUE(got.is_complete);
  }
  EXPECT_EQ(provider->accepted(), 1);
  EXPECT_EQ(requests, 3);
  expect_metric(2, "photofinish_upstream_connections_total", {R"(kind="reused")"});
}

TEST_F(tls_upstream_test, EachByteInARecordOfItsOwnIsTheSame) {
  serve(authority.issue(), [](peer& client) {
    for (const char byte : chunked(plain_answer, 50)) client.write({&byte, 1});
  });
  EXPECT_EQ(post(streamed("r")).text(), "one two");
}

TEST_F(tls_upstream_test, NoGoodbyeBehindTheLastChunkIsFine) {
  serve(authority.issue(), [](peer& client) {
    client.write(chunked(plain_answer, 50));
    client.close();  // closes the TCP connection without sending a close_notify alert of TLS
  });
  for (int turn = 0; turn < 2; ++turn) {
    const http_response got = post(streamed("r"));
    EXPECT_TRUE(got.is_complete) << got.body;
    EXPECT_EQ(got.text(), "one two");
  }
}

const std::string unfinished = events({role_chunk(), token_chunk("one")});

TEST_F(tls_upstream_test, NoGoodbyeBehindABodyThatEndsWithItsConnectionIsATruncation) {
  serve(authority.issue(), [](peer& client) {
    client.write(stream_fields + "\r\n" + plain_answer.substr(0, plain_answer.find("data: [DONE]")));
    client.close();
  });
  const http_response got = post(streamed("r"));
  EXPECT_FALSE(got.is_complete) << got.body;
  EXPECT_EQ(got.body.find("[DONE]"), std::string::npos);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")", R"(reason="bad_stream")"});
}

TEST_F(tls_upstream_test, AGoodbyeBehindABodyThatEndsWithItsConnectionIsItsEnd) {
  serve(authority.issue(), [](peer& client) {
    client.write(stream_fields + "\r\n" + plain_answer);
    client.say_goodbye();
    client.close();
  });
  EXPECT_TRUE(post(streamed("r")).is_complete);
}

TEST_F(tls_upstream_test, AGoodbyeInTheMiddleOfTheChunksIsATruncation) {
  serve(authority.issue(), [](peer& client) {
    const std::string whole = chunked(unfinished, 1'000);
    client.write(whole.substr(0, whole.size() - 5));
    client.say_goodbye();
    client.close();
  });
  const http_response got = post(streamed("r"));
  EXPECT_FALSE(got.is_complete);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")", R"(reason="bad_stream")"});
}

TEST_F(tls_upstream_test, AResetBehindTheFirstTokenIsABadStream) {
  std::atomic<bool> has_begun{false};
  serve(authority.issue(), [&](peer& client) {
    const std::string whole = chunked(unfinished, 1'000);
    client.write(whole.substr(0, whole.size() - 5));
    while (!has_begun) std::this_thread::sleep_for(1ms);
    client.reset();
  });
  test_client client = connect();
  client.post(streamed("r"));
  client.read_until("one");
  has_begun = true;
  const http_response got = client.read();
  EXPECT_FALSE(got.is_complete);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")", R"(reason="bad_stream")"});
}

struct untrusted {
  const char* name;
  std::function<identity(const test_authority&)> make;
};

class untrusted_test : public tls_upstream_test, public ::testing::WithParamInterface<untrusted> {};

TEST_P(untrusted_test, ProviderIsSentNothingAndLosesToARival) {
  scripted_provider rival(streams({"trusted"}, 50ms));
  add("rival", rival);
  add_route("both", {"p/m", "rival/m"});
  settings.providers["p"].key.value = proxy::secret("sk-house");
  serve(GetParam().make(authority), [](peer& client) { client.write(chunked(plain_answer, 50)); });
  const http_response alone = post(streamed("r"));
  EXPECT_EQ(alone.status, 502);
  EXPECT_NE(alone.error("message").find("p/m: tls"), std::string::npos) << alone.body;
  EXPECT_EQ(post(streamed("both")).text(), "trusted");
  EXPECT_EQ(requests, 0);
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="failed")", R"(reason="tls")"});
}

INSTANTIATE_TEST_SUITE_P(
    , untrusted_test,
    ::testing::Values(
        untrusted{"OfAnotherHost", [](const test_authority& by) { return by.issue({.alt_name = "DNS:other.example"}); }},
        untrusted{"Expired", [](const test_authority& by) { return by.issue({.alt_name = "DNS:localhost", .from_s = -7'200, .until_s = -3'600}); }},
        untrusted{"NotYetValid", [](const test_authority& by) { return by.issue({.alt_name = "DNS:localhost", .from_s = 3'600, .until_s = 7'200}); }},
        untrusted{"SelfSigned", [](const test_authority&) { return self_signed(); }}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace photofinish::testing
