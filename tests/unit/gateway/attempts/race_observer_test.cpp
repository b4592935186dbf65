#include "gateway/attempts/race_observer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using std::chrono_literals::operator""ms;

// An observer of races that records its calls.
class scripted_observer final : public race_observer {
 public:
  struct script {
    std::string name;
    bool is_reader = false;
    std::string id = {};
    bool keeps = true;
  };

  scripted_observer(script lines, std::vector<std::string>& calls) : script_(std::move(lines)), calls_(calls) {}

  bool reads_answer() const override { return script_.is_reader; }
  bool may_keep(std::size_t, std::chrono::milliseconds) override {
    calls_.push_back(script_.name + " keep");
    return script_.keeps;
  }
  void ended(request_record& record, const std::string& race_id) override {
    calls_.push_back(script_.name + " ended " + race_id + (record.notes.receipt ? " with a receipt" : ""));
    if (!script_.id.empty()) record.notes.receipt = std::make_shared<race_receipt>();
  }
  std::string race_id() const override { return script_.id; }

 private:
  const script script_;
  std::vector<std::string>& calls_;
};

struct RaceObservers : testing::Test {
  void add(scripted_observer::script lines) {
    observers.add(std::make_unique<scripted_observer>(std::move(lines), calls));
  }

  std::vector<std::string> calls;
  race_observers observers;
};

TEST_F(RaceObservers, APlainRequestHasNone) {
  EXPECT_TRUE(observers.is_empty());
  EXPECT_TRUE(observers.readers().empty());
  EXPECT_EQ(observers.race_id(), "");
  EXPECT_TRUE(observers.may_keep(0, 5ms)) << "without an observer every runner-up may be kept";
}

TEST_F(RaceObservers, TheEndReachesReadersFirstAndThenEachInItsOrder) {
  add({.name = "speed", .id = "race_1"});
  add({.name = "page", .id = "race_1"});
  add({.name = "log", .is_reader = true});
  request_record record;
  observers.ended(record);
  const std::vector<std::string> expected{"log ended race_1", "speed ended race_1",
                                          "page ended race_1 with a receipt"};
  EXPECT_EQ(calls, expected);
}

TEST_F(RaceObservers, ARequestWithoutARaceKeepsTheReadersOfItsAnswer) {
  add({.name = "speed", .id = "race_1"});
  add({.name = "log", .is_reader = true});
  observers.drop_race();
  ASSERT_EQ(observers.all().size(), 1u);
  EXPECT_EQ(observers.readers().size(), 1u);
  EXPECT_EQ(observers.race_id(), "") << "it has no receipt";
  request_record record;
  observers.ended(record);
  EXPECT_EQ(calls, std::vector<std::string>{"log ended "});
}

TEST_F(RaceObservers, OneRefusalIsEnoughToDropARunnerUp) {
  add({.name = "speed", .keeps = false});
  add({.name = "page"});
  EXPECT_FALSE(observers.may_keep(1, 5ms));
  EXPECT_EQ(calls, std::vector<std::string>{"speed keep"}) << "nothing more is taken from a budget then";
}

}  // namespace
}  // namespace photofinish::gateway
