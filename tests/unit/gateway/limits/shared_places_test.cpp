#include "gateway/limits/shared_places.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr proxy::instant start{std::chrono::hours(100)};

TEST(SharedPlaces, WithoutPermitsNobodyEnters) {
  shared_places places;
  EXPECT_FALSE(places.enter(10, true));
  EXPECT_TRUE(places.enter(10, false)) << "unless it needs none";
  EXPECT_EQ(places.running(), 1u);
}

TEST(SharedPlaces, WhatRunsAndWhatWaitsIsAskedFor) {
  shared_places places;
  places.want(10);
  places.want(10);
  EXPECT_EQ(places.collect(3), 2u) << "and nothing spare of a small number";
  places.answered(2, 2, start);
  EXPECT_TRUE(places.enter(10, true));
  EXPECT_TRUE(places.enter(10, true));
  EXPECT_FALSE(places.enter(10, true));
  places.want(10);
  EXPECT_EQ(places.collect(3), 3u);
}

TEST(SharedPlaces, OfALargeNumberAFewAreSpare) {
  shared_places places;
  places.want(120);
  EXPECT_EQ(places.collect(3), 11u);
}

TEST(SharedPlaces, APermitThatIsUsedIsNotGivenBack) {
  shared_places places;
  places.want(10);
  (void)places.collect(1);
  places.answered(1, 3, start);
  ASSERT_TRUE(places.enter(10, true));
  EXPECT_EQ(places.collect(3), 1u);
  EXPECT_EQ(places.permits(), 1u) << "from now on: the store may give the others away";
  EXPECT_FALSE(places.enter(10, true));
  places.leave();
  EXPECT_EQ(places.collect(3), 0u);
}

TEST(SharedPlaces, ARefusalIsKeptForAMoment) {
  shared_places places;
  places.want(10);
  places.answered(places.collect(3), 0, start);
  EXPECT_TRUE(places.is_refused(start + 99ms));
  EXPECT_FALSE(places.is_refused(start + 100ms));
}

TEST(SharedPlaces, ALieIsBoundedByTheLimit) {
  shared_places places;
  places.answered(1, UINT64_MAX, start);
  for (int each = 0; each < 10; ++each) EXPECT_TRUE(places.enter(10, true));
  EXPECT_FALSE(places.enter(10, true));
}

}  // namespace
}  // namespace photofinish::gateway
