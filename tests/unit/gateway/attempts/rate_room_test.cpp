#include "gateway/attempts/rate_room.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t unknown = proxy::rate_headroom::unknown;
const proxy::instant t0{1h};

TEST(RateRoom, NothingIsFullBeforeAProviderHasSaidSo) {
  rate_room room;
  for (int i = 0; i < 100; ++i) room.started(1'000'000);
  EXPECT_FALSE(room.is_full(1, t0));
}

TEST(RateRoom, WhatWasStartedSinceCountsUntilTheReset) {
  rate_room room;
  const auto first = room.started(10);
  (void)room.started(10);  // this attempt starts later, so the provider's report for the first attempt does not include it
  room.note({3, unknown, 60'000, 0}, first, t0);
  EXPECT_FALSE(room.is_full(1, t0));
  (void)room.started(10);
  EXPECT_FALSE(room.is_full(1, t0));
  (void)room.started(10);
  EXPECT_TRUE(room.is_full(1, t0));
  EXPECT_TRUE(room.is_full(1, t0 + 59s));
  EXPECT_FALSE(room.is_full(1, t0 + 60s)) << "it is refilled";
}

TEST(RateRoom, TokensCountAsRequestsDo) {
  rate_room room;
  const auto first = room.started(1'000);
  room.note({unknown, 500, 0, 1'000}, first, t0);
  EXPECT_FALSE(room.is_full(1, t0));
  (void)room.started(499);
  EXPECT_FALSE(room.is_full(1, t0));
  (void)room.started(1);
  EXPECT_TRUE(room.is_full(1, t0));
  room.note({unknown, 0, 0, 0}, first, t0 + 2s);
  EXPECT_TRUE(room.is_full(1, t0 + 11s)) << "without a reset, for ten seconds";
  EXPECT_FALSE(room.is_full(1, t0 + 12s));
}

TEST(RateRoom, APromptThatIsLongerThanWhatIsLeftDoesNotFitWhereAShortOneDoes) {
  rate_room room;
  const auto first = room.started(1'000);
  room.note({100, 5'000, 60'000, 60'000}, first, t0);
  EXPECT_FALSE(room.is_full(5'000, t0));
  EXPECT_TRUE(room.is_full(5'001, t0));
  (void)room.started(3'000);
  EXPECT_FALSE(room.is_full(2'000, t0));
  EXPECT_TRUE(room.is_full(2'001, t0));
  EXPECT_TRUE(room.is_full(UINT64_MAX, t0)) << "nothing overflows";
  EXPECT_FALSE(room.is_full(5'001, t0 + 60s)) << "it is refilled";
}

TEST(RateRooms, AreOneForEachKeyAtATargetAndBounded) {
  rate_rooms shared;
  worker_rooms one(shared), other(shared);
  EXPECT_EQ(one.of("a/m"), other.of("a/m"));
  EXPECT_NE(one.of("a/m"), one.of("a/m#1"));
  for (int i = 0; i < 20'000; ++i) (void)one.of("a/m#" + std::to_string(i));
  EXPECT_EQ(one.of("z"), one.of("z"));
}

}  // namespace
}  // namespace photofinish::gateway
