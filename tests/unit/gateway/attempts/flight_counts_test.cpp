#include "gateway/attempts/flight_counts.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace photofinish::gateway {
namespace {

TEST(FlightPlace, IsCountedUntilItGoes) {
  flight_count count = 0;
  {
    const flight_place first(count), second(count);
    EXPECT_EQ(first.number(), 1u);
    EXPECT_EQ(second.number(), 2u);
    EXPECT_EQ(count, 2u);
  }
  EXPECT_EQ(count, 0u);
}

TEST(FlightPlace, IsCountedOnceWhereverItMoves) {
  flight_count count = 0;
  std::optional<flight_place> last;
  {
    flight_place first(count);
    last.emplace(std::move(first));
  }
  EXPECT_EQ(count, 1u);
  last.reset();
  EXPECT_EQ(count, 0u);
}

TEST(FlightPlace, IsRefusedWhereMostAreTakenAndFreeAgainLater) {
  flight_count count = 0;
  std::optional<flight_place> only = take_place(count, 1);
  ASSERT_TRUE(only);
  EXPECT_FALSE(take_place(count, 1));
  EXPECT_EQ(count, 1u) << "a refusal counts nothing";
  only.reset();
  EXPECT_TRUE(take_place(count, 1));
  EXPECT_EQ(count, 0u);
  EXPECT_FALSE(take_place(count, 0));
}

}  // namespace
}  // namespace photofinish::gateway
