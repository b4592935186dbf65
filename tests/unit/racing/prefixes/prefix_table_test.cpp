// Tests the table of cached prefixes. It stores which targets have cached each prefix. The tests cover look-ups, evictions from a full
// table, and the effect of a hostile caller.
#include "racing/prefixes/prefix_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace photofinish::racing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr prefix_seconds begin = 1'800'000'000;
constexpr prefix_holder here = 11, there = 12;

prefix_hash random_hash(std::mt19937_64& random) { return {random(), random()}; }

std::vector<prefix_boundary> chain_of(std::mt19937_64& random, std::size_t size, std::uint32_t tokens_each = 1'000) {
  std::vector<prefix_boundary> chain;
  for (std::uint32_t at = 1; at <= size; ++at) chain.push_back({random_hash(random), at * tokens_each});
  return chain;
}

prefix_entry entry_of(const prefix_boundary& prefix, prefix_holder holder, prefix_seconds used, prefix_caller caller = 1,
                      minutes life = minutes(5)) {
  return {prefix, holder, caller, used, life};
}

prefix_finding find(const prefix_table& table, const std::vector<prefix_boundary>& chain, prefix_holder asked,
                    prefix_seconds now) {
  std::array<prefix_finding, 1> findings;
  const std::array<prefix_holder, 1> holders{asked};
  table.find(chain, holders, now, findings);
  return findings[0];
}

class PrefixTable : public testing::Test {
 protected:
  std::mt19937_64 random{1};
  prefix_table table{4096};
  std::vector<prefix_boundary> chain = chain_of(random, 10);
};

TEST_F(PrefixTable, NothingIsWarmAtFirst) {
  EXPECT_FALSE(find(table, chain, here, begin).warm.is_found());
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(PrefixTable, FindsTheLongestPrefixOfEachHolder) {
  table.note(entry_of(chain[0], here, begin), begin);
  table.note(entry_of(chain[6], here, begin + 2), begin + 2);
  table.note(entry_of(chain[3], there, begin), begin);
  const std::array<prefix_holder, 3> asked{here, there, 99};
  std::array<prefix_finding, 3> findings;
  table.find(chain, asked, begin + 42, findings);
  EXPECT_EQ(findings[0].warm.tokens, 7'000u);
  EXPECT_EQ(findings[0].warm.age, seconds(40));
  EXPECT_EQ(findings[0].warm.life, minutes(5));
  EXPECT_EQ(findings[1].warm.tokens, 4'000u);
  EXPECT_FALSE(findings[2].warm.is_found());
}

TEST_F(PrefixTable, AnotherCredentialIsCold) {
  for (const prefix_boundary& each : chain) table.note(entry_of(each, here, begin), begin);
  EXPECT_FALSE(find(table, chain, there, begin).warm.is_found());
}

TEST_F(PrefixTable, ForksFindTheirBranch) {
  std::vector<prefix_boundary> other(chain.begin(), chain.begin() + 6);
  other.push_back({random_hash(random), 7'000});
  table.note(entry_of(chain[5], here, begin), begin);
  table.note(entry_of(chain[9], here, begin + 10), begin + 10);
  EXPECT_EQ(find(table, other, here, begin + 20).warm.tokens, 6'000u);
  EXPECT_EQ(find(table, chain, here, begin + 20).warm.tokens, 10'000u);
}

TEST_F(PrefixTable, LooksAtTheLast64BoundariesAndAtTheRoot) {
  const std::vector<prefix_boundary> longest = chain_of(random, 100);
  table.note(entry_of(longest[35], here, begin), begin);
  EXPECT_FALSE(find(table, longest, here, begin).warm.is_found());
  table.note(entry_of(longest[0], here, begin), begin);
  EXPECT_EQ(find(table, longest, here, begin).warm.tokens, 1'000u);
  table.note(entry_of(longest[36], here, begin), begin);
  EXPECT_EQ(find(table, longest, here, begin).warm.tokens, 37'000u);
}

TEST_F(PrefixTable, AnExpiredPrefixIsCold) {
  table.note(entry_of(chain[5], here, begin), begin);
  EXPECT_TRUE(find(table, chain, here, begin + 298).warm.is_found());
  const prefix_finding late = find(table, chain, here, begin + 300);
  EXPECT_FALSE(late.warm.is_found());
  EXPECT_EQ(late.expired.tokens, 6'000u);
  EXPECT_EQ(late.expired.age, minutes(5));
}

TEST_F(PrefixTable, AShorterPrefixMayBeWarmWhereTheLongerOneHasExpired) {
  table.note(entry_of(chain[5], here, begin), begin);
  table.note(entry_of(chain[0], here, begin + 300), begin + 300);
  const prefix_finding found = find(table, chain, here, begin + 310);
  EXPECT_EQ(found.warm.tokens, 1'000u);
  EXPECT_EQ(found.expired.tokens, 6'000u);
}

TEST_F(PrefixTable, AUseRenewsAnEntryAndALateReportDoesNot) {
  table.note(entry_of(chain[5], here, begin), begin);
  table.note(entry_of(chain[5], here, begin + 200), begin + 200);
  table.note(entry_of(chain[5], here, begin + 100), begin + 210);
  EXPECT_EQ(find(table, chain, here, begin + 400).warm.age, seconds(200));
}

TEST_F(PrefixTable, AUseWithAShortLifeRenewsALongOne) {
  table.note(entry_of(chain[5], here, begin, 1, hours(1)), begin);
  table.note(entry_of(chain[5], here, begin + 600, 1, minutes(5)), begin + 600);
  EXPECT_EQ(find(table, chain, here, begin + 4'000).warm.life, hours(1));
  table.note(entry_of(chain[5], here, begin + 9'000, 1, minutes(5)), begin + 9'000);  // the earlier entry's lifetime of one hour has ended
  EXPECT_EQ(find(table, chain, here, begin + 9'000).warm.life, minutes(5));
}

TEST_F(PrefixTable, LivesAreRoundedDownToAClass) {
  for (const auto& [given, kept] : {std::pair{minutes(1), minutes(1)}, {minutes(9), minutes(5)}, {minutes(30), minutes(30)},
                                    {minutes(24 * 60), minutes(24 * 60)}, {minutes(1'000'000), minutes(5 * 24 * 60)}}) {
    const prefix_boundary prefix{random_hash(random), 1'000};
    table.note(entry_of(prefix, here, begin, 1, given), begin);
    EXPECT_EQ(find(table, {prefix}, here, begin).warm.life, kept);
  }
}

TEST_F(PrefixTable, TheLeastRecentlyUsedOfFourHoldersGoes) {
  for (prefix_holder each = 1; each <= 4; ++each) table.note(entry_of(chain[5], each, begin + 10 * each), begin + 100);
  table.note(entry_of(chain[5], 1, begin + 60), begin + 100);
  table.note(entry_of(chain[5], 5, begin + 100), begin + 100);
  EXPECT_FALSE(find(table, chain, 2, begin + 100).warm.is_found());
  for (const prefix_holder each : {1u, 3u, 4u, 5u}) EXPECT_TRUE(find(table, chain, each, begin + 100).warm.is_found());
  EXPECT_EQ(table.size(), 1u);
}

TEST_F(PrefixTable, WhatCannotBeInACacheIsNotStored) {
  table.note(entry_of({chain[5].hash, 0}, here, begin), begin);
  table.note(entry_of(chain[5], 0, begin), begin);
  table.note(entry_of(chain[5], here, begin, 1, minutes(0)), begin);
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(PrefixTable, AClockThatGoesBackMakesNoAge) {
  table.note(entry_of(chain[5], here, begin), begin);
  EXPECT_EQ(find(table, chain, here, begin - 100).warm.age, seconds(0));
  table.note(entry_of(chain[6], here, begin + 1'000), begin);  // this use is dated in the future, so it counts as a use at the present time
  EXPECT_EQ(find(table, chain, here, begin + 100).warm.age, seconds(100));
}

TEST(PrefixTableSizes, ATableWithoutSlotsRemembersNothing) {
  std::mt19937_64 random(1);
  const auto chain = chain_of(random, 3);
  prefix_table none(0);
  none.note(entry_of(chain[1], here, begin), begin);
  EXPECT_FALSE(find(none, chain, here, begin).warm.is_found());
  EXPECT_EQ(none.capacity(), 0u);
  none.clear();
  EXPECT_TRUE(none.entries(begin).empty());
  EXPECT_EQ(prefix_table(5).capacity(), 8u);
}

TEST(PrefixTableSizes, TheOldestGoesWhenASetIsFull) {
  std::mt19937_64 random(1);
  prefix_table small(4);  // a table that has only one set of slots
  const auto chain = chain_of(random, 6);
  for (const prefix_seconds at : {2u, 1u, 3u, 4u}) small.note(entry_of(chain[at], here, begin + 2 * at), begin + 10);
  small.note(entry_of(chain[5], here, begin + 10), begin + 10);
  const auto is_kept = [&](std::size_t at) {
    return find(small, {chain[0], chain[at]}, here, begin + 10).warm.is_found();
  };
  EXPECT_FALSE(is_kept(1));
  for (const std::size_t at : {2u, 3u, 4u, 5u}) EXPECT_TRUE(is_kept(at));
  EXPECT_EQ(small.size(), 4u);
  EXPECT_EQ(small.dropped(), 0u);
}

TEST(PrefixTableSizes, AnExpiredSlotGoesBeforeAnOlderOne) {
  std::mt19937_64 random(1);
  prefix_table small(4);
  const auto chain = chain_of(random, 6);
  for (const std::size_t at : {1u, 2u, 3u}) small.note(entry_of(chain[at], here, begin, 1, hours(1)), begin);
  small.note(entry_of(chain[4], here, begin + 60), begin + 60);
  small.note(entry_of(chain[5], here, begin + 600), begin + 600);
  for (const std::size_t at : {1u, 2u, 3u, 5u})
    EXPECT_TRUE(find(small, {chain[0], chain[at]}, here, begin + 600).warm.is_found());
}

// One caller continues its conversations while another, hostile caller sends random prefixes.
class PrefixFlood : public testing::Test {
 protected:
  static constexpr prefix_caller victim = 1, hostile = 2;

  void flood(std::size_t entries, prefix_seconds now, prefix_table::source from = prefix_table::source::here) {
    for (std::size_t each = 0; each < entries; ++each)
      table.note({{random_hash(random), 5'000}, there, hostile, now, hours(1)}, now, from);
  }
  void fill(std::size_t entries, prefix_seconds now) {
    for (std::size_t each = 0; each < entries; ++each) {
      kept.push_back({random_hash(random), 5'000});
      table.note(entry_of(kept.back(), here, now, victim, hours(1)), now);
    }
  }
  std::size_t warm_at(prefix_seconds now) {
    return static_cast<std::size_t>(std::count_if(kept.begin(), kept.end(), [&](const prefix_boundary& each) {
      return find(table, {each}, here, now).warm.is_found();
    }));
  }

  std::mt19937_64 random{7};
  prefix_table table{4096};
  std::vector<prefix_boundary> kept;
};

TEST_F(PrefixFlood, TakesNothingOfACallerWhoHoldsLess) {
  flood(20'000, begin);
  fill(200, begin + 10);
  ASSERT_EQ(warm_at(begin + 10), 200u);
  for (prefix_seconds second = 20; second < 120; second += 20) flood(20'000, begin + second);
  EXPECT_EQ(warm_at(begin + 120), 200u);
}

TEST_F(PrefixFlood, TakesAtMostAnEqualShareOfAFullTable) {
  fill(100'000, begin);
  const std::size_t before = warm_at(begin);
  ASSERT_EQ(before, table.capacity());
  for (prefix_seconds second = 1; second < 100; ++second) flood(2'000, begin + second);
  EXPECT_GE(warm_at(begin + 100), before / 2 - 1);
  EXPECT_LE(table.held_by(hostile), before / 2 + 1);
  EXPECT_EQ(table.held_by(hostile) + table.held_by(victim), table.capacity());
}

TEST_F(PrefixFlood, ConversationsThatGoOnStayWarm) {
  flood(20'000, begin);
  std::size_t turns = 0, warm = 0;
  std::vector<std::vector<prefix_boundary>> conversations;
  for (int each = 0; each < 50; ++each) conversations.push_back(chain_of(random, 2));
  for (prefix_seconds second = 10; second < 1'000; second += 40) {
    for (auto& conversation : conversations) {
      turns += conversation.size() > 2;
      warm += conversation.size() > 2 && find(table, conversation, here, begin + second).warm.is_found();
      table.note(entry_of(conversation.back(), here, begin + second, victim), begin + second);
      conversation.push_back({random_hash(random), conversation.back().tokens + 1'000});
    }
    flood(5'000, begin + second + 20);
  }
  EXPECT_EQ(warm, turns);
  EXPECT_GT(turns, 1'000u);
}

TEST_F(PrefixFlood, ThroughAReplicaTakesNoSlotThatWasWrittenHere) {
  fill(100'000, begin);
  flood(50'000, begin + 1, prefix_table::source::replica);
  EXPECT_EQ(warm_at(begin + 1), table.capacity());
  EXPECT_EQ(table.held_by(hostile), 0u);
  EXPECT_EQ(table.dropped(), 50'000u);
}

TEST_F(PrefixFlood, AReplicasSlotThatIsUsedHereIsWrittenHere) {
  kept.push_back({random_hash(random), 5'000});
  const prefix_entry entry = entry_of(kept[0], here, begin, victim, hours(1));
  table.note(entry, begin, prefix_table::source::replica);
  EXPECT_EQ(warm_at(begin), 1u);
  table.note(entry, begin);
  flood(100'000, begin, prefix_table::source::replica);
  EXPECT_EQ(warm_at(begin), 1u);
  EXPECT_EQ(table.held_by(victim), 1u);
}

TEST_F(PrefixTable, EntriesMakeAnEqualTable) {
  for (const prefix_boundary& each : chain) table.note(entry_of(each, here, begin + 20, 3, hours(1)), begin + 20);
  table.note(entry_of(chain[4], there, begin + 40, 3), begin + 40);
  table.note(entry_of({random_hash(random), 1'000}, there, begin, 3, minutes(1)), begin);
  const auto all = table.entries(begin + 100);
  EXPECT_EQ(all.size(), 11u);  // the table returns all entries except the expired entry
  prefix_table other(8192);
  for (const prefix_entry& each : all) other.note(each, begin + 100);
  for (const prefix_holder each : {here, there}) {
    const prefix_finding found = find(other, chain, each, begin + 100), before = find(table, chain, each, begin + 100);
    EXPECT_EQ(found.warm.tokens, before.warm.tokens);
    EXPECT_EQ(found.warm.age, before.warm.age);
    EXPECT_EQ(found.warm.life, before.warm.life);
  }
}

TEST_F(PrefixTable, AClearedTableIsEmpty) {
  for (const prefix_boundary& each : chain) table.note(entry_of(each, here, begin, 3), begin);
  table.clear();
  EXPECT_FALSE(find(table, chain, here, begin).warm.is_found());
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.held_by(3), 0u);
  table.note(entry_of(chain[2], here, begin), begin);
  EXPECT_EQ(find(table, chain, here, begin).warm.tokens, 3'000u);
}

// Each prefix has its own number of tokens and its own set of targets. All threads write prefixes into a table that is much too small for
// all of them.
TEST(PrefixTableThreads, NeverGiveAMixtureOfTwoEntries) {
  prefix_table table(16);
  std::atomic<bool> is_over = false;
  std::atomic<std::size_t> wrong = 0, found = 0;
  const auto hash_of = [](std::uint64_t number) { return prefix_hash{number * 0x9e3779b97f4a7c15, ~number}; };
  const auto tokens_of = [](std::uint64_t number) { return static_cast<std::uint32_t>(64 * (number + 1)); };
  const auto work = [&](unsigned seed) {
    std::mt19937_64 random(seed);
    for (int turn = 0; turn < 100'000; ++turn) {
      const std::uint64_t number = random() % 64 + 1;
      const auto holder = static_cast<prefix_holder>(number * 8 + random() % 6);
      table.note({{hash_of(number), tokens_of(number)}, holder, static_cast<prefix_caller>(seed), begin, minutes(5)}, begin);
    }
    is_over = true;
  };
  const auto watch = [&] {
    std::mt19937_64 random(9);
    while (!is_over) {
      const std::uint64_t number = random() % 64 + 1;
      std::array<prefix_holder, 12> asked;
      for (prefix_holder at = 0; at < 6; ++at) {
        asked[at] = static_cast<prefix_holder>(number * 8 + at);
        asked[at + 6] = static_cast<prefix_holder>((number + 1) * 8 + at);
      }
      std::array<prefix_finding, 12> findings;
      const std::array<prefix_boundary, 1> chain{{{hash_of(number), 0}}};
      table.find(chain, asked, begin, findings);
      for (std::size_t at = 0; at < 12; ++at) {
        if (!findings[at].warm.is_found()) continue;
        ++found;
        if (at >= 6 || findings[at].warm.tokens != tokens_of(number)) ++wrong;
      }
    }
  };
  std::thread first(work, 1), second(work, 2), reader(watch);
  first.join(), second.join(), reader.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(found, 0u);
  std::size_t held = 0;
  for (prefix_caller each = 1; each <= 2; ++each) held += table.held_by(each);
  EXPECT_EQ(held, table.size());
  EXPECT_LE(table.size(), table.capacity());
}

}  // namespace
}  // namespace photofinish::racing
