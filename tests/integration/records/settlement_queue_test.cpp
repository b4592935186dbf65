// Tests that the records of a request are written in a safe order: even if a step fails, no cost is lost.
#include "gateway/requests/worker/settlement_queue.hpp"
#include "tests/support/manual_alarms.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

TEST(LateAccounts, WhatCannotBeWrittenDownIsPaidAllTheSame) {
  auto settings = std::make_shared<config>();
  settings->providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};
  limit_account of_key;
  const limit_settings limits{.tokens_per_minute = 1000, .parallel_requests = 1, .budget_nano_usd = 1};
  limit_claims claims;
  claims.add(limit_scope::key, limits, of_key);

  metrics::series_budget series;
  metrics::shard shard(series);
  price_book prices;
  tests::manual_alarms alarms;
  line_budget lines(alarms, [](std::size_t) {});
  background_uses background;
  settlement_queue late({shard, prices, lines, background, [](attempt_evidence) { throw std::runtime_error("no room"); },
                         [](used_share) { throw std::runtime_error("no room"); }});

  auto account = std::make_unique<request_ledger>([](std::string, std::function<void(std::uint64_t)>) { return false; });
  account->hold = std::get<limit_hold>(limit_hold::take(claims, nullptr, {100, 800}, alarms.now()));
  account->record.settings = settings;
  account->record.planned = {{.target = {"a", "m"}, .id = "a/m"}};
  racing::attempt_report won;
  won.end = racing::attempt_end::won;
  won.summary.usage = proxy::token_usage{.input_tokens = 3, .output_tokens = 7};
  account->record.race.winner = 0;
  account->record.race.attempts = {won};
  account->record.times.ended_at = alarms.now();
  EXPECT_NO_THROW(late.close(std::move(account)));
  EXPECT_EQ(of_key.spent(), 7'000'000'000);
  EXPECT_EQ(of_key.running(), 0u);
  EXPECT_EQ(token_bucket::units_in(of_key.tokens.room(alarms.now()), 1000), 990u);
}

}  // namespace
}  // namespace photofinish::gateway
