// Tests when the hedges and rescues of a race are due, in virtual time.
#include "racing/start_schedule.hpp"

#include <gtest/gtest.h>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr instant start_time{1h};

start_schedule schedule_begun() {
  start_schedule schedule;
  schedule.begin(start_time);
  schedule.note_start(start_time);
  return schedule;
}

race_plan adaptive_plan() {
  race_plan plan;
  plan.policy = race_policy::adaptive;
  plan.hedge_count = 1;
  plan.hedge_after = {200ms, 0ms};
  return plan;
}

TEST(StartSchedule, AHedgeIsDueAfterTheDelayOfThePolicyHedge) {
  race_plan plan;
  plan.policy = race_policy::hedge;
  plan.hedge_delay = 100ms;
  start_schedule schedule = schedule_begun();
  schedule.note_start(start_time + 1s);
  EXPECT_EQ(schedule.hedge_due(plan, 2), start_time + 1'100ms);
  EXPECT_EQ(schedule.rescue_due(plan), instant::max());
}

TEST(StartSchedule, OtherPoliciesHaveNeitherHedgeNorRescue) {
  race_plan plan;
  plan.rescue_after = 1s;
  const start_schedule schedule = schedule_begun();
  for (const race_policy policy : {race_policy::all, race_policy::fallback}) {
    plan.policy = policy;
    EXPECT_EQ(schedule.hedge_due(plan, 1), instant::max());
    EXPECT_EQ(schedule.rescue_due(plan), instant::max());
  }
}

TEST(StartSchedule, AnAdaptiveRaceHasItsPlannedHedgesOnly) {
  const start_schedule schedule = schedule_begun();
  race_plan plan = adaptive_plan();
  EXPECT_EQ(schedule.hedge_due(plan, 1), start_time + 200ms);
  EXPECT_EQ(schedule.hedge_due(plan, 2), instant::max());
  plan.at_once = 2;
  EXPECT_EQ(schedule.hedge_due(plan, 1), instant::max());
}

TEST(StartSchedule, NoHedgeIsDueBetweenAQuestionAndItsAnswer) {
  start_schedule schedule = schedule_begun();
  schedule.note_question();
  EXPECT_EQ(schedule.hedge_due(adaptive_plan(), 1), instant::max());
  EXPECT_TRUE(schedule.end_question());
  EXPECT_FALSE(schedule.end_question());
  EXPECT_EQ(schedule.hedge_due(adaptive_plan(), 1), start_time + 200ms);
}

TEST(StartSchedule, AHedgeThatWasNotGrantedIsDueAgainAfterAPause) {
  start_schedule schedule = schedule_begun();
  schedule.pause(start_time + 200ms);
  EXPECT_EQ(schedule.hedge_due(adaptive_plan(), 1), start_time + 200ms + start_schedule::asking_pause);
}

TEST(StartSchedule, ARescueIsDueAfterSilenceSinceTheLastStart) {
  race_plan plan = adaptive_plan();
  start_schedule schedule = schedule_begun();
  EXPECT_EQ(schedule.rescue_due(plan), instant::max());
  plan.rescue_after = 3s;
  schedule.note_start(start_time + 1s);
  EXPECT_EQ(schedule.rescue_due(plan), start_time + 4s);
}

}  // namespace
}  // namespace photofinish::racing
