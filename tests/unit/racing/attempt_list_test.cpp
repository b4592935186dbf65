// Tests the attempts of a race: their states, and the commands that result from each change of state.
#include "racing/attempt_list.hpp"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;
using state = attempt_list::state;

constexpr instant opening{1h};

attempt_list started_list(std::size_t places, std::size_t attempts) {
  attempt_list list(places);
  std::vector<race_command> commands;
  for (std::size_t index = 0; index < attempts; ++index) list.start(start_reason::first, index, opening, commands);
  return list;
}

TEST(AttemptList, AStartTakesTheNextTargetAndSaysWhy) {
  attempt_list list = started_list(3, 1);
  std::vector<race_command> commands;
  list.start(start_reason::hedge, 1, opening + 1s, commands);
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(std::get<start_attempt>(commands[0]).attempt, 1u);
  EXPECT_EQ(std::get<start_attempt>(commands[0]).why, start_reason::hedge);
  EXPECT_EQ(list[1].is, state::running);
  EXPECT_EQ(list[1].started, opening + 1s);
  EXPECT_EQ(list.started(), 2u);
}

TEST(AttemptList, FindsTheFirstAttemptOfAState) {
  attempt_list list = started_list(4, 3);
  list[1].is = list[2].is = state::spoken;
  EXPECT_EQ(list.find(state::spoken), 1u);
  EXPECT_EQ(list.count(state::spoken), 2u);
  EXPECT_FALSE(list.has(state::observed));
}

TEST(AttemptList, AConditionCancelsOnlyTheAttemptsThatMeetIt) {
  attempt_list list = started_list(4, 3);
  list[0].is = state::failed;
  list[1].is = state::spoken;
  std::vector<race_command> commands;
  list.cancel_if(is_live, cancel_cause::timed_out, commands);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(std::get<cancel_attempt>(commands[0]).attempt, 1u);
  EXPECT_EQ(std::get<cancel_attempt>(commands[1]).attempt, 2u);
  EXPECT_EQ(std::get<cancel_attempt>(commands[1]).cause, cancel_cause::timed_out);
  EXPECT_EQ(list[0].is, state::failed);
  EXPECT_EQ(list.count(state::done), 2u);
}

TEST(AttemptList, AnAddedPlaceMayBeStartedLater) {
  attempt_list list = started_list(1, 1);
  list.add_place();
  EXPECT_EQ(list.places(), 2u);
  EXPECT_EQ(list.started(), 1u);
}

}  // namespace
}  // namespace photofinish::racing
