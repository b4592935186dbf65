// Tests stores whose replies no real store would send. The gateway must continue, report these replies, and still be able to stop.
#include "gateway/store/store_scripts.hpp"
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <atomic>
#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class lying_store_test : public gateway_fixture {
 protected:
  lying_store_test() {
    add("a", provider);
    settings.providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add_route("fast", {"a/m"});
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
    settings.access.keys[0].limits.budget_nano_usd = 1'000'000'000'000;
    settings.server.workers = 1;
    keeping.tick = 20ms;
  }
  void start_at(const scripted_server& store) {
    settings.store.url = proxy::secret("redis://127.0.0.1:" + std::to_string(store.port()));
    start();
  }
  http_response ask() { return post(streamed("fast"), "Authorization: Bearer key-a\r\n"); }

  // Returns the replies to the gateway's first commands, which load its scripts.
  static std::string greeting() {
    std::string all;
    for (std::size_t each = 0; each < gateway::script_count; ++each) all += "$40\r\n" + std::string(40, 'a') + "\r\n";
    return all;
  }
  static int commands_in(std::string_view text) {
    int count = text.starts_with('*') ? 1 : 0;
    for (std::size_t at = text.find("\r\n*"); at != std::string_view::npos; at = text.find("\r\n*", at + 1)) ++count;
    return count;
  }

  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
};

TEST_F(lying_store_test, WhatIsNotRespClosesTheConnection) {
  std::atomic<int> turn = 0;
  scripted_server store([&turn](peer& client) {
    client.read_some();
    switch (turn++ % 6) {
      case 0: client.write("HTTP/1.1 400 Bad Request\r\n\r\n"); break;
      case 1: client.write("*2147483647\r\n:1\r\n"); break;
      case 2: client.write("$2000000000\r\n" + std::string(5u << 20, 'x')); break;
      case 3: client.write("+OK\r\n+OK\r\n+OK\r\n"); break;
      case 4: client.write(greeting() + ":1\r\n:2\r\n"); break;
      default: break;  // on every other connection, the store sends no reply and closes the connection
    }
    client.read_to_end();
  });
  start_at(store);
  EXPECT_TRUE(comes_true([&] { return turn >= 7; }));
  EXPECT_EQ(ask().status, 200);
  EXPECT_GT(metric("photofinish_store_errors_total", {R"(reason="protocol")"}), 0);
  EXPECT_EQ(metric("photofinish_store_up"), 0);
}

TEST_F(lying_store_test, ThePasswordThatItRepeatsIsNotLogged) {
  scripted_server store([](peer& client) {
    client.read_some();
    client.write("-ERR unknown command 'AUTH', with args beginning with: 'hidden-0123456789'\r\n" + greeting());
    client.read_to_end();
  });
  captured_log log;
  settings.store.url = proxy::secret("redis://:hidden-0123456789@127.0.0.1:" + std::to_string(store.port()));
  start();
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"unknown command"}).empty(); }));
  EXPECT_TRUE(log.lines_with({"hidden-0123456789"}).empty());
}

TEST_F(lying_store_test, LiesHaveBounds) {
  std::atomic<int> answered = 0;
  scripted_server store([&answered](peer& client) {
    client.read_some();
    client.write(greeting());
    for (;;) {
      const std::string asked = client.read_some();
      if (asked.empty()) return;
      std::string said;
      for (int each = commands_in(asked); each > 0; --each) {
        switch (answered++ % 5) {
          case 0: said += "*4\r\n$3\r\na/m\r\n:9223372036854775807\r\n$1\r\nx\r\n:-5\r\n"; break;
          case 1: said += ":-9223372036854775808\r\n"; break;
          case 2: said += "$19\r\n9223372036854775807\r\n"; break;
          case 3: said += "$3\r\nabc\r\n"; break;
          default: said += "*1\r\n*0\r\n"; break;
        }
      }
      client.write(said);
    }
  });
  start_at(store);
  EXPECT_TRUE(comes_true([&] { return answered > 200; }));
  const int status = ask().status;  // after an invalid reply, the gateway may refuse requests for lack of budget, but nothing else may fail
  EXPECT_TRUE(status == 200 || status == 429) << status;
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_GE(metric("photofinish_budget_spend_usd"), 0);
}

TEST_F(lying_store_test, OneThatNeverAnswersEndsWithTheGateway) {
  full_listener silent;
  settings.store.url = proxy::secret("redis://127.0.0.1:" + std::to_string(silent.port()));
  start();
  EXPECT_EQ(ask().status, 200);
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_store_errors_total") >= 3; }));
  EXPECT_EQ(metric("photofinish_limits_degraded"), 1);
}

}  // namespace
}  // namespace photofinish::testing
