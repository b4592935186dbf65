// Tests how the records of several gateways are merged. Route advice is computed from these records.
#include "racing/advice/merged_records.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace photofinish::racing {
namespace {

target_minute target_at(std::int32_t minute, float level, std::uint16_t attempts, std::uint16_t failed) {
  target_minute made;
  made.minute = minute;
  made.level = level;
  made.attempts = attempts;
  made.failed = failed;
  return made;
}

TEST(MergedRecords, CountsAddUpAndALevelIsTheMeanByAttempts) {
  speed_records one, other;
  one.targets["a/m"].minutes = {target_at(10, 1, 30, 3), target_at(12, 1, 1, 0)};
  other.targets["a/m"].minutes = {target_at(9, 3, 2, 0), target_at(10, 3, 10, 1)};
  other.targets["b/m"].minutes = {target_at(10, 2, 1, 0)};
  merge(one, other);
  ASSERT_EQ(one.targets["a/m"].minutes.size(), 3u);
  EXPECT_EQ(one.targets["a/m"].minutes[0], target_at(9, 3, 2, 0));
  EXPECT_EQ(one.targets["a/m"].minutes[1], target_at(10, 1.5f, 40, 4));
  EXPECT_EQ(one.targets["a/m"].minutes[2], target_at(12, 1, 1, 0));
  EXPECT_EQ(one.targets["b/m"], other.targets["b/m"]);
}

TEST(MergedRecords, CountsDoNotWrap) {
  speed_records one, other;
  one.targets["a/m"].minutes = {target_at(10, 1, 60'000, 60'000)};
  other.targets["a/m"].minutes = {target_at(10, 1, 60'000, 60'000)};
  one.routes["r"].minutes = {route_minute{10, UINT32_MAX}};
  other.routes["r"].minutes = {route_minute{10, 5}};
  merge(one, other);
  EXPECT_EQ(one.targets["a/m"].minutes[0].attempts, UINT16_MAX);
  EXPECT_EQ(one.targets["a/m"].minutes[0].failed, UINT16_MAX);
  EXPECT_EQ(one.routes["r"].minutes[0].requests, UINT32_MAX);
}

TEST(MergedRecords, SlotsOfRoutesAddUp) {
  speed_records one, other;
  for (speed_records* each : {&one, &other}) {
    route_slot slot;
    slot.number = 7;
    slot.first_token.seen.add(0.5);
    slot.runs["a/m"] = {2, 1, 1, 100, 50};
    slot.conversations[prompt_cause::found] = {UINT32_MAX - 1, 3, 40};
    each->routes["r"].slots = {slot};
  }
  merge(one, other);
  ASSERT_EQ(one.routes["r"].slots.size(), 1u);
  EXPECT_EQ(one.routes["r"].slots[0].first_token.seen.count(), 2u);
  EXPECT_EQ(one.routes["r"].slots[0].runs["a/m"], (run_counts{4, 2, 2, 200, 100}));
  EXPECT_EQ(one.routes["r"].slots[0].conversations[prompt_cause::found], (prompt_sum{UINT32_MAX, 6, 80}));
}

TEST(MergedRecords, TheOldestHoursAreDroppedUntilTheRestFits) {
  speed_records records;
  for (std::int32_t minute = 0; minute < advice_minutes; ++minute)
    records.targets["a/m"].minutes.push_back(target_at(minute, 1, 1, 0));
  const std::size_t whole = records.memory_bytes();
  drop_until_fit(records, whole);
  EXPECT_GE(records.targets["a/m"].minutes.size(), static_cast<std::size_t>(advice_minutes) / 2);
  drop_until_fit(records, whole / 3);
  EXPECT_LE(records.memory_bytes(), whole / 3);
  EXPECT_EQ(records.newest(), advice_minutes - 1);
  drop_until_fit(records, 10);
  EXPECT_TRUE(records.targets.empty());
}

}  // namespace
}  // namespace photofinish::racing
