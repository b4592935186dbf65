#include "proxy/net/byte_stream.hpp"

#include "tests/support/network/byte_stream_fixture.hpp"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::peer;
using testing::scripted_server;
using testing::tls_script;

using ByteStreamTest = testing::byte_stream_fixture;

TEST_F(ByteStreamTest, PlainPiecesArriveInOrderAndTheEndIsProper) {
  scripted_server server([](peer& client) { client.write("got " + client.read_some()); });
  auto stream = connect(server);
  EXPECT_TRUE(run(send(stream, {"GET ", "", "/ ", "HTTP/1.1"})));
  EXPECT_EQ(run(read_all(stream)), "got GET / HTTP/1.1");
  EXPECT_FALSE(stream.ended_abruptly());
}

TEST_F(ByteStreamTest, WritingNothingIsDone) {
  scripted_server server([](peer& client) { client.read_to_end(); });
  auto stream = connect(server);
  EXPECT_TRUE(run(send(stream, {})));
  EXPECT_TRUE(run(send(stream, {"", ""})));
}

TEST_F(ByteStreamTest, ALargeBodyWaitsForASlowReaderAndArrivesWhole) {
  for (const bool is_tls : {false, true}) {
    std::atomic<std::size_t> received{0};
    scripted_server server([&](peer& client) {
      if (is_tls) client.handshake(good.get());
      std::this_thread::sleep_for(50ms);
      while (received < 20'000'007) received += client.read_some().size();
      client.write("thanks");
      if (is_tls) client.say_goodbye();
    });
    auto stream = connect(server);
    ASSERT_TRUE(!is_tls || secure(stream, server));
    const std::string large(10'000'000, 'x');
    EXPECT_TRUE(run(send(stream, {"head", large, "and", large})));
    EXPECT_EQ(run(read_all(stream)), "thanks");
    EXPECT_EQ(received, 20'000'007u);
  }
}

TEST_F(ByteStreamTest, ManyMorePiecesThanOneSystemCallTakes) {
  std::string received;
  scripted_server server([&](peer& client) {
    while (received.size() < 1000) received += client.read_some();
  });
  auto stream = connect(server);
  EXPECT_TRUE(run(send(stream, std::vector<std::string_view>(500, "ab"))));
  EXPECT_EQ(run(read_all(stream)), "");
  EXPECT_EQ(received.size(), 1000u);
}

TEST_F(ByteStreamTest, AResetIsAFailureAndStaysOne) {
  scripted_server server([](peer& client) { client.read_some(), client.reset(); });
  auto stream = connect(server);
  (void)run(send(stream, {"hello"}));
  EXPECT_EQ(run(read_all(stream)), "!connect");
  EXPECT_EQ(run(read_all(stream)), "!connect");
}

TEST_F(ByteStreamTest, WritingToAClosedPeerIsAFailureWithoutASignal) {
  std::signal(SIGPIPE, SIG_DFL);
  std::atomic<bool> is_reset{false};
  scripted_server server([&](peer& client) { client.reset(), is_reset = true; });
  auto stream = connect(server);
  run_until([&] { return is_reset.load(); });
  EXPECT_FALSE(run(send(stream, {"hello"})));
  EXPECT_FALSE(run(send(stream, {"hello"})));
}

TEST_F(ByteStreamTest, AnIdleConnectionIsQuietUntilItEndsOrSpeaks) {
  for (const bool is_tls : {false, true}) {
    std::atomic<int> step{0};
    scripted_server server([&](peer& client) {
      if (is_tls) client.handshake(good.get());
      client.read_some();
      if (step == 1) client.write("unasked");
      else if (is_tls && step == 2) client.say_goodbye();
      if (step == 1) client.read_to_end();
    });
    for (step = 0; step < 3; ++step) {
      auto stream = connect(server);
      ASSERT_TRUE(!is_tls || secure(stream, server));
      run_for(20ms);  // waits until the session tickets of TLS 1.3 have arrived
      EXPECT_TRUE(stream.is_quiet());
      (void)run(send(stream, {"go"}));
      run_until([&] { return !stream.is_quiet(); });
      stream.abort();
      EXPECT_FALSE(stream.is_quiet());
    }
  }
}

TEST_F(ByteStreamTest, AbortEndsAPendingReadInALaterTurn) {
  for (const bool is_tls : {false, true}) {
    scripted_server server([&](peer& client) {
      if (is_tls) client.handshake(good.get());
      client.read_to_end();
    });
    auto stream = connect(server);
    ASSERT_TRUE(!is_tls || secure(stream, server));
    auto reading = start(read_all(stream));
    run_for(20ms);
    ASSERT_FALSE(reading->is_done());
    stream.abort();
    stream.abort();
    EXPECT_FALSE(reading->is_done());
    EXPECT_EQ(finish(std::move(reading)), "!cancelled");
    EXPECT_EQ(run(read_all(stream)), "!cancelled");
  }
}

TEST_F(ByteStreamTest, AbortWinsOverBytesThatCameInTheSameTurn) {
  std::atomic<bool> has_written{false};
  scripted_server server([&](peer& client) {
    client.read_some();
    client.write("late");
    has_written = true;
    client.read_to_end();
  });
  auto stream = connect(server);
  auto reading = start(read_all(stream));
  run_for(5ms);
  (void)run(send(stream, {"go"}));
  while (!has_written) std::this_thread::yield();
  stream.abort();  // data has arrived, but the stream's loop has not yet noticed it
  EXPECT_EQ(finish(std::move(reading)), "!cancelled");
}

TEST_F(ByteStreamTest, AbortEndsAPendingHandshake) {
  scripted_server server([](peer& client) { client.read_to_end(); });  // silent
  auto stream = connect(server);
  auto pending = start(stream.handshake(*context, "localhost", server.port()));
  run_for(20ms);
  stream.abort();
  const auto done = finish(std::move(pending));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, failure_kind::cancelled);
}

TEST_F(ByteStreamTest, AbortEndsAPendingWrite) {
  for (const bool is_tls : {false, true}) {
    std::atomic<bool> is_over{false};
    scripted_server server([&](peer& client) {
      if (is_tls) client.handshake(good.get());
      while (!is_over) std::this_thread::sleep_for(1ms);
    });
    auto stream = connect(server);
    ASSERT_TRUE(!is_tls || secure(stream, server));
    const std::string large(50'000'000, 'x');
    auto writing = start(send(stream, {large}));
    run_for(50ms);
    ASSERT_FALSE(writing->is_done());
    stream.abort();
    const auto done = finish(std::move(writing));
    is_over = true;
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, failure_kind::cancelled);
  }
}

TEST_F(ByteStreamTest, AMovedStreamsPendingReadGoesOn) {
  scripted_server server([](peer& client) { client.write("hello " + client.read_some()); });
  auto stream = connect(server);
  auto reading = start(stream.read_some(scratch));
  run_for(5ms);
  byte_stream moved = std::move(stream);
  (void)run(send(moved, {"there"}));
  const auto got = finish(std::move(reading));
  ASSERT_TRUE(got);
  EXPECT_EQ(std::string(scratch.data(), *got), "hello there");
  stream.abort();  // abort() also works on a stream object that was moved from
  EXPECT_FALSE(stream.is_open());
}

TEST_F(ByteStreamTest, AStreamReadsWhileItWrites) {
  std::atomic<bool> is_over{false};
  scripted_server server(tls_script(good.get(), [&](peer& client) {
    client.write("too large");  // the server answers before it has read the request
    while (!is_over) std::this_thread::sleep_for(1ms);
  }));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  const std::string large(50'000'000, 'x');
  auto writing = start(send(stream, {large}));
  const auto got = run(stream.read_some(scratch));
  ASSERT_TRUE(got);
  EXPECT_EQ(std::string(scratch.data(), *got), "too large");
  stream.abort();
  EXPECT_FALSE(finish(std::move(writing)));
  is_over = true;
}

}  // namespace
}  // namespace photofinish::proxy
