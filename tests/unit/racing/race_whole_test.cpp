// Answers in one piece in a race, in virtual time: other limits, the same rules.
#include "racing/race.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr instant t0{1h};

race_plan plan_of(race_policy policy, std::size_t targets) {
  race_plan plan;
  plan.policy = policy;
  plan.target_count = plan.max_attempts = targets;
  plan.hedge_delay = 100ms;
  plan.race_timeout = 10s;
  plan.first_token_timeout = 4s;
  plan.answer_timeout = 60s;
  return plan;
}

using commands = std::vector<race_command>;

template <class Command>
const Command* one(const commands& given) {
  for (const race_command& each : given)
    if (auto* found = std::get_if<Command>(&each)) return found;
  return nullptr;
}

TEST(WholeRace, IsNotEndedByTheLimitsOfAFirstToken) {
  race whole(plan_of(race_policy::all, 1));
  whole.on(race_begun{}, t0);
  const commands given = whole.on(whole_awaited{0}, t0);
  ASSERT_NE(one<wake_at>(given), nullptr);
  EXPECT_EQ(one<wake_at>(given)->when, t0 + 10s);
  EXPECT_EQ(one<cancel_attempt>(whole.on(alarm_struck{}, t0 + 4s)), nullptr);
  const commands late = whole.on(alarm_struck{}, t0 + 10s);
  EXPECT_EQ(one<cancel_attempt>(late), nullptr);
  ASSERT_NE(one<wake_at>(late), nullptr);
  EXPECT_EQ(one<wake_at>(late)->when, t0 + 60s);
  EXPECT_NE(one<name_winner>(whole.on(token_came{0}, t0 + 59s)), nullptr);
}

TEST(WholeRace, EndsAtItsAnswersLimit) {
  race whole(plan_of(race_policy::all, 1));
  whole.on(race_begun{}, t0);
  whole.on(whole_awaited{0}, t0);
  whole.on(alarm_struck{}, t0 + 10s);
  const commands given = whole.on(alarm_struck{}, t0 + 60s);
  ASSERT_NE(one<cancel_attempt>(given), nullptr);
  EXPECT_EQ(one<cancel_attempt>(given)->cause, cancel_cause::timed_out);
  ASSERT_NE(one<give_up>(given), nullptr);
  EXPECT_TRUE(whole.is_over());
}

TEST(WholeRace, IsHedgedAsASilentStreamIs) {
  race hedged(plan_of(race_policy::hedge, 2));
  hedged.on(race_begun{}, t0);
  hedged.on(whole_awaited{0}, t0);
  const commands given = hedged.on(alarm_struck{}, t0 + 100ms);
  ASSERT_NE(one<start_attempt>(given), nullptr);
  EXPECT_EQ(one<start_attempt>(given)->attempt, 1u);
}

TEST(WholeRace, SilentStreamsBesideItEndInTime) {
  race both(plan_of(race_policy::all, 2));
  both.on(race_begun{}, t0);
  both.on(whole_awaited{1}, t0);
  const commands given = both.on(alarm_struck{}, t0 + 4s);
  ASSERT_NE(one<cancel_attempt>(given), nullptr);
  EXPECT_EQ(one<cancel_attempt>(given)->attempt, 0u);
  EXPECT_EQ(one<give_up>(given), nullptr);
}

TEST(WholeRace, NothingMoreIsStartedBehindTheRacesLimit) {
  race plan(plan_of(race_policy::fallback, 2));
  plan.on(race_begun{}, t0);
  plan.on(whole_awaited{0}, t0);
  plan.on(alarm_struck{}, t0 + 10s);
  const commands given = plan.on(attempt_failed{0}, t0 + 20s);
  EXPECT_EQ(one<start_attempt>(given), nullptr);
  EXPECT_NE(one<give_up>(given), nullptr);
}

TEST(WholeRace, AnEmptyAnswerInHandIsNotKeptWaiting) {
  race both(plan_of(race_policy::all, 2));
  both.on(race_begun{}, t0);
  both.on(whole_awaited{1}, t0);
  both.on(answer_ended{0}, t0 + 1s);
  const commands given = both.on(alarm_struck{}, t0 + 10s);
  ASSERT_NE(one<name_winner>(given), nullptr);
  EXPECT_EQ(one<name_winner>(given)->attempt, 0u);
  ASSERT_NE(one<cancel_attempt>(given), nullptr);
  EXPECT_EQ(one<cancel_attempt>(given)->attempt, 1u);
}

TEST(WholeRace, AStreamThatWasNotExpectedHasTheLimitsOfAStream) {
  race late(plan_of(race_policy::all, 1));
  late.on(race_begun{}, t0);
  late.on(whole_awaited{0}, t0);
  late.on(whole_awaited{0, false}, t0 + 1s);
  const commands given = late.on(alarm_struck{}, t0 + 4s);
  ASSERT_NE(one<cancel_attempt>(given), nullptr);
  EXPECT_EQ(one<cancel_attempt>(given)->cause, cancel_cause::timed_out);
}

TEST(WholeRace, NothingIsStartedBehindTheAnswersLimit) {
  race_plan plan = plan_of(race_policy::fallback, 2);
  plan.race_timeout = 100s;
  race whole(plan);
  whole.on(race_begun{}, t0);
  whole.on(whole_awaited{0}, t0);
  const commands given = whole.on(alarm_struck{}, t0 + 60s);
  EXPECT_EQ(one<start_attempt>(given), nullptr);
  EXPECT_NE(one<give_up>(given), nullptr);
}

// The refusal of a stream comes while the attempt runs.
TEST(WholeRace, AnAttemptMayBecomeOneWhileItRuns) {
  race whole(plan_of(race_policy::all, 1));
  whole.on(race_begun{}, t0);
  whole.on(whole_awaited{0}, t0 + 4s);
  EXPECT_EQ(one<cancel_attempt>(whole.on(alarm_struck{}, t0 + 4s)), nullptr);
}

}  // namespace
}  // namespace photofinish::racing
