// However much a peer sends, a stream is read once in a turn of the loop: whatever else waits there comes between.
// All of a flood lies in the kernel's buffers before the first read, and the loop runs one handler at a time.
#include "proxy/net/byte_stream.hpp"

#include "tests/support/network/byte_stream_fixture.hpp"

#include <atomic>
#include <span>
#include <string>

namespace photofinish::proxy {
namespace {

namespace asio = boost::asio;
using testing::peer;
using testing::scripted_server;
using testing::tls_script;

constexpr std::size_t flood_bytes = 100'000;
constexpr std::size_t read_bytes = 1'000;

class StreamTurnsTest : public testing::byte_stream_fixture {
 protected:
  // Sends the flood at once, and stays until the stream has gone.
  scripted_server::script floods(const std::string& bytes) {
    return [this, bytes](peer& client) {
      client.write(bytes);
      is_sent = true;
      client.read_to_end();
    };
  }
  void await_flood() {
    while (!is_sent) std::this_thread::yield();
  }

  // As every reader of ours does.
  asio::awaitable<bool> read_by_waiting(byte_stream& stream, std::size_t wanted) {
    while (taken < wanted) {
      co_await stream.readable();
      auto got = stream.try_read(std::span(scratch).first(read_bytes));
      if (!got) continue;
      if (!*got || **got == 0) co_return false;
      taken += **got;
      most_in_a_read = std::max(most_in_a_read, **got);
      ++reads;
    }
    co_return true;
  }
  // As one that forgets that others wait.
  asio::awaitable<bool> read_greedily(byte_stream& stream, std::size_t wanted) {
    while (taken < wanted) {
      co_await stream.readable();
      while (auto got = stream.try_read(std::span(scratch).first(read_bytes))) {
        if (!*got || **got == 0) co_return false;
        taken += **got;
        ++reads;
      }
    }
    co_return true;
  }
  testing::turns_seen watch(asio::awaitable<bool> reading) {
    const auto under_way = start(std::move(reading));
    const auto seen = watch_turns([this] { return reads; }, [&] { return under_way->is_done(); });
    EXPECT_TRUE(*under_way->value);
    return seen;
  }

  std::atomic<bool> is_sent{false};
  std::size_t taken = 0;
  std::size_t reads = 0;
  std::size_t most_in_a_read = 0;
};

TEST_F(StreamTurnsTest, APlainFloodIsReadOnceInATurn) {
  scripted_server server(floods(std::string(flood_bytes, 'x')));
  auto stream = connect(server);
  await_flood();
  EXPECT_EQ(watch(read_by_waiting(stream, flood_bytes)).most_in_one, 1u);
  EXPECT_GE(reads, flood_bytes / read_bytes);
}

TEST_F(StreamTurnsTest, AFloodOverTlsIsReadOnceInATurn) {
  scripted_server server(tls_script(good.get(), floods(std::string(flood_bytes, 'x'))));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  await_flood();
  EXPECT_EQ(watch(read_by_waiting(stream, flood_bytes)).most_in_one, 1u);
  EXPECT_GE(reads, flood_bytes / read_bytes);
}

TEST_F(StreamTurnsTest, ALoopThatDoesNotWaitBetweenItsReadsGetsOneOfThem) {
  for (const bool is_tls : {false, true}) {
    taken = reads = 0, is_sent = false;
    const auto flood = floods(std::string(flood_bytes, 'x'));
    scripted_server server(is_tls ? tls_script(good.get(), flood) : flood);
    auto stream = connect(server);
    ASSERT_TRUE(!is_tls || secure(stream, server));
    await_flood();
    EXPECT_EQ(watch(read_greedily(stream, flood_bytes)).most_in_one, 1u) << "tls " << is_tls;
    stream.abort();
  }
}

TEST_F(StreamTurnsTest, AnAlarmThatIsDueStrikesBetweenTwoReads) {
  for (const bool is_tls : {false, true}) {
    taken = reads = 0, is_sent = false;
    const auto flood = floods(std::string(flood_bytes, 'x'));
    scripted_server server(is_tls ? tls_script(good.get(), flood) : flood);
    auto stream = connect(server);
    ASSERT_TRUE(!is_tls || secure(stream, server));
    await_flood();
    alarm limit(clock, [&] { stream.abort(); });
    limit.arm(clock.now());
    const auto reading = start(read_by_waiting(stream, flood_bytes));
    watch_turns([] { return 0u; }, [&] { return reading->is_done(); });
    EXPECT_FALSE(*reading->value);
    EXPECT_LE(reads, 2u) << "tls " << is_tls;
  }
}

// A record costs two system calls and a decryption, however little is in it.
TEST_F(StreamTurnsTest, OneReadTakesABoundedNumberOfRecords) {
  constexpr std::size_t records = 600;
  scripted_server server(tls_script(good.get(), [this](peer& client) {
    for (std::size_t each = 0; each < records; ++each) client.write("x");
    is_sent = true;
    client.read_to_end();
  }));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  await_flood();
  EXPECT_EQ(watch(read_by_waiting(stream, records)).most_in_one, 1u);
  EXPECT_LE(most_in_a_read, 64u);
}

// OpenSSL takes in session tickets by itself, and would go on as long as they come.
TEST_F(StreamTurnsTest, AFloodOfTicketsLeavesTurnsToOthers) {
  constexpr std::size_t tickets = 600;
  scripted_server server(tls_script(good.get(), [this](peer& client) {
    for (std::size_t each = 0; each < tickets; ++each) client.send_ticket();
    client.write("x");
    is_sent = true;
    client.read_to_end();
  }));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  await_flood();
  EXPECT_GE(watch(read_by_waiting(stream, 1)).turns, tickets / 100) << "those of one reading ahead, 16 kB, in a turn";
}

TEST_F(StreamTurnsTest, AnIdleConnectionThatFloodsTicketsIsNotQuiet) {
  scripted_server server(tls_script(good.get(), [this](peer& client) {
    for (int each = 0; each < 200; ++each) client.send_ticket();
    is_sent = true;
    client.read_to_end();
  }));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  await_flood();
  EXPECT_FALSE(stream.is_quiet());
}

// What the kernel's buffers take at once: none of it waits for the peer.
TEST_F(StreamTurnsTest, ALongWriteLeavesTurnsToOthers) {
  const std::string large(600u << 10, 'x');
  std::atomic<bool> is_over{false};
  scripted_server server(tls_script(good.get(), [&](peer& client) {
    while (!is_over) std::this_thread::yield();
    client.read_to_end();
  }));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  const auto writing = start(send(stream, {large}));
  const auto seen = watch_turns([] { return 0u; }, [&] { return writing->is_done(); });
  is_over = true;
  EXPECT_GE(seen.turns, 3u);
}

}  // namespace
}  // namespace photofinish::proxy
