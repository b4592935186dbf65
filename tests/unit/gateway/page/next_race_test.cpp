// Tests which target starts first in the next race of a route, and which reason the page states.
#include "gateway/page/next_race.hpp"

#include "gateway/page/live_figures.hpp"
#include "racing/adaptive/forecast_keeper.hpp"
#include "tests/unit/racing/adaptive/choice_fixture.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using racing::race_policy;

constexpr racing::instant now{1h};

// A route with these targets. The test sets their median times to the first token.
struct watched_route {
  config settings;
  route its{"r", {}, {}};
  racing::scoreboard board;
  racing::forecast_board speed;
  std::map<std::string, std::uint32_t> flights;
  std::shared_ptr<racing::speculation_budget> budget = std::make_shared<racing::speculation_budget>(0.1);

  watched_route(race_policy policy, std::vector<std::string> names) {
    for (const std::string& name : names) its.targets.push_back({name, "m"});
    its.race.policy = policy;
  }

  void know(std::initializer_list<double> medians) {
    std::vector<racing::target_forecast> known;
    for (const double median : medians) known.push_back(racing::forecast_of(median));
    std::vector<racing::table_target> rows;
    auto compared = std::make_shared<racing::compared_route>();
    auto made = std::make_shared<racing::route_speed>();
    for (std::size_t row = 0; row < known.size(); ++row) {
      rows.push_back({&known[row], static_cast<std::uint32_t>(row)});
      compared->targets.push_back(its.targets[row].text());
      made->targets.push_back(static_cast<racing::target_number>(row));
    }
    made->is = std::move(compared);
    made->budget = budget;
    made->reading.price = 0.05;
    made->reading.usual_cost = 1'000;
    made->tables[2] = std::make_shared<const racing::choice_table>(rows, 400, false);
    speed.routes["r"] = std::move(made);
    speed.starts = std::make_shared<racing::start_times>(known.size());
    for (std::size_t row = 0; row < known.size(); ++row)
      speed.starts->started(static_cast<racing::target_number>(row), now);
  }

  next_race next() const {
    const std::function<const proxy::model_prices*(const target_name&)> no_price = [](const target_name&) {
      return static_cast<const proxy::model_prices*>(nullptr);
    };
    return next_race_of(its, {settings, board, speed.starts ? &speed : nullptr, flights, no_price, now, {}});
  }
};

std::string words(const next_race& next) {
  std::string text;
  for (const next_start& each : next.starts)
    text += (text.empty() ? "" : ", ") + each.target + " " + std::string(to_string(each.when));
  return text;
}

TEST(NextRace, ARaceOfAllStartsAsManyAsMayRunAndTheOthersBehindFailures) {
  watched_route watched(race_policy::all, {"a", "b", "c"});
  watched.its.race.max_parallel = 2;
  const next_race next = watched.next();
  EXPECT_EQ(words(next), "a/m at_once, b/m at_once, c/m after_failure");
  EXPECT_FALSE(next.is_by_speed);
  EXPECT_FALSE(next.starts[0].known);
}

TEST(NextRace, AHedgeStartsAfterItsDelayAndTheThirdAfterTwo) {
  watched_route watched(race_policy::hedge, {"a", "b", "c", "d"});
  watched.its.race.hedge_delay = 120ms;
  const next_race next = watched.next();
  EXPECT_EQ(words(next), "a/m at_once, b/m hedge, c/m hedge, d/m after_failure");
  EXPECT_DOUBLE_EQ(*next.starts[1].after_seconds, 0.12);
  EXPECT_DOUBLE_EQ(*next.starts[2].after_seconds, 0.24);
}

TEST(NextRace, ATargetThatCoolsDownIsLeftOutWhileAnotherIsReady) {
  watched_route watched(race_policy::fallback, {"a", "b"});
  watched.board.cools_until["a/m"] = watched.board.limited_until["a/m"] = now + 3s;
  EXPECT_EQ(words(watched.next()), "b/m at_once, a/m left_out");
  EXPECT_EQ(watched.next().starts[1].state, racing::target_state::limited);
  watched.board.cools_until["b/m"] = now + 3s;
  EXPECT_EQ(words(watched.next()), "a/m at_once, b/m after_failure") << "none is ready: they run as they are listed";
}

TEST(NextRace, ByItsSpeedTheFastestStartsAndTheBudgetIsNotTouched) {
  watched_route watched(race_policy::adaptive, {"a", "b"});
  watched.know({1.2, 0.2});
  watched.budget->expect(1'000);
  const double bucket = watched.budget->bucket(), stock = watched.budget->stock();
  const next_race next = watched.next();
  EXPECT_TRUE(next.is_by_speed);
  EXPECT_EQ(next.starts[0].target, "b/m");
  EXPECT_EQ(next.starts[0].when, next_start_when::at_once);
  ASSERT_TRUE(next.starts[0].known);
  EXPECT_NEAR(next.starts[0].known->usual, 0.2, 0.05);
  EXPECT_GT(next.input_tokens, 0);
  EXPECT_TRUE(next.rescue_seconds);
  EXPECT_EQ(watched.budget->bucket(), bucket);
  EXPECT_EQ(watched.budget->stock(), stock);
}

TEST(NextRace, WhatIsKnownOfATargetThatCoolsDownIsShownBehindTheOthers) {
  watched_route watched(race_policy::adaptive, {"a", "b"});
  watched.know({0.2, 0.21});
  EXPECT_EQ(watched.next().starts[0].target, "a/m");
  watched.board.cools_until["a/m"] = now + 3s;
  const next_race next = watched.next();
  EXPECT_EQ(next.starts[0].target, "b/m");
  EXPECT_EQ(next.starts.back().target, "a/m");
  EXPECT_EQ(next.starts.back().state, racing::target_state::cooling);
  EXPECT_TRUE(next.starts.back().known);
}

TEST(NextRace, ABoardOfAnotherConfigurationIsNotAsked) {
  watched_route watched(race_policy::adaptive, {"a", "b"});
  watched.know({1.2, 0.2});
  watched.its.targets.push_back({"c", "m"});
  EXPECT_FALSE(watched.next().is_by_speed);
  EXPECT_EQ(watched.next().starts.front().target, "a/m");
}

TEST(NextRace, TheFeedHasIt) {
  watched_route watched(race_policy::adaptive, {"a", "b"});
  watched.know({1.2, 0.2});
  live_figures figures;
  figures.routes.emplace_back().next = watched.next();
  const auto shown = nlohmann::json::parse(figures_text(figures) + "}").at("routes").at(0).at("next");
  EXPECT_EQ(shown.at("by_speed"), true);
  EXPECT_EQ(shown.at("starts").at(0).at("target"), "b/m");
  EXPECT_EQ(shown.at("starts").at(0).at("when"), "at_once");
  EXPECT_EQ(shown.at("request").at("currency"), "tokens");
}

}  // namespace
}  // namespace photofinish::gateway
