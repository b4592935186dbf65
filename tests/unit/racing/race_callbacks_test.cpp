// Tests the callbacks that the owner of a race provides. The rules of the race call them when the owner must make a decision.
#include "racing/race_callbacks.hpp"

#include <gtest/gtest.h>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

const ask_to_hold question{{{.attempt = 0, .started = instant{1s}, .spoke = std::nullopt},
                            {.attempt = 1, .started = instant{1s}, .spoke = instant{2s}}}};

TEST(RaceCallbacks, WithoutAnAnswerNoHedgeStartsAndNoLoserIsKept) {
  const race_callbacks callbacks;
  EXPECT_FALSE(callbacks.answer(ask_to_spend{2, 2}).is_granted);
  EXPECT_FALSE(callbacks.answer(ask_to_keep{1, 0}).is_granted);
}

TEST(RaceCallbacks, WithoutAnAnswerTheAttemptThatSpokeIsNotHeld) {
  const hold_answered answer = race_callbacks().answer(question, instant{3s});
  EXPECT_EQ(answer.best, 1u);
  EXPECT_EQ(answer.until, instant{3s});
}

TEST(RaceCallbacks, AHoldLastsAsLongAsItsOwnerSays) {
  race_callbacks callbacks;
  callbacks.choose_held = [](const ask_to_hold&, instant) { return hold_choice{1, 0.5}; };
  EXPECT_EQ(callbacks.answer(question, instant{3s}).until, instant{3'500ms});
}

TEST(RaceCallbacks, TheOwnerIsAskedForEachTarget) {
  race_callbacks callbacks;
  callbacks.may_spend = [](std::size_t target) { return target == 2; };
  EXPECT_TRUE(callbacks.answer(ask_to_spend{2, 2}).is_granted);
  EXPECT_FALSE(callbacks.answer(ask_to_spend{1, 1}).is_granted);
}

}  // namespace
}  // namespace photofinish::racing
