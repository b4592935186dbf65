// Tests which steps of a race's attempts are reported to the speed forecast.
#include "gateway/attempts/step_reporter.hpp"

#include "gateway/housekeeping/housekeeper.hpp"
#include "racing/adaptive/forecast_keeper.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace photofinish::gateway {
namespace {

std::shared_ptr<const racing::forecast_board> board_of_two_targets() {
  racing::forecast_keeper speeds;
  speeds.adopt({{"r", {"a/m", "b/m"}, {0, 1}, 0.1, false}});
  return speeds.tick(racing::instant(std::chrono::hours{1}));
}

TEST(StepReporter, OnlyTargetsThatAreComparedAreLearned) {
  const auto board = board_of_two_targets();
  housekeeper keeper({}, {}, 1, [](const auto&) {});
  step_sender steps(keeper.speeds(), 0);
  step_reporter reporter(*board, "r", steps);
  reporter.begin("b/m", {.caller = 7, .in_flight = 3});
  reporter.begin("x/m", {.caller = 7});
  EXPECT_TRUE(reporter.is_learned(0));
  EXPECT_FALSE(reporter.is_learned(1));
  EXPECT_EQ(reporter.event(0).target, board->targets->at("b/m"));
  EXPECT_EQ(reporter.event(0).route, board->route("r")->number);
  EXPECT_EQ(reporter.event(0).in_flight, 3);
  EXPECT_NE(reporter.event(0).attempt, reporter.event(1).attempt);
}

TEST(StepReporter, AnAttemptIsSilentUntilItsSilenceEnds) {
  const auto board = board_of_two_targets();
  housekeeper keeper({}, {}, 1, [](const auto&) {});
  step_sender steps(keeper.speeds(), 0);
  step_reporter reporter(*board, "r", steps);
  reporter.begin("a/m", {});
  reporter.begin("b/m", {});
  reporter.end_silence(1);
  EXPECT_TRUE(reporter.is_silent(0));
  EXPECT_FALSE(reporter.is_silent(1));
}

}  // namespace
}  // namespace photofinish::gateway
