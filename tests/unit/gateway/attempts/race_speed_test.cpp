// Tests how long a race keeps the measured speeds of its targets in memory.
#include "gateway/attempts/race_speed.hpp"

#include "gateway/housekeeping/housekeeper.hpp"
#include "racing/adaptive/forecast_keeper.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

TEST(RaceSpeed, AnOpenAnswerKeepsNeitherItsSecondsBoardNorItsTables) {
  racing::forecast_keeper speeds;
  speeds.adopt({{"r", {"a/m", "b/m"}, {0, 1}, 0.1, false}});
  auto board = speeds.tick(racing::instant(std::chrono::hours{1}));
  const std::weak_ptr<const racing::forecast_board> kept_board = board;
  const std::weak_ptr<const racing::route_speed> kept_route = board->routes.at("r");
  parsed_request asked;
  asked.body = std::make_shared<const proxy::client_body>("{}");
  const proxy::provider provider;
  race_setup setup;
  setup.route = setup.compared = "r";
  for (const char* name : {"a", "b"})
    setup.candidates.push_back({&provider, {name, "m"}, {}, std::string(name) + "/m"});
  speed_source source{board, [](const target_name&) { return 0.0; }, {}, {}};
  setup.speed = set_up_forecast(source, asked, setup.candidates, "r", board->at);
  ASSERT_TRUE(setup.speed);
  setup.planned.chosen = {0, 1};
  setup.planned.choice.emplace();
  housekeeper keeper({}, {}, 1, [](const auto&) {});
  step_sender steps(keeper.speeds(), 0);
  const auto race = std::make_unique<race_speed>(*board, steps, receipt_head{.id = "race_1"}, asked, setup);
  source.board.reset();
  board.reset();
  (void)speeds.tick(racing::instant(std::chrono::hours{1} + std::chrono::seconds{1}));
  EXPECT_TRUE(kept_board.expired());
  EXPECT_TRUE(kept_route.expired());
}

TEST(RaceSpeed, WhatWasCachedOfAPromptIsNotLearnedFrom) {
  EXPECT_EQ(tokens_to_read(1'000, std::nullopt), 1'000);
  proxy::token_usage said;
  EXPECT_EQ(tokens_to_read(1'000, said), 1'000) << "it says nothing of the prompt";
  said.input_tokens = 2'000;
  said.cached_input_tokens = 1'500;
  EXPECT_EQ(tokens_to_read(1'000, said), 250) << "a share of what was estimated";
  said.cached_input_tokens = 3'000;
  EXPECT_EQ(tokens_to_read(1'000, said), 0) << "a provider's figures need not add up";
}

}  // namespace
}  // namespace photofinish::gateway
