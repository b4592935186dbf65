#include "proxy/loop/alarms.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;

class cranked_alarms final : public alarms {
 public:
  instant now() const override { return now_; }
  void advance(std::chrono::milliseconds by) {
    now_ += by;
    while (strike_next(now_)) {}
  }
  int changes() const { return changes_; }
  bool is_empty() const { return empty(); }

 private:
  void earliest_changed() override { ++changes_; }
  instant now_{};
  int changes_ = 0;
};

struct AlarmsTest : ::testing::Test {
  std::function<void()> note(std::string name) {
    return [this, name = std::move(name)] { struck.push_back(name); };
  }
  cranked_alarms clock;
  std::vector<std::string> struck;
};

TEST_F(AlarmsTest, DueAlarmsStrikeOnceInTheOrderOfTheirTimes) {
  alarm late(clock, note("late")), early(clock, note("early")), later(clock, note("later"));
  late.arm(clock.now() + 20ms);
  early.arm(clock.now() + 10ms);
  later.arm(clock.now() + 30ms);
  clock.advance(20ms);
  clock.advance(0ms);
  EXPECT_EQ(struck, (std::vector<std::string>{"early", "late"}));
  EXPECT_FALSE(early.is_armed());
  EXPECT_TRUE(later.is_armed());
}

TEST_F(AlarmsTest, ArmingAgainReplacesTheEarlierDeadline) {
  alarm one(clock, note("one"));
  one.arm(clock.now() + 10ms);
  one.arm(clock.now() + 30ms);
  clock.advance(20ms);
  EXPECT_TRUE(struck.empty());
  clock.advance(10ms);
  EXPECT_EQ(struck.size(), 1u);
}

TEST_F(AlarmsTest, DisarmedAndDestroyedAlarmsStaySilent) {
  alarm disarmed(clock, note("disarmed"));
  auto destroyed = std::make_unique<alarm>(clock, note("destroyed"));
  disarmed.arm(clock.now() + 10ms);
  destroyed->arm(clock.now() + 10ms);
  disarmed.disarm();
  destroyed.reset();
  clock.advance(20ms);
  EXPECT_TRUE(struck.empty());
  EXPECT_TRUE(clock.is_empty());
}

TEST_F(AlarmsTest, AStrikeMayDestroyItsOwnAlarmAndAnother) {
  std::unique_ptr<alarm> other = std::make_unique<alarm>(clock, note("other"));
  std::unique_ptr<alarm> self;
  self = std::make_unique<alarm>(clock, [&] {
    other.reset();
    self.reset();
    struck.push_back("self");
  });
  self->arm(clock.now() + 10ms);
  other->arm(clock.now() + 11ms);
  clock.advance(20ms);
  EXPECT_EQ(struck, std::vector<std::string>{"self"});
}

TEST_F(AlarmsTest, AStrikeMayArmItselfAgain) {
  alarm ticking(clock, [&] {
    struck.push_back("tick");
    ticking.arm(clock.now() + 10ms);
  });
  ticking.arm(clock.now() + 10ms);
  clock.advance(10ms);
  clock.advance(10ms);
  EXPECT_EQ(struck.size(), 2u);
}

TEST_F(AlarmsTest, TheTimerIsToldOnlyOfAnEarlierEarliest) {
  alarm first(clock, note("first")), second(clock, note("second")), third(clock, note("third"));
  first.arm(clock.now() + 20ms);
  second.arm(clock.now() + 30ms);
  EXPECT_EQ(clock.changes(), 1);
  third.arm(clock.now() + 10ms);
  EXPECT_EQ(clock.changes(), 2);
}

}  // namespace
}  // namespace photofinish::proxy
