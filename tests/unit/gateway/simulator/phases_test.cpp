// Tests a simulated provider that changes its behaviour over time. Each phase is parsed. An invalid phase is refused with a list of the
// valid settings.
#include "gateway/simulator/plan/phases.hpp"
#include "gateway/simulator/plan/schedule.hpp"
#include "gateway/simulator/sim_options.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway::simulator {
namespace {

using namespace std::chrono_literals;

TEST(SimPhases, HoldFromTheirBeginningUntilTheirEnd) {
  const auto phase = parse_phase("2m-4m;slow=3;tps=50");
  ASSERT_TRUE(phase) << phase.error().detail;
  EXPECT_EQ(*phase, (sim_phase{2min, 4min, "slow=3;tps=50"}));
  EXPECT_FALSE(phase->holds_at(2min - 1us));
  EXPECT_TRUE(phase->holds_at(2min));
  EXPECT_FALSE(phase->holds_at(4min));
  EXPECT_TRUE(parse_phase("-1s;hang")->holds_at(0us));
  EXPECT_TRUE(parse_phase("90s-;hang")->holds_at(1h));
}

TEST(SimPhases, WhatIsNoneIsRefusedWithWhatItTakes) {
  for (const char* text : {"", "2m", "2m-", "4m-2m;hang", "2m-2m;hang", "a-b;hang", "2h-3h;hang", "1s-2s;hang=2", "1s-2s;hng"}) {
    const auto phase = parse_phase(text);
    ASSERT_FALSE(phase) << text;
    EXPECT_NE(phase.error().detail.find("FROM-TO;setting"), std::string::npos) << text;
  }
}

TEST(SimPhases, AFileHasOneInEachLine) {
  const auto phases = parse_phases("# a bad day\n\n  10s-20s;slow=3  # slow\r\n20s-;status=429;retry_after=2s");
  ASSERT_TRUE(phases) << phases.error().detail;
  ASSERT_EQ(phases->size(), 2u);
  EXPECT_EQ((*phases)[0].settings, "slow=3");
  EXPECT_EQ((*phases)[1].from, 20s);
  const auto wrong = parse_phases("10s-20s;slow=3\nsoon;hang\n");
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().detail.starts_with("line 2: ")) << wrong.error().detail;
}

TEST(SimPhases, ThoseThatHoldChangeWhatIsUsualInTheirOrder) {
  const std::vector<sim_phase> phases = *parse_phases("0s-10s;slow=2;hang\n5s-;slow=4");
  sim_behaviour usual;
  usual.output_tokens = 7;
  const sim_behaviour early = behaviour_at(usual, phases, 1s), later = behaviour_at(usual, phases, 6s),
                      last = behaviour_at(usual, phases, 11s);
  EXPECT_EQ(early.slow, 2);
  EXPECT_TRUE(early.faults.hang);
  EXPECT_EQ(later.slow, 4);
  EXPECT_TRUE(later.faults.hang);
  EXPECT_FALSE(last.faults.hang);
  EXPECT_EQ(last.output_tokens, 7u);
}

sim_behaviour exact() {
  sim_behaviour behaviour;
  behaviour.ttft = 50ms;
  behaviour.ttft_sigma = behaviour.stall_share = 0;
  behaviour.output_tokens = 11;
  return behaviour;
}

TEST(SimPhases, SlowIsAFactorOnTheFirstTokenAndOnEachFurtherOne) {
  sim_engine one(7), other(7);
  sim_behaviour slow = exact();
  slow.slow = 3;
  const sim_schedule usual = draw_schedule(exact(), one), slowed = draw_schedule(slow, other);
  EXPECT_EQ(usual.ttft, 50ms);
  EXPECT_EQ(slowed.ttft, 150ms);
  EXPECT_EQ(usual.steps.back().at, 150ms);
  EXPECT_EQ(slowed.steps.back().at, 450ms);
}

TEST(SimPhases, AShareOfTheAnswersIsLong) {
  sim_behaviour both = exact();
  both.long_answers.share = 0.25;
  both.long_answers.tokens = 900;
  int long_ones = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    sim_engine engine(request_seed(1, seed));
    const auto tokens = draw_schedule(both, engine).output_tokens;
    ASSERT_TRUE(tokens == 11 || tokens == 900) << tokens;
    long_ones += tokens == 900;
  }
  EXPECT_NEAR(long_ones, 500, 80);
}

}  // namespace
}  // namespace photofinish::gateway::simulator
