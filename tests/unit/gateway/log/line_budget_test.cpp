// Tests the limit on the number of log lines per second for events that any client can cause.
#include "gateway/log/line_budget.hpp"

#include "tests/support/manual_alarms.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

struct LineBudget : ::testing::Test {
  std::size_t take(std::size_t count) {
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count; ++i) taken += budget->take() ? 1 : 0;
    return taken;
  }

  tests::manual_alarms clock;
  std::vector<std::size_t> left_out;
  std::optional<line_budget> budget{std::in_place, clock, [this](std::size_t count) { left_out.push_back(count); }, 5u};
};

TEST_F(LineBudget, LetsSoManyThroughInASecondAndSaysAtItsEndHowManyItLeftOut) {
  EXPECT_EQ(take(12), 5u);
  clock.advance(999ms);
  EXPECT_EQ(take(1), 0u);
  EXPECT_TRUE(left_out.empty());
  clock.advance(1ms);
  EXPECT_EQ(left_out, std::vector<std::size_t>{8});
  EXPECT_EQ(take(6), 5u);
  clock.advance(1s);
  EXPECT_EQ(left_out, (std::vector<std::size_t>{8, 1}));
}

TEST_F(LineBudget, SaysNothingAndSetsNoAlarmWhereAllFoundRoom) {
  EXPECT_EQ(take(5), 5u);
  EXPECT_FALSE(clock.has_alarm());
  clock.advance(10s);
  EXPECT_EQ(take(5), 5u);
  EXPECT_TRUE(left_out.empty());
}

TEST_F(LineBudget, SaysAtItsEndWhatItHasNotSaid) {
  take(7);
  budget.reset();
  EXPECT_EQ(left_out, std::vector<std::size_t>{2});
}

}  // namespace
}  // namespace photofinish::gateway
