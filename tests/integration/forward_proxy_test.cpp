// A provider behind an HTTP proxy, and a caller's trace, through the whole gateway.
#include "tests/support/gateway_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

class forward_proxy_test : public gateway_fixture {
 protected:
  // The provider's name is known to the proxy alone.
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

const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST_F(forward_proxy_test, ATraceReachesProvidersThatAreToHaveIt) {
  scripted_provider traced(streams({"a"})), untraced(streams({"a"}));
  add("t", traced).trace_context = true;
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
