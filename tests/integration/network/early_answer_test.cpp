// Tests a provider that answers before it has read the whole request, and keeps the connection open.
#include "proxy/http/http1_exchange.hpp"
#include "proxy/outbound.hpp"
#include "tests/support/network/byte_stream_fixture.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::testing {
namespace {

namespace asio = boost::asio;

constexpr std::size_t body_bytes = 24u << 20;  // more bytes than the buffers of both sockets can hold
constexpr std::string_view refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 16\r\n\r\nshorter, please.";
constexpr std::string_view success = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

// The result of a request: the status and the body, such as "200 hello", or the kind of failure.
using outcome = std::string;

class EarlyAnswerTest : public byte_stream_fixture, public ::testing::WithParamInterface<bool> {
 protected:
  ~EarlyAnswerTest() override {
    has_answer.release();
    run(end());
  }

  // Keeps the connection open, without reading from it, until the client has its answer. Runs on the server's thread.
  void hold() { (void)has_answer.try_acquire_for(patience); }

  bool is_tls() const { return GetParam(); }

  void serve(scripted_server::script play) {
    server.emplace(is_tls() ? tls_script(good.get(), std::move(play)) : std::move(play));
    target.url = {.is_tls = is_tls(), .host = is_tls() ? "localhost" : "127.0.0.1", .port = server->port(), .path = ""};
    target.ca_file = authority.pem_file();
    target.limits.max_spares = 0;
  }

  asio::awaitable<outcome> ask() {
    proxy::http1_exchange with(over->pool(), target, std::span(scratch).first(scratch.size() - 64));
    proxy::request_head head;
    head.path = "/";
    head.host = "localhost";
    const std::array<std::string_view, 3> pieces{std::string_view(body).substr(0, 1000),
                                                 std::string_view(body).substr(1000, 5000),
                                                 std::string_view(body).substr(6000)};
    auto began = co_await with.start(head, pieces);
    if (!began) co_return std::string(to_string(began.error().kind)) + ": " + began.error().detail;
    outcome all = std::to_string(began->status) + " ";
    while (true) {
      const auto bytes = co_await with.next();
      if (!bytes) co_return all + "!" + std::string(to_string(bytes.error().kind));
      if (bytes->empty()) co_return all;
      all += *bytes;
    }
  }
  asio::awaitable<bool> end() {
    co_await over->stop();
    co_return true;
  }

  static std::string varied(std::size_t bytes) {
    std::string all;
    for (std::size_t number = 0; all.size() < bytes; ++number) all += std::to_string(number) + ' ';
    return all;
  }
  // Reads the head of a request, and returns the part of the body that arrived together with the head.
  static std::string take_head(peer& client) {
    std::string seen;
    while (seen.find("\r\n\r\n") == std::string::npos) {
      const std::string more = client.read_some();
      if (more.empty()) return {};
      seen += more;
    }
    return seen.substr(seen.find("\r\n\r\n") + 4);
  }
  void take_body(peer& client, std::string got) {
    while (got.size() < body.size()) {
      const std::string more = client.read_some();
      if (more.empty()) break;
      got += more;
    }
    came_whole = got == body;
  }

  const std::string body = varied(body_bytes);
  std::unique_ptr<proxy::outbound> over = std::make_unique<proxy::outbound>(loop);
  proxy::provider target;
  // The server's thread uses the following members until the thread ends.
  std::atomic<bool> came_whole{false};
  std::atomic<int> asked{0};
  std::counting_semaphore<2> has_answer{0};
  std::optional<scripted_server> server;
};

INSTANTIATE_TEST_SUITE_P(Over, EarlyAnswerTest, ::testing::Bool(),
                         [](const auto& over) { return over.param ? "Tls" : "Plain"; });

TEST_P(EarlyAnswerTest, ARefusalEndsTheWriting) {
  serve([&](peer& client) {
    take_head(client);
    client.write(refusal);
    hold();
  });
  EXPECT_EQ(run(ask()), "413 shorter, please.");
}

TEST_P(EarlyAnswerTest, ItsConnectionIsNotUsedAgain) {
  serve([&](peer& client) {
    take_head(client);
    ++asked;
    client.write(refusal);
    hold();  // the server must not read the rest of the request, because the client may reuse the connection after a complete request
  });
  EXPECT_EQ(run(ask()), "413 shorter, please.");
  has_answer.release();
  EXPECT_EQ(run(ask()), "413 shorter, please.");
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(server->accepted(), 2);
}

TEST_P(EarlyAnswerTest, InformationalResponsesDoNotEndIt) {
  serve([&](peer& client) {
    std::string got = take_head(client);
    client.write("HTTP/1.1 100 Continue\r\n\r\n");
    client.write("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 102 Pro");  // half a head
    if (is_tls()) client.send_ticket();
    take_body(client, std::move(got));
    client.write("cessing\r\n\r\n" + std::string(success) + "hello");
    client.read_to_end();
  });
  EXPECT_EQ(run(ask()), "200 hello");
  EXPECT_TRUE(came_whole);
}

TEST_P(EarlyAnswerTest, AnAnswerThatBeginsEarlyStillGetsTheWholeBody) {
  serve([&](peer& client) {
    std::string got = take_head(client);
    client.write(std::string(success) + "he");
    take_body(client, std::move(got));
    client.write("llo");
    client.read_to_end();
  });
  EXPECT_EQ(run(ask()), "200 hello");
  EXPECT_TRUE(came_whole);
}

TEST_P(EarlyAnswerTest, AnEndWithoutAnAnswerIsAFailure) {
  serve([&](peer& client) {
    take_head(client);
    client.write("HTTP/1.1 4");
    is_tls() ? client.say_goodbye() : client.half_close();
    hold();
  });
  EXPECT_EQ(run(ask()), "bad_stream: the connection ended before a response");
}

}  // namespace
}  // namespace photofinish::testing
