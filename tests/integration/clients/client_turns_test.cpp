// Tests that one client's connection does not delay other connections in the event loop, even if much data has arrived and many clients
// send.
#include "gateway/http/client_connection.hpp"
#include "proxy/loop/large_reads.hpp"
#include "proxy/loop/next_turn.hpp"
#include "tests/support/network/net_fixture.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using gateway::client_connection;

constexpr std::size_t in_a_pass = proxy::large_reads::in_a_pass;
constexpr std::size_t scratch_bytes = 64u << 10;
constexpr std::size_t flood_bytes = 1u << 20;

class ClientTurnsTest : public net_fixture {
 protected:
  // The gateway's side of a connection to a client. In this test the gateway connects to the client, because the direction does not matter.
  struct client {
    client(ClientTurnsTest& test, const scripted_server& at)
        : client(test, test.connected(at)) {}
    client(ClientTurnsTest& test, tcp::socket socket)
        : fd(socket.native_handle()), connection(std::move(socket), test.clock, test.scratch, gateway::half_close::tolerate) {
      connection.on_bytes([this] { note_read(connection.unread().size()); });
      reading = test.start(ended(connection));
    }
    static asio::awaitable<bool> ended(client_connection& of) {
      co_await of.read_ahead();
      co_return true;
    }
    // Counts a read. A full read is followed by a second read in the same turn of the loop. Only the first of these reads shows whether the
    // client had to wait.
    void note_read(std::size_t bytes) {
      ++reads;
      is_second = was_full && !is_second;
      if (was_large && !is_second) ++turns_behind_large;
      was_large = bytes >= proxy::large_reads::large;
      was_full = bytes == scratch_bytes;
    }
    const int fd;
    client_connection connection;
    std::size_t reads = 0, turns_behind_large = 0;
    bool was_large = false, was_full = false, is_second = false;
    std::unique_ptr<started<bool>> reading;
  };

  tcp::socket connected(const scripted_server& to) {
    tcp::socket socket(loop);
    socket.connect({asio::ip::address_v4::loopback(), to.port()});
    return socket;
  }
  // Reads from the client as the gateway does when it reads a request's body.
  asio::awaitable<bool> take(client& from, std::size_t wanted) {
    std::size_t taken = 0;
    while (taken < wanted) {
      const auto came = co_await from.connection.more(clock.now() + patience);
      if (came != client_connection::arrival::bytes) break;
      taken += from.connection.unread().size();
      from.connection.consume(from.connection.unread().size());
    }
    co_return taken >= wanted;
  }
  // Calls a function once in each pass of the event loop, until the function returns false.
  void in_each_pass(std::function<bool()> goes_on) {
    is_watching = goes_on();
    if (is_watching) asio::post(loop, [this, goes_on = std::move(goes_on)] { in_each_pass(goes_on); });
  }
  // Starts many clients that send continuously, and a reader for each client.
  void flood() {
    for (std::size_t each = 0; each < 8 * in_a_pass; ++each) {
      all.emplace_back(*this, flooding);
      taking.push_back(start(take(all.back(), flood_bytes)));
    }
  }
  bool are_all_taken() const {
    return std::ranges::all_of(taking, [](const auto& each) { return each->is_done(); });
  }
  void end() {
    for (client& each : all) each.connection.abort();
    for (client& each : all) run_until([&] { return each.reading->is_done(); });
    run_until([this] { return !is_watching; });
  }

  std::vector<char> scratch = std::vector<char>(scratch_bytes);
  scripted_server flooding{[](peer& gateway) {
    gateway.write(std::string(flood_bytes, 'x'));
    gateway.read_to_end();
  }};
  std::list<client> all;
  std::vector<std::unique_ptr<started<bool>>> taking;
  bool is_watching = false;
};

TEST_F(ClientTurnsTest, ManyFloodsTogetherHaveAFewTurnsInAPass) {
  flood();
  std::size_t before = 0, most = 0;
  in_each_pass([&] {
    std::size_t turns = 0;
    for (const client& each : all) turns += each.turns_behind_large;
    most = std::max(most, turns - std::exchange(before, turns));
    return !are_all_taken();
  });
  run_until([&] { return are_all_taken(); });
  for (const auto& each : taking) EXPECT_TRUE(*each->value);
  EXPECT_GT(most, 0u);
  // The test may count the end of one pass of the event loop and the beginning of the next pass as a single pass.
  EXPECT_LE(most, 2 * in_a_pass);
  end();
}

// One client has sent a long prompt and then a short request. Meanwhile many other clients are sending much data.
TEST_F(ClientTurnsTest, ARequestBehindALongOneWaitsForNoFlood) {
  // A prompt that one read can return completely, if all of its bytes have already arrived.
  constexpr std::size_t long_prompt = 2 * proxy::large_reads::large;
  constexpr std::size_t passes_of_others = 20;
  std::atomic<bool> is_long_sent = false, has_begun = false;
  scripted_server server([&](peer& gateway) {
    gateway.write(std::string(long_prompt, 'x'));
    is_long_sent = true;
    while (!has_begun) std::this_thread::yield();
    gateway.write("short");
    gateway.read_to_end();
  });
  client& mine = all.emplace_back(*this, server);
  while (!is_long_sent) std::this_thread::yield();
  ASSERT_TRUE(run(take(mine, long_prompt)));
  ASSERT_TRUE(mine.was_large);
  const std::size_t reads_before = mine.reads;
  mine.connection.begin_anew();
  bool is_over = false;
  const auto wait_for_turns = [&]() -> asio::awaitable<bool> {
    while (!is_over) {
      co_await proxy::next_turn(loop.get_executor());
      co_await proxy::large_reads::wait(loop.get_executor(), proxy::large_reads::peer::client);
    }
    co_return true;
  };
  std::vector<std::unique_ptr<started<bool>>> others;
  for (std::size_t each = 0; each < passes_of_others * in_a_pass; ++each) others.push_back(start(wait_for_turns()));
  std::size_t passes = 0;
  in_each_pass([&] { return ++passes < 3; });
  run_until([&] { return passes == 3; });
  has_begun = true;
  await_bytes(mine.fd);
  passes = 0;
  in_each_pass([&] { return mine.reads == reads_before && ++passes < 1000; });
  run_until([&] { return mine.reads > reads_before || passes == 1000; });
  EXPECT_LT(passes, passes_of_others / 2);
  is_over = true;
  for (const auto& each : others) run_until([&] { return each->is_done(); });
  end();
}

TEST_F(ClientTurnsTest, OneThatGoesWhileItWaitsForItsTurnEnds) {
  flood();
  run_until([&] { return std::ranges::all_of(all, [](const client& each) { return each.turns_behind_large > 0; }); });
  for (client& each : all) each.connection.abort();
  run_until([&] { return are_all_taken(); });
  end();
}

}  // namespace
}  // namespace photofinish::testing
