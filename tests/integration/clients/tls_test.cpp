// Tests providers with TLS. A server that cannot prove its name gets no request and no key. If a connection ends without close_notify, its
// answer counts as truncated, unless the answer's HTTP framing proves that it is complete.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/certificates.hpp"

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>

namespace photofinish::testing {
namespace {

enum class goodbye { said, unsaid };

class tls_test : public gateway_fixture {
 protected:
  void add_tls(const scripted_server& server) {
    proxy::provider& made = settings.providers["p"] = local_provider("p", server.port());
    made.url.is_tls = true;
    made.ca_file = authority.pem_file();
    made.key.value = proxy::secret("sk-configured-0123456789");
    add_route("r", {"p/m"});
    start();
  }

  // Reads one request, sends the given bytes as the answer, and closes the connection.
  scripted_server::script answers(std::string bytes, goodbye how) {
    return [this, bytes = std::move(bytes), how](peer& client) {
      if (!client.handshake(good.get())) return;
      for (std::string request; request.find("\"model\"") == std::string::npos;) {
        const std::string more = client.read_some();
        if (more.empty()) return;
        request += more;
      }
      client.write(bytes);
      if (how == goodbye::said) client.say_goodbye();
      client.close();
    };
  }

  const test_authority authority;
  const std::shared_ptr<SSL_CTX> good = server_context(authority.issue());
};

const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
// The answer has no [DONE], so only the end of its body shows that it is complete.
const std::string events = "data: " + token_chunk("hi") + "\n\n";

TEST_F(tls_test, ABodyThatEndsWithAGoodbyeIsWhole) {
  scripted_server server(answers(head + "\r\n" + events + "data: " + finish_chunk() + "\n\n", goodbye::said));
  add_tls(server);
  const http_response got = post(streamed("r"));
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(got.events().back(), "[DONE]");
}

TEST_F(tls_test, ABodyThatEndsWithoutAGoodbyeIsTruncated) {
  scripted_server server(answers(head + "\r\n" + events + "data: " + finish_chunk() + "\n\n", goodbye::unsaid));
  add_tls(server);
  const http_response got = post(streamed("r"));
  EXPECT_FALSE(got.is_complete);
  EXPECT_NE(got.events().back(), "[DONE]");
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")"});
}

TEST_F(tls_test, BehindTheLastChunkAGoodbyeIsNotMissed) {
  scripted_server server(answers(head + "Transfer-Encoding: chunked\r\n\r\n" + [] {
    const std::string all = events + "data: " + finish_chunk() + "\n\ndata: [DONE]\n\n";
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", all.size());
    return size + all + "\r\n0\r\n\r\n";
  }(), goodbye::unsaid));
  add_tls(server);
  const http_response got = post(streamed("r"));
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(got.text(), "hi");
}

struct stranger {
  const char* name;
  leaf_options options;
  bool is_self_signed;
};

class stranger_test : public tls_test, public ::testing::WithParamInterface<stranger> {};

TEST_P(stranger_test, GetsNoRequestAndNoKey) {
  const auto bad = server_context(GetParam().is_self_signed ? self_signed(GetParam().options)
                                                            : authority.issue(GetParam().options));
  std::atomic<int> shaken{0};
  scripted_server server([&](peer& client) {
    if (client.handshake(bad.get()) && !client.read_some().empty()) ++shaken;
  });
  add_tls(server);
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 502);
  EXPECT_NE(got.error("message").find("tls"), std::string::npos) << got.body;
  EXPECT_EQ(shaken, 0);
  EXPECT_GE(server.accepted(), 1);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="failed")", R"(reason="tls")"});
}

INSTANTIATE_TEST_SUITE_P(, stranger_test,
                         ::testing::Values(stranger{"WithAnotherName", {.alt_name = "IP:192.0.2.1"}, false},
                                           stranger{"Expired", {.from_s = -7200, .until_s = -3600}, false},
                                           stranger{"SelfSigned", {}, true}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace photofinish::testing
