// Tests the usage totals of sessions and projects. There is one total for each caller and each name of a session or project. The number of
// totals is bounded.
#include "gateway/housekeeping/stores/running_totals.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::sys_time<std::chrono::milliseconds> first_use{1'795'651'200'000ms};
constexpr used_amounts one_use{.requests = 1, .input_tokens = 10, .lost_nano_usd = 3};

std::uint64_t requests(running_totals& totals, racing::caller_id caller, const std::string& name) {
  return totals.add(caller, name, one_use, first_use).amounts.requests;
}

TEST(RunningTotals, AddUpByNameSinceItsFirst) {
  running_totals totals;
  totals.add(1, "a", one_use, first_use);
  totals.add(1, "b", one_use, first_use + 1s);
  const receipt_total sum = totals.add(1, "a", one_use, first_use + 2s);
  EXPECT_EQ(sum.since, first_use);
  EXPECT_EQ(sum.amounts.requests, 2u);
  EXPECT_EQ(sum.amounts.input_tokens, 20u);
  EXPECT_EQ(sum.amounts.lost_nano_usd, 6u);
  EXPECT_EQ(totals.size(), 2u);
}

TEST(RunningTotals, EqualNamesOfTwoCallersAreTwo) {
  running_totals totals;
  EXPECT_EQ(requests(totals, 1, "a"), 1u);
  EXPECT_EQ(requests(totals, 2, "a"), 1u);
  EXPECT_EQ(requests(totals, 1, "a"), 2u);
}

TEST(RunningTotals, ACallersOwnOldestMakesRoom) {
  running_totals totals({.most = 100, .most_of_one = 3});
  requests(totals, 2, "quiet");
  for (const char* name : {"a", "b", "c"}) requests(totals, 1, name);
  EXPECT_EQ(requests(totals, 1, "a"), 2u);  // now "b" is the least recently used name
  requests(totals, 1, "d");
  EXPECT_EQ(totals.size(), 4u);
  EXPECT_EQ(requests(totals, 1, "a"), 3u);
  EXPECT_EQ(requests(totals, 1, "b"), 1u) << "it begins anew";
  for (int each = 0; each < 1000; ++each) requests(totals, 1, "made-up-" + std::to_string(each));
  EXPECT_EQ(totals.size(), 4u);
  EXPECT_EQ(requests(totals, 2, "quiet"), 2u) << "no other caller pays for it";
}

TEST(RunningTotals, WhereAllAreTooManyTheQuietestCallerGivesUpItsOldest) {
  running_totals totals({.most = 4, .most_of_one = 3});
  requests(totals, 1, "a"), requests(totals, 1, "b");
  requests(totals, 2, "a"), requests(totals, 2, "b");
  requests(totals, 3, "a");
  EXPECT_EQ(totals.size(), 4u);
  EXPECT_EQ(requests(totals, 1, "b"), 2u);
  EXPECT_EQ(requests(totals, 3, "a"), 2u);
  for (racing::caller_id caller = 10; caller < 1000; ++caller) requests(totals, caller, "a");
  EXPECT_EQ(totals.size(), 4u);
  EXPECT_EQ(requests(totals, 999, "a"), 2u);
}

}  // namespace
}  // namespace photofinish::gateway
