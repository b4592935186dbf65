// Tests when a cache fetches expiring values again. The test advances the clock.
#include "gateway/credentials/refreshing_cache.hpp"

#include "proxy/failures/network_failures.hpp"
#include "tests/support/manual_alarms.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

// Simulates a server that answers each fetch with `text`. While `is_held` is true, the server delays its answers.
struct text_server {
  std::string text = "first";  // the text of the answer; if the text is empty, the fetch fails
  bool is_held = false, is_broken = false;
  std::size_t fetches = 0, cancels = 0;
  proxy::signal released;
};

class text_io final : public credential_io {
 public:
  explicit text_io(text_server& server) : server_(server) {}

  boost::asio::awaitable<proxy::result<credential_answer>> ask(credential_request) override {
    ++server_.fetches;
    while (server_.is_held && !is_cancelled_) co_await server_.released.wait();
    if (server_.is_broken) throw std::runtime_error("a bug");
    if (is_cancelled_ || server_.text.empty()) co_return proxy::network_failure(proxy::failure_kind::connect, "refused");
    co_return credential_answer{200, server_.text};
  }
  boost::asio::awaitable<file_content> read(std::string) override { co_return file_content{}; }
  std::chrono::sys_seconds now() const override { return {}; }
  void cancel() noexcept override {
    is_cancelled_ = true;
    ++server_.cancels;
    server_.released.wake();
  }

 private:
  text_server& server_;
  bool is_cancelled_ = false;
};

struct kept_text {
  std::string source;
  std::string text;
  std::uint64_t tries = 0;
};

struct text_types {
  using value = kept_text;
  using answer = proxy::result<credential_answer>;
  struct state {};
  static constexpr std::string_view task = "the fetch of a text";
};

// A cache of texts that expire after 60 minutes. It fetches each text again when the text is 54 minutes old.
class text_keeper final : public refreshing_cache<text_types> {
 public:
  using refreshing_cache::refreshing_cache;

  void adopt(const std::vector<std::string>& sources) {
    std::vector<user> users;
    for (const std::string& each : sources) users.push_back({each, "user"});
    keep(users);
  }
  void refresh(const std::string& from) { fetch(find(from)); }

 private:
  boost::asio::awaitable<answer> load(const std::string&, credential_io& io) override { return io.ask({}); }
  std::optional<refresh_times> accept(entry&, kept_text& next, answer given) override {
    if (!given) return std::nullopt;
    next.text = given->body;
    return refresh_times{54min, 60min};
  }
  void end_value(entry&, kept_text& next) override { next.text = "ended"; }
};

class RefreshingCache : public ::testing::Test {
 protected:
  void adopt(const std::vector<std::string>& sources) {
    keeper_.adopt(sources);
    settle();
  }
  void settle() {
    loop_.restart();
    loop_.poll();
  }
  void advance(std::chrono::seconds span) {
    for (std::chrono::seconds passed{0}; passed < span; passed += 1s) {
      clock_.advance(1s);
      settle();
    }
  }
  const std::string& text() const { return board_->at(0)->text; }

  text_server server_;
  boost::asio::io_context loop_;
  tests::manual_alarms clock_;
  std::shared_ptr<const text_keeper::board> board_;
  text_keeper keeper_{loop_.get_executor(), clock_, [this] { return std::make_unique<text_io>(server_); },
                      [this](auto board) { board_ = std::move(board); }, 1};
};

TEST_F(RefreshingCache, FetchesAgainBeforeTheEndOfTheValue) {
  adopt({"a"});
  EXPECT_EQ(text(), "first");
  server_.text = "second";
  advance(54min - 1s);
  EXPECT_EQ(text(), "first");
  advance(1s);
  EXPECT_EQ(text(), "second");
  advance(24h);
  EXPECT_EQ(server_.fetches, 2u + 24 * 60 / 54);
  EXPECT_EQ(text(), "second") << "a renewed value gets a new end";
}

TEST_F(RefreshingCache, OneFetchServesAllReaders) {
  server_.is_held = true;
  adopt({"a", "a"});
  for (int each = 0; each < 100; ++each) keeper_.refresh("a"), settle();
  EXPECT_EQ(server_.fetches, 1u);
  EXPECT_EQ(board_->size(), 1u);
  EXPECT_EQ(text(), "") << "it has not come yet";
  server_.is_held = false;
  server_.released.wake();
  settle();
  EXPECT_EQ(text(), "first");
  EXPECT_EQ(board_->at(0)->tries, 1u);
}

TEST_F(RefreshingCache, AFailedFetchKeepsTheValueUntilItsEnd) {
  adopt({"a"});
  server_.text.clear();
  advance(60min - 1s);
  EXPECT_EQ(text(), "first");
  advance(1s);
  EXPECT_EQ(text(), "ended");
  server_.text = "second";
  advance(2min);
  EXPECT_EQ(text(), "second");
}

TEST_F(RefreshingCache, PausesGrowToAMinuteAndStartAgainAfterASuccess) {
  server_.text.clear();
  adopt({"a"});
  advance(10s);
  EXPECT_GE(server_.fetches, 3u) << "after 1, 2 and 4 seconds, a quarter more or less";
  EXPECT_LE(server_.fetches, 4u);
  advance(5min);
  const std::size_t before = server_.fetches;
  advance(1h);
  EXPECT_GE(server_.fetches, before + 48);
  EXPECT_LE(server_.fetches, before + 80);
  server_.text = "first";
  advance(2min);
  ASSERT_EQ(text(), "first");
  server_.text.clear();
  const std::size_t success = server_.fetches;
  keeper_.refresh("a"), settle();
  advance(2s);
  EXPECT_GE(server_.fetches, success + 2) << "the first pause is a second again";
}

TEST_F(RefreshingCache, ABugOfAFetchIsRepeatedAfterAPause) {
  server_.is_broken = true;
  adopt({"a"});
  EXPECT_EQ(server_.fetches, 1u);
  server_.is_broken = false;
  advance(2s);
  EXPECT_EQ(text(), "first");
}

TEST_F(RefreshingCache, ASourceThatIsNoLongerConfiguredIsCancelled) {
  server_.is_held = true;
  adopt({"a"});
  adopt({});
  EXPECT_EQ(server_.cancels, 1u);
  EXPECT_TRUE(board_->empty());
  server_.is_held = false;
  advance(2h);
  EXPECT_EQ(server_.fetches, 1u);
}

TEST_F(RefreshingCache, StopCancelsTheFetchAndWaitsForItsEnd) {
  server_.is_held = true;
  adopt({"a"});
  bool is_stopped = false;
  proxy::spawn(loop_, "stop", keeper_.stop(), [&is_stopped] { is_stopped = true; });
  settle();
  EXPECT_TRUE(is_stopped);
  EXPECT_EQ(server_.cancels, 1u);
  EXPECT_FALSE(clock_.has_alarm());
  adopt({"b"});
  EXPECT_EQ(server_.fetches, 1u);
}

}  // namespace
}  // namespace photofinish::gateway
