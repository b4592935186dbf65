// Tests the forecasts of routes. Race planners get a new forecast every second.
#include "racing/adaptive/forecast_keeper.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr instant t0{1'000h};

compared_route route_of(const std::string& name, double share = 0.1) {
  return {name, {"a/m", "b/m"}, {0, 1}, share, false};
}

struct kept_speed {
  forecast_keeper keeper;
  instant now = t0;
  std::uint64_t attempts = 0;

  std::shared_ptr<const forecast_board> next(std::chrono::seconds later = 1s) { return keeper.tick(now += later); }

  attempt_event event(attempt_step step, const forecast_board& board, const std::string& target, double tokens = 500) {
    attempt_event made;
    made.step = step;
    made.attempt = ++attempts;
    made.target = board.targets->at(target);
    made.route = board.route("r")->number;
    made.started_at = made.at = now;
    made.input_tokens = tokens;
    return made;
  }
  void answers(const forecast_board& board, const std::string& target, double seconds, double tokens = 500) {
    keeper.take(event(attempt_step::began, board, target, tokens));
    attempt_event spoke = event(attempt_step::spoke, board, target, tokens);
    spoke.attempt = attempts - 1;
    spoke.at = now + std::chrono::milliseconds(static_cast<int>(seconds * 1'000));
    keeper.take(spoke);
  }
};

TEST(SpeedKeeper, WithoutRoutesThereIsNoBoard) {
  forecast_keeper keeper;
  EXPECT_FALSE(keeper.is_on());
  EXPECT_EQ(keeper.tick(t0), nullptr);
}

TEST(SpeedKeeper, ANewRouteHasATableAndABudgetBeforeItsFirstRequest) {
  kept_speed kept;
  kept.keeper.adopt({route_of("r", 0.05)});
  const auto board = kept.next();
  const route_speed* route = board->route("r");
  ASSERT_TRUE(route);
  ASSERT_TRUE(route->table_for(100'000));
  EXPECT_EQ(route->table_for(100'000)->rows().size(), 2u);
  EXPECT_EQ(route->budget->share(), 0.05);
  EXPECT_EQ(board->route("other"), nullptr);
}

TEST(SpeedKeeper, LearnsWhoIsFast) {
  kept_speed kept;
  kept.keeper.adopt({route_of("r")});
  auto board = kept.next();
  for (int n = 0; n < 30; ++n) {
    kept.answers(*board, "a/m", 0.8);
    kept.answers(*board, "b/m", 0.2);
    board = kept.next();
  }
  const choice_table& table = *board->route("r")->table_for(500);
  EXPECT_NEAR(table.rows()[0].usual, 0.8, 0.2);
  EXPECT_NEAR(table.rows()[1].usual, 0.2, 0.05);
}

TEST(SpeedKeeper, ASizeOfPromptsHasATableWhileItIsInUse) {
  kept_speed kept;
  kept.keeper.adopt({route_of("r")});
  auto board = kept.next();
  kept.answers(*board, "a/m", 0.3, 100);
  kept.answers(*board, "a/m", 0.3, 30'000);
  board = kept.next();
  const auto& tables = board->route("r")->tables;
  ASSERT_TRUE(tables[input_class_of(100)]);
  ASSERT_TRUE(tables[input_class_of(30'000)]);
  EXPECT_EQ(board->route("r")->table_for(40), tables[input_class_of(100)].get());
  for (int n = 0; n < 100; ++n) {
    kept.answers(*board, "a/m", 0.3, 30'000);
    board = kept.next();
  }
  EXPECT_FALSE(board->route("r")->tables[input_class_of(100)]);
  EXPECT_TRUE(board->route("r")->tables[input_class_of(30'000)]);
}

TEST(SpeedKeeper, ATableIsMadeAnewEachSecondOnlyWhereItsRouteIsInUse) {
  kept_speed kept;
  kept.keeper.adopt({route_of("r")});
  auto board = kept.next();
  const choice_table* idle = board->route("r")->table_for(500);
  board = kept.next();
  EXPECT_EQ(board->route("r")->table_for(500), idle);
  kept.answers(*board, "a/m", 0.3);
  board = kept.next();
  const auto used = board->route("r")->tables;
  EXPECT_NE(used[input_class_of(500)].get(), idle);
  const auto later = kept.next();
  EXPECT_NE(later->route("r")->table_for(500), used[input_class_of(500)].get());
}

TEST(SpeedKeeper, AnIdleRouteHasWhatOthersHaveMeasuredOfItsTargets) {
  kept_speed kept;
  kept.keeper.adopt({route_of("idle"), route_of("r")});
  auto board = kept.next();
  const auto known = [&] { return board->route("idle")->table_for(500)->rows()[1].known.samples; };
  for (std::uint64_t n = 1; n <= 4; ++n) {
    kept.answers(*board, "b/m", 0.2);
    board = kept.next();
    EXPECT_EQ(known(), n);
  }
  for (int n = 0; n < 8; ++n) {
    kept.answers(*board, "b/m", 0.2);
    board = kept.next();
  }
  EXPECT_GE(known(), 8u);
  EXPECT_LE(known(), 12u);
  const choice_table* made = board->route("idle")->table_for(500);
  kept.answers(*board, "b/m", 0.2);
  // The forecast keeper updates only a few tables of idle routes per second. In this second it updated the table of another idle route, so
  // this route still has its old table.
  EXPECT_EQ(kept.next()->route("idle")->table_for(500), made);
}

TEST(SpeedKeeper, OfAThousandIdleRoutesAFewAreMadeAnewInASecond) {
  kept_speed kept;
  std::vector<compared_route> routes;
  for (int n = 0; n < 300; ++n) routes.push_back(route_of("r" + std::to_string(n)));
  kept.keeper.adopt(routes);
  const auto before = kept.next();
  const auto after = kept.next(40s);
  int made = 0;
  for (const auto& [name, route] : after->routes) made += route->tables != before->route(name)->tables;
  EXPECT_GT(made, 0);
  EXPECT_LE(made, 20);
}

TEST(SpeedKeeper, AReloadKeepsWhatIsKnownAndABudgetOfTheSameShare) {
  kept_speed kept;
  kept.keeper.adopt({route_of("r")});
  auto board = kept.next();
  for (int n = 0; n < 20; ++n) {
    kept.answers(*board, "b/m", 0.2);
    board = kept.next();
  }
  const auto budget = board->route("r")->budget;
  compared_route more = route_of("r");
  more.targets.push_back("c/m");
  more.vendors.push_back(2);
  kept.keeper.adopt({more, route_of("s")});
  board = kept.next();
  EXPECT_EQ(board->route("r")->budget, budget);
  EXPECT_EQ(board->route("r")->table_for(500)->rows().size(), 3u);
  EXPECT_EQ(board->route("s")->table_for(500)->rows()[1].known.samples, 20u);
  kept.keeper.adopt({route_of("r", 0.2)});
  EXPECT_NE(kept.next()->route("r")->budget, budget);
  kept.keeper.adopt({});
  EXPECT_EQ(kept.next(), nullptr);
}

TEST(SpeedKeeper, OfALongRouteTheFirstTargetsAreCompared) {
  kept_speed kept;
  compared_route route{"r", {}, {}, 0.1, false};
  for (std::uint32_t n = 0; n < 40; ++n) route.targets.push_back("p/m" + std::to_string(n)), route.vendors.push_back(n);
  kept.keeper.adopt({route});
  EXPECT_EQ(kept.next()->route("r")->table_for(500)->rows().size(), max_rows);
}

TEST(SpeedKeeper, WhatACallersKeyIsRefusedIsItsOwn) {
  kept_speed kept;
  kept.keeper.adopt({route_of("r")});
  auto board = kept.next();
  const target_number target = board->targets->at("a/m");
  for (int n = 0; n < 20; ++n) {
    kept.answers(*board, "a/m", 0.3);
    attempt_event refused = kept.event(attempt_step::failed, *board, "a/m");
    refused.key = 77;
    kept.keeper.take(refused);
    board = kept.next();
  }
  EXPECT_LT(board->route("r")->table_for(500)->rows()[0].known.error_share, 0.05);
  ASSERT_TRUE(board->key_errors.contains(key_at(target, 77)));
  EXPECT_GT(board->key_errors.at(key_at(target, 77)), 0.5);
  EXPECT_FALSE(board->key_errors.contains(key_at(target, 78)));
  EXPECT_TRUE(kept.next(11min)->key_errors.empty());
}

TEST(SpeedKeeper, ManyKeysTakeBoundedMemory) {
  kept_speed kept;
  kept.keeper.adopt({route_of("r")});
  auto board = kept.next();
  for (std::uint64_t key = 1; key <= 3'000; ++key) {
    attempt_event refused = kept.event(attempt_step::failed, *board, "a/m");
    refused.key = key;
    kept.keeper.take(refused);
  }
  EXPECT_LE(kept.next()->key_errors.size(), key_failures::most);
}

TEST(StartTimes, AreSharedAndBeginWithNever) {
  start_times times(4);
  EXPECT_GT(times.idle_seconds(1, t0), 1e6);
  times.started(1, t0);
  times.started(9, t0);
  EXPECT_EQ(times.idle_seconds(1, t0 + 3s), 3);
  EXPECT_EQ(times.idle_seconds(9, t0), 0);
}

}  // namespace
}  // namespace photofinish::racing
