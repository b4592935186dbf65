#include "gateway/log/line_sink.hpp"

#include <gtest/gtest.h>

#include <spdlog/logger.h>

#include <poll.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

// A logger that writes into a pipe. It writes collected lines after one hour, unless a flush writes them earlier.
struct LineSinkTest : ::testing::Test {
  LineSinkTest() {
    if (::pipe(ends.data()) != 0) ADD_FAILURE() << "no pipe";
    sink = std::make_shared<line_sink>(ends[1], 1h);
    log.emplace("test", sink);
    log->set_pattern("%v");
  }
  ~LineSinkTest() override {
    end();
    ::close(ends[0]);
  }

  void end() {
    log.reset();
    sink.reset();
    if (ends[1] >= 0) ::close(std::exchange(ends[1], -1));
  }

  // Reads from the pipe until `last` arrives, the pipe ends, or ten seconds have passed.
  std::string read_to(const std::string& last) {
    std::string text;
    std::array<char, 65536> some;
    pollfd readable{ends[0], POLLIN, 0};
    while (text.find(last) == std::string::npos && ::poll(&readable, 1, 10'000) == 1) {
      const ssize_t count = ::read(ends[0], some.data(), some.size());
      if (count <= 0) break;
      text.append(some.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

  std::array<int, 2> ends{-1, -1};
  std::shared_ptr<line_sink> sink;
  std::optional<spdlog::logger> log;
};

TEST_F(LineSinkTest, AWarningTakesAlongTheBatch) {
  log->info("one");
  log->info("two");
  log->warn("three");
  EXPECT_EQ(read_to("three\n"), "one\ntwo\nthree\n");
}

TEST_F(LineSinkTest, AFlushWritesTheBatch) {
  log->info("one");
  log->flush();
  EXPECT_EQ(read_to("one\n"), "one\n");
}

TEST_F(LineSinkTest, TheEndWritesTheBatch) {
  log->info("one");
  log->info("two");
  end();
  EXPECT_EQ(read_to("never"), "one\ntwo\n");
}

TEST_F(LineSinkTest, AReaderThatTakesNothingDoesNotHoldUpTheEnd) {
  ASSERT_FALSE(leavable_thread::is_any_left_behind());
  log.reset();
  sink = std::make_shared<line_sink>(ends[1], 1h, 20ms);
  log.emplace("test", sink);
  for (int each = 0; each < 200; ++each) log->info(std::string(1023, 'x'));  // the lines together are larger than the pipe's buffer
  log.reset();
  sink.reset();  // the destructor of the log sink returns, although the write still blocks
  EXPECT_TRUE(leavable_thread::is_any_left_behind());
  std::array<char, 65536> some;  // the blocked write ends as soon as the test reads from the pipe
  while (leavable_thread::is_any_left_behind()) {
    pollfd readable{ends[0], POLLIN, 0};
    if (::poll(&readable, 1, 1) <= 0) continue;  // the writing thread may have ended in the meantime
    EXPECT_GT(::read(ends[0], some.data(), some.size()), 0);
  }
}

TEST_F(LineSinkTest, AReaderThatTakesNothingHoldsNobodyUpAndCostsLinesThatAreCounted) {
  const std::string line(1023, 'x');
  const std::size_t count = 2 * line_sink::max_waiting_bytes / 1024;
  for (std::size_t each = 0; each < count; ++each) log->info(line);
  log->flush();
  EXPECT_NE(read_to("log lines dropped: ").find("log lines dropped: "), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
