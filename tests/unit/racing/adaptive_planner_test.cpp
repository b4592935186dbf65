// Tests how a choice of targets is turned into a race plan.
#include "racing/adaptive_planner.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;
using targets = std::vector<std::size_t>;

const targets candidates{10, 11, 12};

adaptive_choice choice_of(std::initializer_list<std::uint8_t> order) {
  adaptive_choice made;
  for (const std::uint8_t each : order) made.order[made.count++] = each;
  return made;
}

TEST(AdaptivePlanner, AHedgeIsTheSecondTarget) {
  adaptive_choice choice = choice_of({2, 0, 1});
  choice.hedge_after = 0.25;
  planned_race planned;
  apply_choice(choice, candidates, {}, std::nullopt, planned);
  EXPECT_EQ(planned.chosen, (targets{12, 10, 11}));
  EXPECT_EQ(planned.plan.hedge_count, 1u);
  EXPECT_EQ(planned.plan.hedge_after[0], 250ms);
  EXPECT_EQ(planned.plan.at_once, 1u);
  EXPECT_EQ(planned.plan.rescue_after, 0ms);
}

TEST(AdaptivePlanner, AProbeRunsBesideTheFirstAndIsNotStartedTwice) {
  adaptive_choice choice = choice_of({0, 1, 2});
  choice.hedge_after = 0.25;
  choice.probe = std::uint8_t{1};
  planned_race planned;
  apply_choice(choice, candidates, {}, std::nullopt, planned);
  EXPECT_EQ(planned.chosen, (targets{10, 11, 12}));
  EXPECT_EQ(planned.plan.at_once, 2u);
  EXPECT_EQ(planned.plan.probe, 1u);
  EXPECT_EQ(planned.plan.hedge_count, 0u);
}

TEST(AdaptivePlanner, AProbeOfACoolingTargetIsPlannedThoughItIsNotInTheOrder) {
  adaptive_choice choice = choice_of({0, 2});
  choice.hedge_after = 0.25;
  choice.probe = std::uint8_t{1};
  planned_race planned;
  apply_choice(choice, candidates, {}, std::nullopt, planned);
  EXPECT_EQ(planned.chosen, (targets{10, 11, 12}));
  EXPECT_EQ(planned.plan.hedge_count, 1u);
}

TEST(AdaptivePlanner, ARescueGoesRoundAndKeepsToTheOperatorsAttempts) {
  adaptive_choice choice = choice_of({0, 1});
  choice.rescue_after = 2;
  planned_race planned;
  apply_choice(choice, candidates, {}, std::nullopt, planned);
  EXPECT_EQ(planned.chosen, (targets{10, 11, 10, 11}));
  EXPECT_EQ(planned.plan.rescue_only_from, 2u);
  EXPECT_EQ(planned.plan.max_attempts, 4u);
  apply_choice(choice, candidates, {}, std::size_t{2}, planned);
  EXPECT_EQ(planned.plan.max_attempts, 2u);
}

TEST(AdaptivePlanner, WhoIsNotComparedRunsBehindAllOthersAndInOneRoundAlone) {
  adaptive_choice choice = choice_of({1, 0});
  choice.rescue_after = 2;
  planned_race planned;
  apply_choice(choice, candidates, targets{20, 21}, std::nullopt, planned);
  EXPECT_EQ(planned.chosen, (targets{11, 10, 20, 21, 11, 10}));
  EXPECT_EQ(planned.plan.rescue_only_from, 4u);
}

TEST(AdaptivePlanner, WhereOneAttemptMayRunThereIsNoHedgeAndNoProbe) {
  adaptive_choice choice = choice_of({0, 1});
  choice.hedge_after = 0;
  choice.probe = std::uint8_t{1};
  planned_race planned;
  planned.plan.max_parallel = 1;
  apply_choice(choice, candidates, {}, std::nullopt, planned);
  EXPECT_EQ(planned.chosen, (targets{10, 11}));
  EXPECT_EQ(planned.plan.at_once, 1u);
  EXPECT_EQ(planned.plan.hedge_count, 0u);
}

TEST(AdaptivePlanner, ATwinTakesNoPlaceOfAnotherTarget) {
  adaptive_choice choice = choice_of({2, 0, 1});
  choice.hedge_after = 0.25;
  choice.is_hedge_twin = true;
  choice.rescue_after = 3;
  choice.finishes_prefill = 0b011;  // rows 0 and 1
  planned_race planned;
  apply_choice(choice, candidates, {}, std::nullopt, planned);
  EXPECT_EQ(planned.chosen, (targets{12, 10, 11, 12, 10, 11}));
  EXPECT_TRUE(planned.plan.is_hedge_twin);
  EXPECT_FALSE(planned.plan.is_rescue_twin);
  EXPECT_EQ(planned.plan.hedge_count, 1u);
  EXPECT_EQ(planned.plan.hedge_after[0], 250ms);
  EXPECT_EQ(planned.plan.max_attempts, 7u);
  EXPECT_EQ(planned.plan.finishes_prefill, 0b110110u);
}

TEST(AdaptivePlanner, OneAttemptAtATimeHasNoTwin) {
  adaptive_choice choice = choice_of({0, 1});
  choice.hedge_after = 0.25;
  choice.is_hedge_twin = true;
  planned_race planned;
  planned.plan.max_parallel = 1;
  apply_choice(choice, candidates, {}, std::nullopt, planned);
  EXPECT_FALSE(planned.plan.is_hedge_twin);
  EXPECT_EQ(planned.plan.hedge_count, 0u);
}

}  // namespace
}  // namespace photofinish::racing
