// Measures and prints how long planning takes: building a table for five targets, making one choice, and updating the forecasts of fifty
// targets. The test has no time limit.
#include "racing/adaptive/choice.hpp"
#include "racing/forecast/forecaster.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace photofinish::racing {
namespace {

template <class Work>
double microseconds(int times, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < times; ++n) work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / times;
}

TEST(PlanningCost, OfATableAndAChoiceIsPrinted) {
  std::vector<target_forecast> known(5);
  std::vector<target_now> now(5);
  std::vector<table_target> rows;
  for (std::size_t row = 0; row < known.size(); ++row) {
    known[row].level = std::log(0.4 + 0.1 * static_cast<double>(row));
    known[row].samples = 1'000;
    now[row].win_cost = 1'000, now[row].loss_cost = 600, now[row].input_tokens = 1'000;
    rows.push_back({&known[row], static_cast<std::uint32_t>(row)});
  }
  const choice_table table(rows, 1'000, false);
  EXPECT_EQ(table.paired() * (table.paired() - 1) * hedge_shares.size(), 240u);
  choice_request request;
  request.usual_cost = 1'000, request.price = 0.5;
  double sum = 0;
  std::printf("  table of 5 targets: %.1f us, with third attempts %.1f us\n",
              microseconds(300, [&] { sum += choice_table(rows, 1'000, false).rows()[0].alone; }),
              microseconds(300, [&] { sum += choice_table(rows, 1'000, true).rows()[0].alone; }));
  std::printf("  choice of 240 candidates: %.2f us\n", microseconds(20'000, [&] { sum += choose(table, now, request).value; }));
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(PlanningCost, OfASecondsLearningIsPrinted) {
  forecaster model;
  std::vector<target_number> numbers;
  for (int target = 0; target < 50; ++target) numbers.push_back(model.target("t" + std::to_string(target)));
  model.route("r", numbers);
  instant now{std::chrono::hours{1}};
  std::uint64_t attempts = 0;
  const double tick = microseconds(100, [&] {
    for (int n = 0; n < 100; ++n) {
      attempt_event each;
      each.step = attempt_step::spoke;
      each.attempt = ++attempts;
      each.target = static_cast<target_number>(n % 50);
      each.started_at = now;
      each.at = now + std::chrono::milliseconds(300 + n);
      model.take(each);
    }
    now += std::chrono::seconds{1};
    EXPECT_EQ(model.tick(now).targets.size(), 50u);
  });
  std::printf("  a tick of 50 targets and 100 first tokens: %.0f us\n", tick);
}

}  // namespace
}  // namespace photofinish::racing
