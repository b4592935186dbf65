// Tests a provider that the gateway reaches through an HTTP proxy, and the trace context that a caller sends.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/certificates.hpp"
#include "tests/support/network/http2_frames.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace photofinish::testing {
namespace {

class forward_proxy_test : public gateway_fixture {
 protected:
  // Adds a provider whose name only the proxy can resolve.
  void serve_behind(const scripted_server& proxy) {
    proxy::provider& behind = settings.providers["p"] = local_provider("p", 8000);
    behind.url.host = "llm.behind.test";
    behind.via = proxy::forward_proxy{.host = "127.0.0.1", .port = proxy.port(), .credentials = proxy::secret("bWU6cHc=")};
    add_route("r", {"p/m"});
    start();
  }
};

TEST_F(forward_proxy_test, ARequestIsAnsweredThroughTheTunnel) {
  scripted_server proxy([](peer& client) {
    const bool is_asked = client.read_some().starts_with("CONNECT llm.behind.test:8000 HTTP/1.1\r\n");
    client.write(is_asked ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 400 Bad\r\n\r\n");
    std::string request;
    while (request.find("\"messages\"") == std::string::npos) {
      const std::string more = client.read_some();
      if (more.empty()) return;
      request += more;
    }
    const bool is_clean = request.starts_with("POST /") && request.find("roxy-") == std::string::npos;
    client.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: " +
                 token_chunk(is_clean ? "through" : request) + "\n\ndata: " + finish_chunk() + "\n\ndata: [DONE]\n\n");
    client.close();
  });
  serve_behind(proxy);
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.text(), "through");
}

TEST_F(forward_proxy_test, ARefusalNamesTheProxyAndHidesItsPassword) {
  scripted_server proxy([](peer& client) {
    client.read_some();
    client.write("HTTP/1.1 407 bWU6cHc= is not welcome\r\n\r\n");
    client.close();
  });
  serve_behind(proxy);
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 502);
  EXPECT_NE(got.error("message").find("refused: 407 [redacted]"), std::string::npos) << got.body;
  EXPECT_NE(got.error("message").find("the proxy 127.0.0.1:"), std::string::npos) << got.body;
}

// A callback of the server for ALPN: accepts only the protocol in `wanted`, which has ALPN's encoding.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned size, void* wanted) {
  const std::string& list = *static_cast<const std::string*>(wanted);
  const auto* protocols = reinterpret_cast<const unsigned char*>(list.data());
  const int found = SSL_select_next_proto(const_cast<unsigned char**>(chosen), length, protocols,
                                          static_cast<unsigned>(list.size()), offered, size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// An https provider with the setting `http2: auto`. The provider also accepts direct connections, so the test notices connections that
// bypass the proxy.
class https_behind_proxy_test : public gateway_fixture {
 protected:
  void serve(const std::string& agreed_protocol) {
    protocol_ = static_cast<char>(agreed_protocol.size()) + agreed_protocol;
    SSL_CTX_set_alpn_select_cb(context_.get(), choose_protocol, &protocol_);
    proxy = std::make_unique<scripted_server>([this](peer& client) {
      const std::string head = client.read_some();
      if (head.empty()) return;  // ignores the spare connection, because it was never used
      note(head.substr(0, head.find("\r\n")));
      client.write(refusal.empty() ? "HTTP/1.1 200 OK\r\n\r\n" : refusal);
      if (refusal.empty()) answer_all(client);
    });
    origin = std::make_unique<scripted_server>([this](peer& client) { answer_all(client); });
    proxy::provider& behind = settings.providers["p"] = local_provider("p", origin->port());
    behind.url.is_tls = true;
    behind.ca_file = authority_.pem_file();
    behind.via = proxy::forward_proxy{.host = "127.0.0.1", .port = proxy->port(), .credentials = proxy::secret("bWU6cHc=")};
    add_route("r", {"p/m"});
    start();
  }

  std::set<std::string> asked_of_proxy() {
    const std::lock_guard held(guard_);
    return lines_;
  }
  std::set<std::string> one_connect() const {
    return {"CONNECT 127.0.0.1:" + std::to_string(origin->port()) + " HTTP/1.1"};
  }

  std::string refusal;  // the proxy's refusal; empty if it accepts every request
  std::unique_ptr<scripted_server> proxy, origin;

 private:
  void note(const std::string& line) {
    const std::lock_guard held(guard_);
    lines_.insert(line);
  }

  void answer_all(peer& client) const {
    if (!client.handshake(context_.get())) return;
    const bool is_http2 = protocol_ == "\x02h2";
    const std::string text =
        "data: " + token_chunk("through") + "\n\ndata: " + finish_chunk() + "\n\ndata: [DONE]\n\n";
    if (is_http2) client.write(h2::greeting());
    for (std::uint32_t stream = 1; read_request(client); stream += 2) {
      if (is_http2) client.write(h2::ok_head(stream) + h2::body(stream, text, h2::end_stream));
      else
        client.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " +
                     std::to_string(text.size()) + "\r\n\r\n" + text);
    }
  }

  static bool read_request(peer& client) {
    std::string asked;
    for (std::string more; asked.find("\"messages\"") == std::string::npos; asked += more)
      if (more = client.read_some(); more.empty()) return false;
    return true;
  }

  test_authority authority_;
  std::shared_ptr<SSL_CTX> context_ = server_context(authority_.issue());
  std::string protocol_;
  std::mutex guard_;
  std::set<std::string> lines_;
};

TEST_F(https_behind_proxy_test, Http2GoesThroughTheTunnelAlone) {
  serve("h2");
  for (int turn = 0; turn < 3; ++turn) {
    const http_response got = post(streamed("r"));
    EXPECT_EQ(got.text(), "through") << got.body;
  }
  EXPECT_EQ(asked_of_proxy(), one_connect());
  EXPECT_EQ(origin->accepted(), 0);
  EXPECT_EQ(proxy->accepted(), 1);
}

TEST_F(https_behind_proxy_test, Http1ThatAlpnChoseGoesThroughTheTunnelAlone) {
  serve("http/1.1");
  for (int turn = 0; turn < 3; ++turn) {
    const http_response got = post(streamed("r"));
    EXPECT_EQ(got.text(), "through") << got.body;
  }
  EXPECT_EQ(asked_of_proxy(), one_connect());
  EXPECT_EQ(origin->accepted(), 0);
}

TEST_F(https_behind_proxy_test, ARefusalNamesTheProxyAndHidesItsPassword) {
  refusal = "HTTP/1.1 407 bWU6cHc= is not welcome\r\n\r\n";
  serve("h2");
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 502);
  const std::string name = "the proxy 127.0.0.1:" + std::to_string(proxy->port());
  EXPECT_NE(got.error("message").find(name + " refused: 407 [redacted]"), std::string::npos) << got.body;
  EXPECT_EQ(got.body.find("bWU6cHc="), std::string::npos) << got.body;
  EXPECT_EQ(asked_of_proxy(), one_connect());
  EXPECT_EQ(origin->accepted(), 0);
}

const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST_F(forward_proxy_test, ATraceReachesProvidersThatAreToHaveIt) {
  scripted_provider traced(streams({"a"})), untraced(streams({"a"}));
  add("t", traced).forwarding.trace_context = true;
  add("u", untraced);
  add_route("t", {"t/m"}), add_route("u", {"u/m"});
  start();
  const std::string fields = "traceparent: " + parent + "\r\ntracestate: rojo=1\r\n";
  EXPECT_EQ(post(streamed("t"), fields).status, 200);
  EXPECT_EQ(traced.request().field("traceparent"), parent);
  EXPECT_EQ(traced.request().field("tracestate"), "rojo=1");
  EXPECT_EQ(post(streamed("u"), fields).status, 200);
  EXPECT_EQ(untraced.request().field("traceparent"), "");
  EXPECT_EQ(post(streamed("t"), "traceparent: 00-zz\r\ntracestate: rojo=1\r\n").status, 200);
  EXPECT_EQ(traced.request(1).field("traceparent") + traced.request(1).field("tracestate"), "");
}

}  // namespace
}  // namespace photofinish::testing
