// Tests races for non-streamed answers, in virtual time. These races have other time limits than races for streams, but the same rules.
#include "racing/race.hpp"

#include <gtest/gtest.h>

#include <cstddef>
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

// Returns a race that has begun. One of its attempts requests a non-streamed answer.
race begun(const race_plan& plan, std::size_t whole = 0) {
  race made(plan);
  made.on(race_begun{}, t0);
  made.on(whole_awaited{whole}, t0);
  return made;
}
race begun(race_policy policy, std::size_t targets, std::size_t whole = 0) { return begun(plan_of(policy, targets), whole); }

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
  race whole = begun(race_policy::all, 1);
  whole.on(alarm_struck{}, t0 + 10s);
  const commands given = whole.on(alarm_struck{}, t0 + 60s);
  ASSERT_NE(one<cancel_attempt>(given), nullptr);
  EXPECT_EQ(one<cancel_attempt>(given)->cause, cancel_cause::timed_out);
  ASSERT_NE(one<give_up>(given), nullptr);
  EXPECT_TRUE(whole.is_over());
}

TEST(WholeRace, IsHedgedAsASilentStreamIs) {
  race hedged = begun(race_policy::hedge, 2);
  const commands given = hedged.on(alarm_struck{}, t0 + 100ms);
  ASSERT_NE(one<start_attempt>(given), nullptr);
  EXPECT_EQ(one<start_attempt>(given)->attempt, 1u);
}

TEST(WholeRace, SilentStreamsBesideItEndInTime) {
  race both = begun(race_policy::all, 2, 1);
  const commands given = both.on(alarm_struck{}, t0 + 4s);
  ASSERT_NE(one<cancel_attempt>(given), nullptr);
  EXPECT_EQ(one<cancel_attempt>(given)->attempt, 0u);
  EXPECT_EQ(one<give_up>(given), nullptr);
}

TEST(WholeRace, NothingMoreIsStartedBehindTheRacesLimit) {
  race plan = begun(race_policy::fallback, 2);
  plan.on(alarm_struck{}, t0 + 10s);
  const commands given = plan.on(attempt_failed{0}, t0 + 20s);
  EXPECT_EQ(one<start_attempt>(given), nullptr);
  EXPECT_NE(one<give_up>(given), nullptr);
}

TEST(WholeRace, AnEmptyAnswerInHandIsNotKeptWaiting) {
  race both = begun(race_policy::all, 2, 1);
  both.on(answer_ended{0}, t0 + 1s);
  const commands given = both.on(alarm_struck{}, t0 + 10s);
  ASSERT_NE(one<name_winner>(given), nullptr);
  EXPECT_EQ(one<name_winner>(given)->attempt, 0u);
  ASSERT_NE(one<cancel_attempt>(given), nullptr);
  EXPECT_EQ(one<cancel_attempt>(given)->attempt, 1u);
}

TEST(WholeRace, AStreamThatWasNotExpectedHasTheLimitsOfAStream) {
  race late = begun(race_policy::all, 1);
  late.on(whole_awaited{0, false}, t0 + 1s);
  const commands given = late.on(alarm_struck{}, t0 + 4s);
  ASSERT_NE(one<cancel_attempt>(given), nullptr);
  EXPECT_EQ(one<cancel_attempt>(given)->cause, cancel_cause::timed_out);
}

TEST(WholeRace, NothingIsStartedBehindTheAnswersLimit) {
  race_plan plan = plan_of(race_policy::fallback, 2);
  plan.race_timeout = 100s;
  race whole = begun(plan);
  const commands given = whole.on(alarm_struck{}, t0 + 60s);
  EXPECT_EQ(one<start_attempt>(given), nullptr);
  EXPECT_NE(one<give_up>(given), nullptr);
}

// A provider may refuse to stream after an attempt has started. The attempt then requests a non-streamed answer.
TEST(WholeRace, AnAttemptMayBecomeOneWhileItRuns) {
  race whole(plan_of(race_policy::all, 1));
  whole.on(race_begun{}, t0);
  whole.on(whole_awaited{0}, t0 + 4s);
  EXPECT_EQ(one<cancel_attempt>(whole.on(alarm_struck{}, t0 + 4s)), nullptr);
}

}  // namespace
}  // namespace photofinish::racing
