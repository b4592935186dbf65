// Tests the races on the live page: which parts of a race are kept, and for how long.
#include "gateway/page/live_races.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

race_receipt running(const std::string& id) {
  race_receipt made;
  made.id = id;
  made.request.route = "fast";
  made.at = std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(50'400));
  made.age = 0.4;
  made.attempts = {{.target = "groq/m", .is_running = true}};
  return made;
}

race_receipt ended(const std::string& id) {
  race_receipt made = running(id);
  made.attempts[0] = {.target = "groq/m", .ended = 0.3, .end = racing::attempt_end::won, .first_token = 0.3, .usd = 0.002};
  made.winner = 0;
  made.answer = receipt_answer{200, "ok", 1.25, 80, 84.2};
  return made;
}

void put(live_races& races, race_receipt race) { races.put(std::make_shared<const race_receipt>(std::move(race))); }
json since(const live_races& races, std::uint64_t sequence) {
  return json::parse("[" + races.changed_since(sequence) + "]");
}

TEST(LiveRaces, ARaceIsShownFromTheTickBehindItsStep) {
  live_races races;
  put(races, running("race_1"));
  EXPECT_TRUE(since(races, 0).empty());
  races.tick();
  const json shown = since(races, 0);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].at("id"), "race_1");
  EXPECT_EQ(shown[0].at("begun_ms"), 50'000);
  EXPECT_EQ(shown[0].at("attempts")[0].at("end"), "running");
  EXPECT_FALSE(shown[0].contains("answer"));
}

TEST(LiveRaces, WhoHasSeenATickGetsWhatHasChangedSince) {
  live_races races;
  put(races, running("race_1"));
  put(races, running("race_2"));
  races.tick();
  const std::uint64_t seen = races.sequence();
  put(races, ended("race_2"));
  races.tick();
  const json shown = since(races, seen);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].at("id"), "race_2");
  EXPECT_EQ(shown[0].at("winner"), 0);
  EXPECT_EQ(shown[0].at("answer").at("output_tokens"), 80);
  EXPECT_EQ(shown[0].at("cost_usd").at("winner"), 0.002);
  EXPECT_EQ(since(races, 0).size(), 2u);
}

TEST(LiveRaces, AReceiptOfARaceThatWasNotShownIsPassedOver) {
  live_races races;
  put(races, ended("race_1"));
  races.tick();
  EXPECT_EQ(races.size(), 0u);
}

TEST(LiveRaces, WhatIsOverGoesAndWhatRunsStays) {
  live_races races;
  put(races, running("race_1"));
  put(races, running("race_2"));
  put(races, ended("race_1"));
  races.tick();
  for (std::uint64_t tick = 0; tick < live_races::kept_ticks; ++tick) races.tick();
  EXPECT_EQ(races.size(), 2u);
  races.tick();
  EXPECT_EQ(races.size(), 1u);
  EXPECT_EQ(since(races, 0)[0].at("id"), "race_2");
}

TEST(LiveRaces, AnEndIsNotTakenBack) {
  live_races races;
  put(races, running("race_1"));
  put(races, ended("race_1"));
  put(races, running("race_1"));
  races.tick();
  EXPECT_TRUE(since(races, 0)[0].contains("answer"));
}

TEST(LiveRaces, AFloodOfRacesThatNeverEndHoldsNoMoreThanTheBounds) {
  live_races races;
  for (std::size_t number = 0; number < 5 * live_races::most; ++number) {
    race_receipt one = running("race_" + std::to_string(number));
    one.attempts.resize(8, {.target = std::string(256, 'x')});
    put(races, std::move(one));
    if (number % 50 == 0) races.tick();
    ASSERT_LE(races.size(), live_races::most);
  }
  races.tick();
  EXPECT_LE(races.bytes(), live_races::most_bytes);
  EXPECT_GT(races.size(), 10u);
  races.clear();
  EXPECT_EQ(races.bytes(), 0u);
  EXPECT_EQ(races.changed_since(0), "");
}

}  // namespace
}  // namespace photofinish::gateway
