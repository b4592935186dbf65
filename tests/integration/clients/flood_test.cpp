// Tests a provider that sends data faster than any client can read it. The same worker serves all clients. Meanwhile the other clients must
// get their answers, and the gateway must be able to stop. stream_turns_test.cpp measures the cost of one turn of the event loop.
#include "tests/support/streams/stream_bytes.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

struct flood {
  std::string name;
  std::string begin;  // the first bytes of the flood
  std::string unit;   // repeated forever
};

// Returns a part of a chunked body. The part repeats `unit` until it has at least `least_bytes`, in chunks of the given size.
std::string piece_of(std::string_view unit, std::size_t chunk_size, std::size_t least_bytes = 1u << 20) {
  std::string body, out;
  while (body.size() < std::max(unit.size(), least_bytes)) body += unit;
  for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min(chunk_size, rest.size()))) {
    const std::string_view chunk = rest.substr(0, chunk_size);
    out += hex(chunk.size()) + "\r\n" + std::string(chunk) + "\r\n";
  }
  return out;
}

// The client reads these bytes fast, so the kernel enlarges its socket buffers. The buffers then hold more bytes than one read returns.
const std::string opening = piece_of(": " + std::string(60000, 'x') + "\n\n", 1u << 20);
constexpr int openings = 16;

class flood_test : public gateway_fixture, public ::testing::WithParamInterface<flood> {
 protected:
  void serve() {
    add("flooding", flooding);
    add("steady", steady);
    add_route("f", {"flooding/m"});
    add_route("s", {"steady/m"});
    start();
    client.emplace(gateway->port());
    client->post(streamed("f"));
    // Waits until the provider has sent more than its opening bytes.
    ASSERT_TRUE(comes_true([this] { return flooding.bytes_sent() > 20u << 20; }));
  }

  scripted_provider flooding{[](provider_call& call) {
    call.stream_head();
    call.send(GetParam().begin);
    for (int each = 0; each < openings; ++each) call.send(opening);
    while (call.send(GetParam().unit)) continue;
  }};
  scripted_provider steady{streams({"hello", " there"})};
  std::optional<test_client> client;
};

TEST_P(flood_test, LeavesTurnsToOthersAndDoesNotHoldUpTheEnd) {
  serve();
  for (int each = 0; each < 3; ++each) {
    EXPECT_EQ(get("/livez").status, 200);
    EXPECT_EQ(post(streamed("s")).text(), "hello there");
  }
  EXPECT_EQ(flooding.requests().size(), 1u);
  EXPECT_GE(flooding.open_connections(), 1u) << "the flood was over before the others were answered";
  gateway->drain();
  gateway->cut();
  EXPECT_TRUE(gateway->is_drained());
}

const flood floods[]{
    {"PingsBeforeTheToken", piece_of("data: " + role_chunk() + "\n\n", 4096, 0),
     piece_of("data: {\"type\":\"ping\"}\n\n", 65536)},
    {"CommentsBehindAToken", piece_of("data: " + token_chunk("one") + "\n\n", 4096, 0), piece_of(": on\n\n", 65536)},
    {"EmptyLinesInChunksOfAByte", piece_of("data: " + token_chunk("one") + "\n\n", 4096, 0), piece_of("\n", 1)},
};
INSTANTIATE_TEST_SUITE_P(Kinds, flood_test, ::testing::ValuesIn(floods),
                         [](const auto& each) { return each.param.name; });

class pipelining_test : public gateway_fixture {
 protected:
  // Sends this number of requests together. Returns how many of them were answered before the request of another client.
  int answered_before_another(int requests) {
    std::string all;
    for (int each = 0; each < requests; ++each) all += "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
    test_client many = connect(), other = connect();
    std::atomic<int> answered{0};
    std::jthread reader([&] {
      for (int each = 0; each < requests && many.read().status == 200; ++each) ++answered;
    });
    many.send(all);
    while (answered == 0) std::this_thread::yield();
    other.get("/livez");
    EXPECT_EQ(other.read().status, 200);
    return answered;
  }
};

TEST_F(pipelining_test, LeavesTurnsToOthers) {
  start();
  constexpr int requests = 1000;
  // Repeats the check, because the test's own thread may have been delayed the first time.
  EXPECT_TRUE(comes_true([this] { return answered_before_another(requests) < requests / 2; }));
}

}  // namespace
}  // namespace photofinish::testing
