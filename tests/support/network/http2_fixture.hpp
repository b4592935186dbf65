// A fixture that opens HTTP/2 streams to the test's own server, one by one.
#pragma once

#include "proxy/make_exchange.hpp"
#include "tests/support/network/http2_server.hpp"
#include "tests/support/network/net_fixture.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::testing {

// The sanitizers slow everything down, so tests do less work under them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int slowness = 10;
#else
inline constexpr int slowness = 1;
#endif

// The text of an answer, or the failure that prevented the answer.
struct outcome {
  std::string text;
  std::optional<proxy::failure> broke;
  proxy::connection_used connection = proxy::connection_used::none;
};

class http2_fixture : public net_fixture {
 protected:
  ~http2_fixture() override {
    if (!has_ended) run(end());
  }

  boost::asio::awaitable<bool> end() {
    has_ended = true;
    co_await over.stop();
    co_return true;
  }

  static proxy::provider at(std::uint16_t port) {
    proxy::provider made;
    made.url = {.is_tls = false, .host = "127.0.0.1", .port = port, .path = ""};
    made.http2 = proxy::http2_use::on;
    // The timeouts are long, because a busy machine may delay a healthy server.
    made.limits.connect_timeout = made.limits.tls_timeout = std::chrono::minutes(10);
    return made;
  }

  std::unique_ptr<proxy::exchange> make(const proxy::provider& to) { return proxy::make_exchange(over, to, "m"); }

  boost::asio::awaitable<outcome> ask(proxy::exchange& with, std::string body = "{}") {
    proxy::request_head head;
    head.path = "/v1/chat/completions";
    head.host = "llm.example.com";
    const std::array<std::string_view, 1> pieces{body};
    outcome got;
    auto started = co_await with.start(head, pieces);
    got.connection = with.connection();
    if (!started) {
      got.broke = std::move(started).error();
      co_return got;
    }
    while (true) {
      auto bytes = co_await with.next();
      if (!bytes) got.broke = std::move(bytes).error();
      if (!bytes || bytes->empty()) co_return got;
      got.text += *bytes;
    }
  }

  outcome ask_one(const proxy::provider& to, std::string body = "{}") {
    auto with = make(to);
    return run(ask(*with, std::move(body)));
  }

  proxy::outbound over{loop};
  bool has_ended = false;
};

inline http2_answer says(std::vector<std::string> pieces, std::chrono::milliseconds ttft = {}) {
  http2_answer plan;
  plan.pieces = std::move(pieces);
  plan.ttft = ttft;
  return plan;
}

}  // namespace photofinish::testing
