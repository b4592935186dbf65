// Tests each caller's share of the memory limit. At the end, all granted memory must have been returned.
#include "proxy/memory/memory_share.hpp"
#include "tests/support/manual_alarms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using enum memory_use;

constexpr std::size_t limit = 64u << 20;
constexpr std::size_t megabyte = 1u << 20;
constexpr instant t0{1h};
constexpr memory_budget::account a = 1, b = 2, c = 3;

class MemoryBudget : public testing::Test {
 protected:
  bool takes(memory_budget::account who, std::size_t megabytes, memory_use use = arriving, instant now = t0) {
    return budget.take(who, megabytes * megabyte, use, now);
  }
  memory_budget budget{limit};
};

TEST_F(MemoryBudget, ACallerAloneMayHaveFiveEighths) {
  EXPECT_TRUE(takes(a, 40));
  EXPECT_FALSE(takes(a, 1));
  EXPECT_EQ(budget.most_arriving(), 40 * megabyte);
  EXPECT_EQ(budget.used(), 40 * megabyte);
  EXPECT_EQ(budget.refusals(), 1u);
}

TEST_F(MemoryBudget, AnotherCallerHasHalfOfWhatIsLeft) {
  ASSERT_TRUE(takes(a, 40));
  EXPECT_TRUE(takes(b, 10)) << "as much as is left beside it: 60 are for what is new";
  EXPECT_FALSE(takes(b, 1));
  EXPECT_TRUE(takes(b, 4, running)) << "and 68 for what runs";
  EXPECT_FALSE(takes(b, 1, running));
}

TEST_F(MemoryBudget, WhoHoldsMoreEndsSooner) {
  ASSERT_TRUE(takes(a, 15) && takes(b, 15) && takes(c, 14));
  EXPECT_FALSE(takes(a, 1, arriving));
  EXPECT_TRUE(takes(c, 1, arriving));
  EXPECT_TRUE(takes(4, 7, arriving));
  EXPECT_FALSE(takes(c, 1, arriving));
  EXPECT_TRUE(takes(4, 3, running));
}

TEST_F(MemoryBudget, CallersThatTakeAllTheyCanLeaveRoomForOrdinaryRequests) {
  constexpr std::size_t request = 32u << 10;
  for (int round = 0; round < 64; ++round)
    for (memory_budget::account each = 1; each <= 4; ++each) budget.take(each, megabyte, running, t0);
  const std::size_t taken = budget.used();
  EXPECT_LE(taken, limit / 20 * 17) << "four and what is left: five equal parts of seventeen sixteenths";
  EXPECT_FALSE(budget.take(1, megabyte, running, t0));
  std::size_t requests = 0;
  for (memory_budget::account each = 9; each < 400; ++each) requests += budget.take(each, request, arriving, t0);
  EXPECT_GE(requests, (limit / 16 * 15 - taken) / request - 1) << "all that is for what is new";
  EXPECT_TRUE(budget.take(400, request, running, t0)) << "and the rest for what runs";
  EXPECT_GE(requests * request, 5 * megabyte);
}

TEST_F(MemoryBudget, WhileAnotherCallerWaitsAQuarterIsAllThatACallerGets) {
  ASSERT_TRUE(takes(a, 40) && takes(b, 10));
  ASSERT_FALSE(takes(c, 6));
  budget.give_back(a, 30 * megabyte);
  EXPECT_TRUE(takes(a, 6));
  EXPECT_FALSE(takes(a, 1)) << "c waits";
  EXPECT_TRUE(takes(a, 1, arriving, t0 + 4s)) << "c has given up";
}

TEST_F(MemoryBudget, ACallerThatWasRefusedItselfIsNoRivalOfItsOwn) {
  ASSERT_TRUE(takes(a, 40));
  ASSERT_FALSE(takes(a, 1));
  budget.give_back(a, 5 * megabyte);
  EXPECT_TRUE(takes(a, 5));
  EXPECT_FALSE(budget.must_yield(a, t0));
}

TEST_F(MemoryBudget, WhoHoldsMoreThanAQuarterMakesWayForOneThatWaits) {
  ASSERT_TRUE(takes(a, 40) && takes(b, 10));
  EXPECT_FALSE(budget.must_yield(a, t0));
  ASSERT_FALSE(takes(c, 6));
  EXPECT_TRUE(budget.must_yield(a, t0 + 1s));
  EXPECT_FALSE(budget.must_yield(b, t0 + 1s));
  EXPECT_FALSE(budget.must_yield(a, t0 + 4s));
}

TEST_F(MemoryBudget, TheRefusalsOfOneCallerDoNotHideThoseOfAnother) {
  ASSERT_TRUE(takes(a, 40) && takes(b, 10));
  ASSERT_FALSE(takes(c, 6));
  for (int times = 0; times < 10; ++times) ASSERT_FALSE(takes(a, 1));
  EXPECT_TRUE(budget.must_yield(a, t0));
}

TEST_F(MemoryBudget, AReloadMovesTheLimit) {
  ASSERT_TRUE(takes(a, 40));
  budget.set_limit(limit / 2);
  EXPECT_FALSE(takes(b, 2));
  budget.give_back(a, 40 * megabyte);
  EXPECT_TRUE(takes(b, 8));
}

TEST(MemoryAccounts, AreManyAndSalted) {
  std::vector<bool> seen(1024);
  const memory_budget one(limit, 1), other(limit, 2);
  int moved = 0;
  for (int index = 0; index < 1000; ++index) {
    const std::string name = "10.0.0." + std::to_string(index);
    seen.at(one.account_of(name)) = true;
    moved += one.account_of(name) != other.account_of(name);
  }
  EXPECT_GT(std::count(seen.begin(), seen.end(), true), 500);
  EXPECT_GT(moved, 900);
}

// Tests random sequences of operations. Every grant must follow the rules, a refused request must not take memory, and at the end all
// memory must have been returned.
TEST(MemoryHistory, NeverPassesTheLimitAndEndsAtZero) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    memory_budget budget(limit);
    std::array<std::vector<std::size_t>, 4> held;  // the grants that each of the callers 1 to 4 currently holds
    std::array<std::size_t, 4> sums{};
    std::array<instant, 4> refused_at{};
    instant now = t0;
    std::size_t all = 0;
    for (int step = 0; step < 2'000; ++step) {
      now += std::chrono::milliseconds(random() % 200);
      const std::size_t who = random() % 4;
      const auto account = static_cast<memory_budget::account>(who + 1);
      if (random() % 3 == 0 && !held[who].empty()) {
        budget.give_back(account, held[who].back());
        sums[who] -= held[who].back(), all -= held[who].back();
        held[who].pop_back();
      } else {
        const std::size_t bytes = 1 + random() % (8 * megabyte);
        const memory_use use = random() % 2 == 0 ? running : arriving;
        if (!budget.take(account, bytes, use, now)) {
          refused_at[who] = now;
        } else {
          held[who].push_back(bytes), sums[who] += bytes, all += bytes;
          ASSERT_LE(all, limit);
          if (sums[who] <= limit / 4) {
            ASSERT_LE(all + sums[who], limit / 16 * (use == running ? 17 : 15));
          } else {
            ASSERT_LE(all, limit / 16 * (use == running ? 12 : 10));
            std::size_t last = who;  // the caller that was refused most recently, not counting `who`
            for (std::size_t other = 0; other < 4; ++other)
              if (other != who && (last == who || refused_at[other] > refused_at[last])) last = other;
            ASSERT_GT(now - refused_at[last], 3s - 1ms);
          }
        }
      }
      ASSERT_EQ(budget.used(), all);
    }
    for (std::size_t who = 0; who < 4; ++who)
      for (const std::size_t bytes : held[who]) budget.give_back(static_cast<memory_budget::account>(who + 1), bytes);
    EXPECT_EQ(budget.used(), 0u);
    for (memory_budget::account who = 1; who <= 4; ++who) EXPECT_FALSE(budget.must_yield(who, now));
  }
}

class MemoryShare : public testing::Test {
 protected:
  memory_share share() { return {budget, a, clock}; }
  tests::manual_alarms clock;
  memory_budget budget{limit};
};

TEST_F(MemoryShare, TakesInStepsAndGivesAllBack) {
  {
    memory_share mine = share();
    EXPECT_TRUE(mine.grow_to(memory_share::uncounted, arriving));
    EXPECT_EQ(budget.used(), 0u);
    EXPECT_TRUE(mine.grow_to(3 * memory_share::step + 1, arriving));
    EXPECT_EQ(budget.used(), 4 * memory_share::step);
    EXPECT_TRUE(mine.grow_to(2 * memory_share::step, arriving));
    EXPECT_EQ(budget.used(), 4 * memory_share::step);
    mine.shrink_to(memory_share::step);
    EXPECT_EQ(budget.used(), memory_share::step);
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST_F(MemoryShare, ARefusalLeavesWhatIsHeld) {
  memory_share mine = share();
  ASSERT_TRUE(mine.grow_to(megabyte, arriving));
  EXPECT_FALSE(mine.grow_to(SIZE_MAX, arriving));
  mine.shrink_to(SIZE_MAX);
  EXPECT_EQ(mine.held(), megabyte);
  EXPECT_EQ(budget.used(), megabyte);
}

TEST_F(MemoryShare, MovesWithItsBuffer) {
  memory_share first = share(), second = share();
  ASSERT_TRUE(first.grow_to(megabyte, arriving) && second.grow_to(2 * megabyte, arriving));
  second = std::move(first);
  EXPECT_EQ(budget.used(), megabyte);
  const memory_share third(std::move(second));
  EXPECT_EQ(third.held(), megabyte);
  EXPECT_EQ(budget.used(), megabyte);
}

TEST_F(MemoryShare, IsAnothersOnceItIsKnownWhoCalls) {
  memory_share mine = share();
  ASSERT_TRUE(mine.grow_to(40 * megabyte, arriving));
  mine.charge(b);
  ASSERT_FALSE(budget.take(c, limit, arriving, clock.now()));
  EXPECT_TRUE(budget.must_yield(b, clock.now()));
  EXPECT_FALSE(budget.must_yield(a, clock.now()));
}

TEST_F(MemoryShare, WithoutABudgetIsNeverRefused) {
  memory_share none;
  EXPECT_TRUE(none.grow_to(SIZE_MAX, arriving));
  EXPECT_FALSE(none.must_yield());
}

}  // namespace
}  // namespace photofinish::proxy
