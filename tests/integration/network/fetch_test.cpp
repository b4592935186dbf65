// Tests complete HTTP exchanges with scripted peers: the requests, the stored part of each answer, and the failures.
#include "proxy/fetch.hpp"

#include "tests/support/network/net_fixture.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::peer;
using testing::scripted_server;

std::string answer(int status, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\nX-Of: the Test\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct FetchTest : testing::net_fixture {
  ~FetchTest() override { run(end()); }

  // Sends the given answer to each request on each connection.
  void serve(const std::string& bytes) {
    play([this, bytes](peer& client) {
      for (std::string came = client.read_some(); !came.empty(); came = client.read_some()) {
        keep(std::move(came));
        client.write(bytes);
      }
    });
  }
  // Sends the given answer once on each connection, and then closes the connection.
  void serve_and_close(const std::string& bytes) {
    play([this, bytes](peer& client) {
      keep(client.read_some());
      client.write(bytes);
    });
  }
  void play(scripted_server::script script) {
    server.emplace(std::move(script));
    target.url = {.is_tls = false, .host = "127.0.0.1", .port = server->port(), .path = "/ignored"};
    target.limits.max_spares = 0;
  }

  static fetch_request request(std::size_t max_body = 1'000) {
    fetch_request made;
    made.head.method = "GET";
    made.head.path = "/page?of=it";
    made.head.fields = {{"x-key", "k"}};
    made.patience = 10s;
    made.max_body = max_body;
    return made;
  }
  result<fetched> ask(fetch_request wanted) {
    fetch call(over, target);
    return run(call.run(std::move(wanted)));
  }

  void keep(std::string text) {
    const std::lock_guard held(guard);
    asked += text;
    ++requests;
  }
  boost::asio::awaitable<bool> end() {
    co_await over.stop();
    co_return true;
  }

  outbound over{loop};
  provider target;
  std::mutex guard;
  std::string asked;
  std::atomic<int> requests{0};
  std::optional<scripted_server> server;
};

TEST_F(FetchTest, AsksForAPageAndGivesItWhole) {
  serve(answer(203, "all of it"));
  const auto got = ask(request());
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->head.status, 203);
  EXPECT_EQ(got->head.field("x-of"), "the Test");
  EXPECT_EQ(got->body, "all of it");
  EXPECT_FALSE(got->broken);
  EXPECT_EQ(asked, "GET /page?of=it HTTP/1.1\r\nhost: 127.0.0.1:" + std::to_string(server->port()) +
                       "\r\nx-key: k\r\ncontent-length: 0\r\n\r\n");
}

TEST_F(FetchTest, PostsABody) {
  serve(answer(200, ""));
  fetch_request post = request();
  post.head.method = "POST";
  post.body = "{\"a\":1}";
  ASSERT_TRUE(ask(post));
  EXPECT_TRUE(asked.ends_with("content-length: 7\r\n\r\n{\"a\":1}")) << asked;
}

TEST_F(FetchTest, AnAnswerReadToItsEndLeavesItsConnectionToTheNext) {
  serve(answer(200, "page"));
  ASSERT_TRUE(ask(request()));
  ASSERT_TRUE(ask(request()));
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(server->accepted(), 1);
}

TEST_F(FetchTest, ReadsNoFurtherThanItsBound) {
  serve(answer(200, std::string(100'000, 'x')));
  const auto got = ask(request(10));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "xxxxxxxxxx");
  EXPECT_FALSE(got->broken);
  ASSERT_TRUE(ask(request(10)));
  EXPECT_EQ(server->accepted(), 2);
}

TEST_F(FetchTest, WithABoundOfNothingTheHeadIsEnough) {
  serve("HTTP/1.1 503 Later\r\nContent-Length: 10\r\n\r\n");  // the server announces a body, but never sends this body
  const auto got = ask(request(0));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->head.status, 503);
}

TEST_F(FetchTest, ABodyThatBreaksOffKeepsWhatCame) {
  serve_and_close("HTTP/1.1 200 Fine\r\nContent-Length: 10\r\n\r\nfour");
  const auto got = ask(request());
  ASSERT_TRUE(got);
  EXPECT_EQ(got->head.status, 200);
  EXPECT_EQ(got->body, "four");
  ASSERT_TRUE(got->broken);
  EXPECT_EQ(got->broken->kind, failure_kind::bad_stream);
}

TEST_F(FetchTest, SilenceEndsWithItsPatience) {
  serve("");
  fetch_request wanted = request();
  wanted.patience = 20ms;
  const auto got = ask(wanted);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, failure_kind::timeout);
  EXPECT_EQ(got.error().detail, "no answer in time");
}

TEST_F(FetchTest, AClosedPortIsAFailureToConnect) {
  serve("");
  target.url.port = testing::closed_port();
  const auto got = ask(request());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, failure_kind::connect);
}

TEST_F(FetchTest, IsCancelledBeforeTheHead) {
  serve("");
  fetch call(over, target);
  const auto under_way = start(call.run(request()));
  run_until([this] { return requests > 0; });
  call.cancel();
  call.cancel();
  run_until([&] { return under_way->is_done(); });
  ASSERT_FALSE(*under_way->value);
  EXPECT_EQ(under_way->value->error().kind, failure_kind::cancelled);
}

TEST_F(FetchTest, IsCancelledInTheBody) {
  std::atomic<bool> is_sent{false};
  play([&is_sent](peer& client) {
    client.read_some();
    client.write("HTTP/1.1 200 Fine\r\nContent-Length: 10\r\n\r\nfour");
    is_sent = true;
    client.read_to_end();
  });
  fetch call(over, target);
  const auto under_way = start(call.run(request()));
  run_until([&is_sent] { return is_sent.load(); });
  while (loop.poll_one() > 0) continue;  // reads all bytes that the server has sent
  call.cancel();
  run_until([&] { return under_way->is_done(); });
  const auto& got = *under_way->value;
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "four");
  ASSERT_TRUE(got->broken);
  EXPECT_EQ(got->broken->kind, failure_kind::cancelled);
}

TEST(FetchAlone, RunsALoopOfItsOwn) {
  scripted_server server([](peer& client) {
    client.read_some();
    client.write(answer(200, "page"));
  });
  const base_url there{.is_tls = false, .host = "127.0.0.1", .port = server.port(), .path = ""};
  const auto got = fetch_alone(there, FetchTest::request());
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->body, "page");
}

TEST(FetchAlone, SaysWhyNothingCame) {
  const base_url nowhere{.is_tls = false, .host = "127.0.0.1", .port = testing::closed_port(), .path = ""};
  const auto got = fetch_alone(nowhere, FetchTest::request());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, failure_kind::connect);
}

}  // namespace
}  // namespace photofinish::proxy
