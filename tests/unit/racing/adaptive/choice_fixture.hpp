// A route for tests. The tests set the forecasts of the route's targets.
#pragma once

#include "racing/adaptive/choice.hpp"

#include <cmath>
#include <vector>

namespace photofinish::racing {

inline target_forecast forecast_of(double median, std::uint64_t samples = 1'000) {
  target_forecast known;
  known.level = std::log(median);
  known.samples = samples;
  known.decode = {0.01, 1, 0, 0.005, 1'000};
  return known;
}

struct planned_route {
  std::vector<target_forecast> known;
  std::vector<target_now> now;
  choice_request request;
  double tokens = 1'000;
  bool thirds = false;
  bool same_vendor = false;

  explicit planned_route(std::initializer_list<double> medians) {
    for (const double median : medians) known.push_back(forecast_of(median));
    now.resize(known.size());
    for (target_now& each : now) each.win_cost = 1'000, each.loss_cost = 600, each.input_tokens = 1'000, each.idle_seconds = 0;
    request.usual_cost = 1'000;
    request.price = 0.5;
    request.may_explore = false;
  }

  choice_table table() const {
    std::vector<table_target> rows;
    for (std::size_t row = 0; row < known.size(); ++row) rows.push_back({&known[row], same_vendor ? 0u : static_cast<std::uint32_t>(row)});
    return choice_table(rows, tokens, thirds);
  }
  adaptive_choice choose() const { return racing::choose(table(), now, request); }
  adaptive_choice order() const { return order_by(table(), now, request); }
};

}  // namespace photofinish::racing
