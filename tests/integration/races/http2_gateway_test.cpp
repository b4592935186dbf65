// Tests the gateway end to end with providers that use HTTP/2: nginx and nghttpd over TLS, and scripted servers.
#include "tests/support/canary.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/http2_programs.hpp"
#include "tests/support/network/http2_server.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace photofinish::testing {
namespace {

using proxy::http2_use;
using std::chrono::operator""ms;

class http2_gateway_test : public gateway_fixture {
 protected:
  proxy::provider& add(const std::string& name, std::uint16_t port, http2_use use) {
    proxy::provider& made = settings.providers[name] = local_provider(name, port);
    made.http2 = use;
    return made;
  }
  proxy::provider& add_tls(const std::string& name, std::uint16_t port, http2_use use) {
    proxy::provider& made = add(name, port, use);
    made.url.is_tls = true;
    made.ca_file = authority.pem_file();
    return made;
  }

  test_authority authority;
};

std::string event(const std::string& json) { return "data: " + json + "\n\n"; }

// A chat stream of the given words. Each word has its own HTTP/2 frame.
http2_answer chat(std::vector<std::string> words, milliseconds ttft, milliseconds between = 0ms) {
  http2_answer plan;
  plan.ttft = ttft;
  plan.between = between;
  plan.pieces.push_back(event(role_chunk()));
  for (const std::string& each : words) plan.pieces.push_back(event(token_chunk(each)));
  plan.pieces.push_back(event(finish_chunk()));
  plan.pieces.push_back("data: [DONE]\n\n");
  return plan;
}

TEST_F(http2_gateway_test, TheWinnerStreamsAndTheLoserIsReset) {
  http2_server fast([](const http2_request&) { return chat({"one", " two", " three"}, 20ms, 20ms); });
  http2_server slow([](const http2_request&) { return chat({"late"}, 600'000ms); });
  add("f", fast.port(), http2_use::on), add("s", slow.port(), http2_use::on);
  add_route("r", {"f/m", "s/m"});
  start();
  for (int turn = 0; turn < 3; ++turn) {
    const http_response got = post(streamed("r"));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.text(), "one two three");
    EXPECT_EQ(got.field_or("x-race-winner", ""), "f/m");
    EXPECT_TRUE(got.is_complete);
  }
  EXPECT_TRUE(comes_true([&] { return slow.seen().resets == 3; }));
  EXPECT_EQ(fast.seen().resets, 0u);
  EXPECT_EQ(slow.seen().pings + fast.seen().pings, 0u);
  expect_metric(3, "photofinish_attempts_total", {R"(outcome="won")"});
  expect_metric(3, "photofinish_attempts_total", {R"(outcome="lost")"});
  expect_metric(2, "photofinish_upstream_connections_total", {R"(kind="new")"});
  expect_metric(4, "photofinish_upstream_connections_total", {R"(kind="reused")"});
}

// Both attempts could be streams of one HTTP/2 connection. The limit counts attempts, not connections.
TEST_F(http2_gateway_test, StreamsCountAsRunningAttempts) {
  http2_server slow([](const http2_request&) { return chat({"late"}, 600'000ms); });
  add("s", slow.port(), http2_use::on).limits.max_running = 1;
  add_route("r", {"s/m"});
  start();
  test_client first = connect();
  first.post(streamed("r"));
  ASSERT_TRUE(comes_true([&] { return slow.requests().size() == 1; }));
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.error("code"), "provider_busy");
  EXPECT_EQ(slow.requests().size(), 1u);
}

TEST_F(http2_gateway_test, HalfTheAttemptsAreLostAtOneProviderAndEveryAnswerIsWhole) {
  std::atomic<unsigned> turn{0};
  http2_server both([&](const http2_request&) {
    return chat({"a", "b", "c", "d"}, milliseconds(5 + turn++ * 7919 % 40), 5ms);
  });
  add("p", both.port(), http2_use::on);
  add_route("r", {"p/one", "p/two"});
  start();
  std::atomic<int> whole_answers{0};
  std::vector<std::jthread> clients;
  constexpr int each_asks = 60 / slowness + 2;
  const auto began = std::chrono::steady_clock::now();
  for (int client = 0; client < 8; ++client)
    clients.emplace_back([&] {
      test_client connection = connect();
      for (int asked = 0; asked < each_asks; ++asked) {
        connection.post(streamed("r"));
        if (connection.read().text() == "abcd") ++whole_answers;
      }
    });
  clients.clear();
  EXPECT_EQ(whole_answers, 8 * each_asks);
  EXPECT_EQ(both.seen().enhance_your_calm, 0u);
  EXPECT_GT(both.seen().resets, static_cast<std::size_t>(each_asks) * 4);
  const std::size_t most_resets = both.seen().most_resets;  // the highest number of stream resets on any connection
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - began).count();
  EXPECT_LE(most_resets, 5u * static_cast<std::size_t>(seconds + 1));
  expect_metric(0, "photofinish_attempts_total", {R"(outcome="failed")"});
  expect_metric(0, "photofinish_inflight_attempts");
}

TEST_F(http2_gateway_test, AWinnerWhoseConnectionDiesIsTruncatedAndSaysSo) {
  http2_server dies([](const http2_request&) {
    http2_answer plan = chat({"one"}, 0ms, 10ms);
    plan.pieces.resize(2);
    plan.ending = http2_ending::die;
    return plan;
  });
  add("p", dies.port(), http2_use::on);
  add_route("r", {"p/m"});
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "one");
  EXPECT_FALSE(got.is_complete);
  EXPECT_NE(got.body.find("\"error\""), std::string::npos);
  EXPECT_EQ(got.body.find("[DONE]"), std::string::npos);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")"});
}

TEST_F(http2_gateway_test, AnErrorOfTheProviderIsUnderstood) {
  http2_server refuses([](const http2_request&) {
    http2_answer plan;
    plan.status = 429;
    plan.content_type = "application/json";
    plan.pieces = {R"({"error":{"message":"slow down","type":"rate_limit","code":"rate_limit_exceeded"}})"};
    return plan;
  });
  add("p", refuses.port(), http2_use::on);
  add_route("r", {"p/m"});
  start();
  EXPECT_EQ(post(streamed("r")).status, 429);
}

TEST_F(http2_gateway_test, AClientThatLeavesResetsEveryStreamAtOnce) {
  http2_server silent([](const http2_request&) { return chat({"never"}, 600'000ms); });
  add("p", silent.port(), http2_use::on);
  add_route("r", {"p/one", "p/two"});
  start();
  canary machine;
  {
    test_client client = connect();
    client.post(streamed("r"));
    ASSERT_TRUE(comes_true([&] { return silent.requests().size() == 2; }));
  }
  const auto left_at = test_clock::now();
  EXPECT_TRUE(comes_true([&] { return silent.seen().resets == 2; }));
  const double reset_ms = milliseconds_between(left_at, test_clock::now());
  EXPECT_LT(reset_ms, 50 + machine.allowance_ms());
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="cancelled")"});
}

class nginx_test : public http2_gateway_test {
 protected:
  void SetUp() override {
    if (!is_installed("nginx")) GTEST_SKIP() << "nginx is not installed";
  }
};

TEST_F(nginx_test, AnswersComeOverHttp2WhereTlsAgreesOnIt) {
  scripted_provider behind(streams({"one", " two"}, 20ms, 20ms));
  nginx_server nginx(authority, behind.port());
  ASSERT_TRUE(nginx.is_running());
  for (const auto use : {http2_use::automatic, http2_use::on, http2_use::off}) {
    const std::string name = use == http2_use::automatic ? "auto" : use == http2_use::on ? "on" : "off";
    add_tls(name, nginx.port(), use);
    add_route("r-" + name, {name + "/m"});
  }
  start();
  for (const std::string name : {"auto", "on", "off"}) EXPECT_EQ(post(streamed("r-" + name)).text(), "one two") << name;
  EXPECT_TRUE(comes_true([&] { return nginx.ended_over("HTTP/2.0") == 2 && nginx.ended_over("HTTP/1.1") == 1; }));
}

TEST_F(nginx_test, ALoserIsResetAndNginxHangsUpBehindIt) {
  scripted_provider slow(stays_silent());
  scripted_provider fast(streams_when([&] { return slow.requests().size() == 1; }, {"fast"}));
  nginx_server to_fast(authority, fast.port()), to_slow(authority, slow.port());
  ASSERT_TRUE(to_fast.is_running() && to_slow.is_running());
  add_tls("f", to_fast.port(), http2_use::on), add_tls("s", to_slow.port(), http2_use::on);
  add_route("r", {"f/m", "s/m"});
  start();
  canary machine;
  EXPECT_EQ(post(streamed("r")).text(), "fast");
  const auto answered_at = test_clock::now();
  const double closed_ms = milliseconds_between(answered_at, slow.closed_at(slow.request()));
  EXPECT_LT(closed_ms, 100 + machine.allowance_ms());
  EXPECT_TRUE(comes_true([&] { return to_slow.ended_over("HTTP/2.0 499") == 1; }));
}

TEST_F(nginx_test, ATargetThatKeepsLosingMovesToHttp1) {
  std::atomic<std::size_t> turns{0};
  scripted_provider slow(stays_silent());
  scripted_provider fast(streams_when([&] { return slow.requests().size() == turns; }, {"fast"}));
  nginx_server to_fast(authority, fast.port()), to_slow(authority, slow.port());
  ASSERT_TRUE(to_fast.is_running() && to_slow.is_running());
  add_tls("f", to_fast.port(), http2_use::automatic), add_tls("s", to_slow.port(), http2_use::automatic);
  add_route("r", {"f/m", "s/m"});
  start();
  const auto began = test_clock::now();
  for (turns = 1; turns <= 15; ++turns) ASSERT_EQ(post(streamed("r")).text(), "fast");
  const auto seconds = std::chrono::floor<std::chrono::seconds>(test_clock::now() - began).count();
  EXPECT_TRUE(comes_true([&] { return to_slow.ended_over("HTTP/2.0") + to_slow.ended_over("HTTP/1.1") == 15; }));
  // The gateway may reset five HTTP/2 streams a second. It makes further attempts over HTTP/1.1.
  EXPECT_GE(to_slow.ended_over("HTTP/1.1") + 5 * (seconds + 1), 13);
  EXPECT_GE(to_slow.ended_over("HTTP/2.0"), 4);  // the first losing attempts used HTTP/2
  // Waits for the log of nginx, which is written after the answer.
  EXPECT_TRUE(comes_true([&] { return to_fast.ended_over("HTTP/2.0") == 15; }));
}

TEST_F(nginx_test, ItsGoawayAfterSomeRequestsCostsNoAnswer) {
  scripted_provider behind(streams({"a", "b"}, 0ms, 5ms));
  nginx_server nginx(authority, behind.port(), "keepalive_requests 7;");
  ASSERT_TRUE(nginx.is_running());
  add_tls("p", nginx.port(), http2_use::on);
  add_route("r", {"p/m"});
  start();
  std::atomic<int> whole_answers{0};
  std::vector<std::jthread> clients;
  for (int client = 0; client < 4; ++client)
    clients.emplace_back([&] {
      test_client connection = connect();
      for (int asked = 0; asked < 20; ++asked) {
        connection.post(streamed("r"));
        if (connection.read().text() == "ab") ++whole_answers;
      }
    });
  clients.clear();
  EXPECT_EQ(whole_answers, 80);
}

TEST_F(http2_gateway_test, WhereTlsDoesNotAgreeItIsHttp1AndOnIsAFailure) {
  const auto context = server_context(authority.issue());  // the context of a TLS server that does not offer ALPN
  scripted_server plain_tls([&](peer& client) {
    if (!client.handshake(context.get())) return;
    while (!client.read_some().empty())
      client.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: " +
                   std::to_string((event(token_chunk("hi")) + event(finish_chunk()) + "data: [DONE]\n\n").size()) +
                   "\r\n\r\n" + event(token_chunk("hi")) + event(finish_chunk()) + "data: [DONE]\n\n");
  });
  add_tls("auto", plain_tls.port(), http2_use::automatic);
  add_tls("on", plain_tls.port(), http2_use::on);
  add_route("r-auto", {"auto/m"}), add_route("r-on", {"on/m"});
  start();
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(post(streamed("r-auto")).text(), "hi");
    std::this_thread::sleep_for(20ms);
  }
  // TLS negotiates the protocol on a new connection. The gateway sends the request on this same connection.
  expect_metric(1, "photofinish_upstream_connections_total", {R"(kind="new")"});
  const http_response refused = post(streamed("r-on"));
  EXPECT_EQ(refused.status, 502);
  EXPECT_NE(refused.body.find("does not support HTTP/2"), std::string::npos) << refused.body;
}

// A callback of the server for ALPN: chooses HTTP/2 if the client offers it.
int choose_http2(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered, unsigned size,
                 void*) {
  static constexpr unsigned char wanted[] = "\x02h2\x08http/1.1";
  return SSL_select_next_proto(const_cast<unsigned char**>(chosen), length, wanted, sizeof wanted - 1, offered, size) ==
                 OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_ALERT_FATAL;
}

TEST_F(http2_gateway_test, AnHttp2ThatOnlyPretendsIsLeftForHttp1) {
  const auto context = server_context(authority.issue());
  SSL_CTX_set_alpn_select_cb(context.get(), choose_http2, nullptr);
  const std::string text = event(token_chunk("hi")) + event(finish_chunk()) + "data: [DONE]\n\n";
  scripted_server pretends([&](peer& client) {
    if (!client.handshake(context.get())) return;
    while (true) {
      const std::string heard = client.read_some();
      if (!heard.starts_with("POST")) return;  // the client has begun to use HTTP/2, or has disconnected
      client.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: " +
                   std::to_string(text.size()) + "\r\n\r\n" + text);
    }
  });
  add_tls("p", pretends.port(), http2_use::automatic);
  add_route("r", {"p/m"});
  start();
  int failed = 0;
  while (failed < 4 && post(streamed("r")).status != 200) ++failed;
  EXPECT_LE(failed, 2);
  EXPECT_EQ(post(streamed("r")).text(), "hi");
}

class nghttpd_test : public http2_gateway_test {
 protected:
  void SetUp() override {
    if (!is_installed("nghttpd")) GTEST_SKIP() << "nghttpd is not installed";
  }
};

TEST_F(nghttpd_test, AnswersComeOverHttp2) {
  std::string text = event(role_chunk());
  for (int each = 0; each < 2000; ++each) text += event(token_chunk("word "));
  text += event(finish_chunk()) + "data: [DONE]\n\n";
  nghttpd_server nghttpd(authority, "/v1/chat.sse", text);
  ASSERT_TRUE(nghttpd.is_running());
  add_tls("p", nghttpd.port(), http2_use::on).chat_path = "/chat.sse";
  add_tls("q", nghttpd.port(), http2_use::automatic).chat_path = "/chat.sse";
  add_route("r", {"p/m"}), add_route("s", {"q/m"});
  start();
  for (const std::string route : {"r", "s"})
    for (int turn = 0; turn < 3; ++turn) {
      const http_response got = post(streamed(route));
      EXPECT_EQ(got.status, 200);
      EXPECT_EQ(got.text().size(), 2000u * 5) << route;
    }
  expect_metric(2, "photofinish_upstream_connections_total", {R"(kind="new")"});
}

}  // namespace
}  // namespace photofinish::testing
