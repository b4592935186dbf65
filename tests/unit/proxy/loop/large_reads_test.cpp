#include "proxy/loop/large_reads.hpp"
#include "proxy/loop/next_turn.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <numeric>
#include <vector>

namespace photofinish::proxy {
namespace {

namespace asio = boost::asio;

constexpr std::size_t most = large_reads::in_a_pass;
constexpr auto client = large_reads::peer::client, provider = large_reads::peer::provider;

class LargeReadsTest : public ::testing::Test {
 protected:
  void spawn(asio::awaitable<void> work) {
    asio::co_spawn(*loop, std::move(work), [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    });
  }
  asio::awaitable<void> take_turns(int name, std::size_t count, large_reads::peer whose = client) {
    for (std::size_t each = 0; each < count; ++each) {
      co_await next_turn(loop->get_executor());
      co_await large_reads::wait(loop->get_executor(), whose);
      taken.push_back(name);
    }
  }
  asio::awaitable<void> take_one(int name) {
    co_await large_reads::wait(loop->get_executor(), client);
    taken.push_back(name);
  }
  // A small handler that is always ready. It counts the large reads that happen between two of its own runs.
  void watch(std::size_t until) {
    in_passes.push_back(taken.size() - seen);
    seen = taken.size();
    if (seen < until) asio::post(*loop, [this, until] { watch(until); });
  }

  std::unique_ptr<asio::io_context> loop = std::make_unique<asio::io_context>(1);
  std::vector<int> taken;
  std::vector<std::size_t> in_passes;
  std::size_t seen = 0;
};

TEST_F(LargeReadsTest, ThoseOfAPassAreBounded) {
  constexpr std::size_t peers = 100, each_takes = 5;
  for (std::size_t each = 0; each < peers; ++each) spawn(take_turns(static_cast<int>(each), each_takes));
  watch(peers * each_takes);
  loop->run();
  EXPECT_EQ(taken.size(), peers * each_takes);
  EXPECT_EQ(*std::max_element(in_passes.begin(), in_passes.end()), most);
  EXPECT_LE(in_passes.size(), peers * each_takes / most + 10) << "nor are they fewer where more wait";
}

TEST_F(LargeReadsTest, WhoComesFirstIsFirst) {
  std::vector<int> in_order(50);
  std::iota(in_order.begin(), in_order.end(), 0);
  for (const int each : in_order) spawn(take_one(each));
  loop->run();
  EXPECT_EQ(taken, in_order);
}

TEST_F(LargeReadsTest, NoneTakesTwoWhileAnotherWaits) {
  constexpr std::size_t peers = 3 * most, each_takes = 20;
  for (std::size_t each = 0; each < peers; ++each) spawn(take_turns(static_cast<int>(each), each_takes));
  loop->run();
  ASSERT_EQ(taken.size(), peers * each_takes);
  for (std::size_t round = 0; round < each_takes; ++round) {
    std::vector<int> of_round(taken.begin() + static_cast<std::ptrdiff_t>(round * peers),
                              taken.begin() + static_cast<std::ptrdiff_t>((round + 1) * peers));
    std::sort(of_round.begin(), of_round.end());
    EXPECT_EQ(std::unique(of_round.begin(), of_round.end()), of_round.end()) << round;
  }
}

TEST_F(LargeReadsTest, AProviderWaitsForNoCrowdOfClients) {
  constexpr std::size_t clients = 10 * most, each_takes = 20;
  for (std::size_t each = 0; each < clients; ++each) spawn(take_turns(0, each_takes));
  spawn(take_turns(1, each_takes, provider));
  loop->run();
  ASSERT_EQ(taken.size(), (clients + 1) * each_takes);
  const auto last = std::find(taken.rbegin(), taken.rend(), 1);
  EXPECT_LE(static_cast<std::size_t>(taken.rend() - last), (each_takes + 2) * 2 * most) << "one in two passes at least";
}

TEST_F(LargeReadsTest, WhereVeryManyWaitAPassHasMore) {
  constexpr std::size_t crowd = 100 * most * large_reads::part;
  for (std::size_t each = 0; each < crowd; ++each) spawn(take_one(0));
  watch(crowd);
  loop->run();
  EXPECT_EQ(taken.size(), crowd);
  EXPECT_LE(in_passes.size(), 10 * large_reads::part) << "a part of those that are left, each time";
}

TEST_F(LargeReadsTest, AFewGoOnAtOnce) {
  for (std::size_t each = 0; each < most; ++each) spawn(take_one(static_cast<int>(each)));
  for (std::size_t each = 0; each < most; ++each) loop->poll_one();
  EXPECT_EQ(taken.size(), most) << "in the handler that asks";
}

TEST_F(LargeReadsTest, APassThatIsOverLeavesNothingToTheNext) {
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t each = 0; each < most; ++each) spawn(take_one(0));
    loop->restart();
    loop->run();
  }
  taken.clear();
  spawn(take_one(7));
  loop->restart();
  loop->poll_one();
  EXPECT_EQ(taken, std::vector<int>{7});
}

TEST_F(LargeReadsTest, WithoutTheBoundAllGoOnUntilEachHasBoundItAgain) {
  for (std::size_t each = 0; each < 5 * most; ++each) spawn(take_one(0));
  for (std::size_t each = 0; each < 5 * most; ++each) loop->poll_one();
  ASSERT_EQ(taken.size(), most);
  large_reads::unbind(*loop);
  large_reads::unbind(*loop);
  large_reads::bind(*loop);
  loop->run();
  EXPECT_EQ(taken.size(), 5 * most) << "those that waited";
  taken.clear();
  const auto ask = [&] {
    loop->restart();
    for (std::size_t each = 0; each < 5 * most; ++each) spawn(take_one(0));
    for (std::size_t each = 0; each < 5 * most; ++each) loop->poll_one();
    return taken.size();
  };
  EXPECT_EQ(ask(), 5 * most) << "those that came";
  large_reads::bind(*loop);
  loop->run();
  taken.clear();
  EXPECT_EQ(ask(), most);
  loop->run();
}

TEST_F(LargeReadsTest, WhoStillWaitsGoesWithTheLoop) {
  const auto held = std::make_shared<int>(1);
  const auto wait = [](asio::any_io_executor on, std::shared_ptr<int>) -> asio::awaitable<void> {
    co_await large_reads::wait(on, provider);
  };
  for (std::size_t each = 0; each < 3 * most; ++each) spawn(wait(loop->get_executor(), held));
  for (std::size_t each = 0; each < 3 * most; ++each) loop->poll_one();
  EXPECT_GT(held.use_count(), 1);
  loop.reset();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace photofinish::proxy
