// Runs a thousand races a second over HTTP/2. No server may complain, and no winner's answer may be lost.
#include "tests/support/network/certificates.hpp"
#include "tests/support/network/http2_fixture.hpp"
#include "tests/support/network/http2_programs.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::http2_request;
using testing::http2_server;
using testing::says;
using testing::slowness;

// Counts the results of races. Each race has two attempts at one server over HTTP/2. The attempt with the first byte wins, and the other
// attempt is reset.
struct tally {
  int races = 0;
  int won = 0;
  int lost_alive = 0;  // the number of winners whose answers were cut off
  int without_winner = 0;
  std::string first_trouble;
};

class race_load : public testing::http2_fixture {
 protected:
  // Ends all races of the test, even if the test has failed.
  void TearDown() override {
    run(end());
    run_until([this] { return running == 0; });
  }

  tally seen;
  int running = 0;
  bool keeps_up = false;  // true if this machine was fast enough for every race of the test

  struct runner {
    std::unique_ptr<exchange> over;
    bool has_bytes = false;
    bool is_over = false;
    std::string text;
    std::string trouble;
  };

  boost::asio::awaitable<void> run_one(runner& each, wakeup& news) {
    request_head head;
    head.path = "/v1/chat/completions";
    head.host = "llm.example.com";
    const std::array<std::string_view, 1> pieces{R"({"model":"m","messages":[{"role":"user","content":"hi"}]})"};
    auto started = co_await each.over->start(head, pieces);
    if (started) {
      auto bytes = co_await each.over->next();
      if (bytes) each.text = *bytes;
      else each.trouble = bytes.error().detail;
      each.has_bytes = bytes && !bytes->empty();
    } else {
      each.trouble = started.error().detail;
    }
    each.is_over = true;
    news.wake();
  }

  boost::asio::awaitable<void> race(const provider& first, const provider& second, std::size_t bytes, tally& into) {
    wakeup news(loop);
    std::array<runner, 2> runners;
    runners[0].over = make_exchange(over, first, "a");
    runners[1].over = make_exchange(over, second, "b");
    for (runner& each : runners) boost::asio::co_spawn(loop, run_one(each, news), [](std::exception_ptr) {});
    ++into.races;
    runner* winner = nullptr;
    while (winner == nullptr && !(runners[0].is_over && runners[1].is_over)) {
      co_await news.wait();
      for (runner& each : runners)
        if (winner == nullptr && each.has_bytes) winner = &each;
    }
    for (runner& each : runners)
      if (&each != winner) each.over->cancel();
    if (winner == nullptr) {
      ++into.without_winner;
      if (into.first_trouble.empty()) into.first_trouble = runners[0].trouble + " / " + runners[1].trouble;
    } else {
      co_await read_on(*winner, bytes, into);
    }
    while (!(runners[0].is_over && runners[1].is_over)) co_await news.wait();
  }

  // Starts races whose two attempts both go to this provider. Each answer has this number of bytes.
  void race_at(const provider& to, std::size_t bytes, int per_second) {
    const char* asked = std::getenv("PHOTOFINISH_HTTP2_RACE_SECONDS");
    const std::chrono::seconds length(asked != nullptr ? std::atoi(asked) : 3);
    const auto begin = std::chrono::steady_clock::now();
    for (int due_before = 0; std::chrono::steady_clock::now() - begin < length || running > 0;) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      const int due = static_cast<int>(std::min<double>(passed.count(), static_cast<double>(length.count())) * per_second);
      for (; due_before < due; ++due_before) {
        if (running >= 2'000) continue;  // skips races if the machine is too slow
        ++running;
        boost::asio::co_spawn(loop, race(to, to, bytes, seen), [this](std::exception_ptr) { --running; });
      }
      loop.restart();
      loop.run_for(1ms);
      ASSERT_LT(passed, length + 120s);
    }
    keeps_up = seen.races == per_second * static_cast<int>(length.count());
    std::cout << seen.races << " races in " << length.count() << " s: " << seen.won << " won\n";
    EXPECT_EQ(seen.won, seen.races) << seen.first_trouble;
    EXPECT_EQ(seen.lost_alive, 0) << seen.first_trouble;
    EXPECT_EQ(seen.without_winner, 0) << seen.first_trouble;
    EXPECT_GT(seen.races, 0);
  }

  boost::asio::awaitable<void> read_on(runner& winner, std::size_t bytes, tally& into) {
    while (true) {
      auto more = co_await winner.over->next();
      if (!more && into.first_trouble.empty()) into.first_trouble = more.error().detail;
      if (!more || more->empty()) break;
      winner.text += *more;
    }
    if (winner.text.size() == bytes) ++into.won;
    else ++into.lost_alive;
  }
};

// Runs a thousand races a second. Each race has two attempts, so half of all attempts lose. The server closes a connection after the lowest
// number of resets that is known as the limit of a real server. PHOTOFINISH_HTTP2_RACE_SECONDS=60 makes the test last a whole minute.
TEST_F(race_load, AThousandRacesASecondOffendNobodyAndLoseNoWinner) {
  const std::string piece = "data: {\"token\":\"hello\"}\n\n";
  constexpr std::size_t pieces = 5;
  std::atomic<unsigned> turn{0};
  http2_server server([&](const http2_request&) {
    testing::http2_answer plan = says(std::vector<std::string>(pieces, piece),
                             std::chrono::milliseconds(20 + turn++ * 7919 % 60));
    plan.between = 20ms;
    return plan;
  });
  race_at(at(server.port()), pieces * piece.size(), 1000 / slowness);
  const auto all = server.seen();
  std::cout << all.streams << " streams, " << all.resets << " resets on " << all.connections
            << " connections; on one at most " << all.most_resets_in_1_s << " resets in 1 s, " << all.most_resets_in_30_s
            << " in 30 s, " << all.most_resets << " in all, " << all.most_open
            << " streams at a time; ENHANCE_YOUR_CALM " << all.enhance_your_calm << " times\n";
  EXPECT_EQ(all.enhance_your_calm, 0u);
  EXPECT_EQ(all.pings, 0u);
  EXPECT_LE(all.most_resets, 200u);
  EXPECT_GT(all.resets, 0u);
  if (!keeps_up) return;  // on a slow machine, many losing attempts end before they are reset
  EXPECT_GT(all.resets, static_cast<std::size_t>(seen.races) / 2);       // at least half of the losing attempts were reset
  // There are far fewer connections than races. This shows that resetting a stream does not close the connection.
  EXPECT_LT(all.connections, static_cast<std::size_t>(seen.races) / 3);
}

// nghttpd answers immediately, so most losers have already begun their answers when they lose.
TEST_F(race_load, RacesOverTlsAtNghttpdLoseNoWinner) {
  if (!testing::is_installed("nghttpd")) GTEST_SKIP() << "nghttpd is not installed";
  const testing::test_authority authority;
  const std::string text(60'000, 'x');
  const testing::nghttpd_server nghttpd(authority, "/v1/chat/completions", text);
  ASSERT_TRUE(nghttpd.is_running());
  provider to = at(nghttpd.port());
  to.url.is_tls = true;
  to.ca_file = authority.pem_file();
  race_at(to, text.size(), 200 / slowness);
}

}  // namespace
}  // namespace photofinish::proxy
