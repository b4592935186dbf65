// Tests that a stream is read at most once in each turn of the event loop, so that other handlers can run even if a peer sends much data.
// All data is in the kernel's buffers before the first read, and the loop runs one handler at a time.
#include "proxy/loop/large_reads.hpp"
#include "proxy/loop/next_turn.hpp"
#include "proxy/net/byte_stream.hpp"

#include "tests/support/network/byte_stream_fixture.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
  // Sends all of the data immediately, and then keeps the connection open until the client disconnects.
  scripted_server::script floods(const std::string& bytes) {
    return [this, bytes](peer& client) {
      client.write(bytes);
      is_sent = true;
      client.read_to_end();
    };
  }
  scripted_server::script small_records(std::size_t count) {
    return tls_script(good.get(), [this, count](peer& client) {
      for (std::size_t each = 0; each < count; ++each) client.write("x");
      is_sent = true;
      client.read_to_end();
    });
  }
  void await_flood() {
    while (!is_sent) std::this_thread::yield();
  }

  // Reads from a stream in the same way as all readers in the gateway.
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
  // Reads from a stream in a loop without waiting, as a faulty reader might.
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

// Each TLS record costs two system calls and a decryption, even if it contains only one byte.
TEST_F(StreamTurnsTest, OneReadTakesABoundedNumberOfRecords) {
  constexpr std::size_t records = 600;
  scripted_server server(small_records(records));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  await_flood();
  EXPECT_EQ(watch(read_by_waiting(stream, records)).most_in_one, 1u);
  EXPECT_LE(most_in_a_read, 64u);
}

// OpenSSL reads session tickets on its own, and would not stop reading while tickets arrive.
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

// The kernel's buffers accept all bytes, so the write need not wait for the peer.
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

// After a large read, a stream must wait for its next turn. In each pass of the event loop, all streams together have only a limited number
// of large reads.
TEST_F(StreamTurnsTest, ManyFloodsTogetherHaveAFewTurnsInAPass) {
  constexpr std::size_t streams = 4 * large_reads::in_a_pass, reads_each = 20;
  for (const bool is_tls : {false, true}) {
    const auto flood = floods(std::string((reads_each + 1) * large_reads::large, 'x'));
    scripted_server server(is_tls ? tls_script(good.get(), flood) : flood);
    std::vector<byte_stream> all;
    for (std::size_t each = 0; each < streams; ++each) {
      all.push_back(connect(server));
      ASSERT_TRUE(!is_tls || secure(all.back(), server));
    }
    std::size_t behind_large = 0, before = 0, most_in_a_pass = 0, ended = 0;
    const auto read_it = [&](byte_stream& stream) -> asio::awaitable<bool> {
      std::vector<char> into(large_reads::large);
      bool was_large = false, goes_on = true;
      for (std::size_t each = 0; each < reads_each && goes_on; ++each) {
        const auto got = co_await stream.read_some(into);
        if (was_large) ++behind_large;
        goes_on = got && *got > 0;
        was_large = goes_on && *got == into.size();
      }
      ++ended;
      co_return goes_on;
    };
    std::vector<std::unique_ptr<testing::started<bool>>> under_way;
    for (byte_stream& each : all) under_way.push_back(start(read_it(each)));
    bool is_watching = true;
    const std::function<void()> pass = [&] {
      most_in_a_pass = std::max(most_in_a_pass, behind_large - std::exchange(before, behind_large));
      is_watching = ended < streams;
      if (is_watching) asio::post(loop, pass);
    };
    pass();
    run_until([&] { return !is_watching; });
    for (const auto& each : under_way) EXPECT_TRUE(*each->value);
    EXPECT_GT(most_in_a_pass, 0u);
    // The test may count the end of one pass of the event loop and the beginning of the next pass as a single pass.
    EXPECT_LE(most_in_a_pass, 2 * large_reads::in_a_pass) << "tls " << is_tls;
  }
}

class CrowdedStreamTest : public StreamTurnsTest {
 protected:
  // Starts many streams that always have much data to read. Each stream gets a turn once in 20 passes of the event loop.
  void crowd() {
    for (std::size_t each = 0; each < 20 * large_reads::in_a_pass; ++each) others.push_back(start(want_turns()));
    count_passes();
    run_until([this] { return passes >= 3; });
  }
  asio::awaitable<bool> want_turns() {
    while (!is_over) {
      co_await next_turn(loop.get_executor());
      co_await large_reads::wait(loop.get_executor(), large_reads::peer::provider);
    }
    co_return true;
  }
  void count_passes() {
    ++passes;
    is_counting = !is_over;
    if (is_counting) asio::post(loop, [this] { count_passes(); });
  }
  // Returns the number of passes of the event loop until a read of available bytes completes.
  std::size_t passes_of_a_read(byte_stream& stream) {
    const std::size_t before = passes;
    EXPECT_TRUE(run(read_by_waiting(stream, taken + 1)));
    return passes - before;
  }
  void end() {
    is_over = true;
    for (const auto& each : others) run_until([&] { return each->is_done(); });
    run_until([this] { return !is_counting; });
  }

  std::vector<std::unique_ptr<testing::started<bool>>> others;
  std::size_t passes = 0;
  bool is_over = false, is_counting = false;
};

// The first read after a reuse of an idle connection belongs to a new answer. Therefore this read need not wait.
TEST_F(CrowdedStreamTest, AReadBehindALargeOneWaitsUnlessTheConnectionWasIdleBetween) {
  for (const bool was_idle : {false, true}) {
    taken = passes = 0, is_over = false;
    std::atomic<bool> is_first_sent{false}, may_go_on{false};
    scripted_server server([&](peer& client) {
      client.write(std::string(large_reads::large, 'x'));
      is_first_sent = true;
      while (!may_go_on) std::this_thread::yield();
      client.write("x");
      client.read_to_end();
    });
    auto stream = connect(server);
    while (!is_first_sent) std::this_thread::yield();
    ASSERT_EQ(*run(stream.read_some(scratch)), large_reads::large);
    EXPECT_TRUE(!was_idle || stream.is_quiet());
    may_go_on = true;
    await_bytes(stream.native_handle());
    crowd();
    const std::size_t waited = passes_of_a_read(stream);
    EXPECT_EQ(waited < 10, was_idle) << waited;
    end();
  }
}

// If much data arrives over TLS, the time depends more on the number of records than on the number of bytes.
TEST_F(CrowdedStreamTest, AReadBehindManySmallRecordsWaitsToo) {
  constexpr std::size_t records = 200;
  scripted_server server(small_records(records));
  auto stream = connect(server);
  ASSERT_TRUE(secure(stream, server));
  await_flood();
  ASSERT_TRUE(run(read_by_waiting(stream, 1)));
  ASSERT_LT(taken, records);
  crowd();
  EXPECT_GE(passes_of_a_read(stream), 10u);
  end();
}

}  // namespace
}  // namespace photofinish::proxy
