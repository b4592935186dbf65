#include "gateway/page/live_figures.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;

// Millionths are enough for a price, and a double's last digits are noise.
double tidy(double value) { return std::isfinite(value) ? std::round(value * 1e9) / 1e9 : 0; }

json price_json(const proxy::price& price) {
  json made{{"input", tidy(price.input.usd)}, {"output", tidy(price.output.usd)}};
  if (price.cached_input) made["cached_input"] = tidy(price.cached_input->usd);
  return made;
}

template <class Enum, class Number>
json words_json(const metrics::by<Enum, Number>& counted) {
  json made = json::object();
  counted.for_each([&](Enum word, Number count) {
    if (count > 0) made[std::string(to_string(word))] = count;
  });
  return made;
}

json target_json(const live_target& each) {
  json made{{"target", each.name},
            {"in_flight", each.in_flight},
            {"attempts", words_json(each.outcomes)},
            {"failures", words_json(each.failures)},
            {"cost_usd", {{"winner", tidy(each.usd[metrics::cost_kind::winner])},
                          {"loser", tidy(each.usd[metrics::cost_kind::loser])}}},
            {"unpriced", each.unpriced},
            {"price_per_million", each.price ? price_json(*each.price) : json(nullptr)}};
  if (each.cools_seconds > 0)
    made["cooldown"] = {{"seconds", tidy(each.cools_seconds)}, {"limited", each.is_limited}};
  if (each.cooling_callers > 0) made["cooldown_callers"] = each.cooling_callers;
  return made;
}

json speculation_json(const live_speculation& adaptive) {
  json spent = json::object();
  adaptive.spent.for_each([&](metrics::currency in, const auto& costs) {
    json all = json::object();
    costs.for_each([&](metrics::spent_on what, double cost) { all[std::string(to_string(what))] = tidy(cost); });
    if (costs[metrics::spent_on::winner] > 0) spent[std::string(to_string(in))] = std::move(all);
  });
  return {{"max_extra_cost", adaptive.max_extra_cost},
          {"budget_fill", adaptive.fill ? json(tidy(*adaptive.fill)) : json(nullptr)},
          {"spent", std::move(spent)},
          {"starts", words_json(adaptive.starts)},
          {"hedges_held_back", adaptive.held_back}};
}

json route_json(const live_route& each) {
  json made{{"route", each.name},
            {"policy", to_string(each.policy)},
            {"sort", each.sort},
            {"targets", each.targets},
            {"max_parallel", each.max_parallel},
            {"hedge_seconds", each.hedge_seconds ? json(*each.hedge_seconds) : json(nullptr)},
            {"in_flight", each.in_flight},
            {"requests", each.requests}};
  if (each.adaptive) made["speculation"] = speculation_json(*each.adaptive);
  return made;
}

}  // namespace

std::uint64_t live_target::attempts() const {
  std::uint64_t sum = 0;
  outcomes.for_each([&](metrics::attempt_outcome, std::uint64_t count) { sum += count; });
  return sum;
}

void bound(live_figures& figures) {
  const auto is_used_more = [](const live_target& one, const live_target& other) {
    return one.attempts() > other.attempts();
  };
  if (figures.targets.size() > most_live_targets) {
    std::stable_sort(figures.targets.begin(), figures.targets.end(), is_used_more);
    figures.targets.resize(most_live_targets);
  }
  if (figures.routes.size() > most_live_routes) figures.routes.resize(most_live_routes);
}

std::string figures_text(const live_figures& figures) {
  json targets = json::array(), routes = json::array();
  for (const live_target& each : figures.targets) targets.push_back(target_json(each));
  for (const live_route& each : figures.routes) routes.push_back(route_json(each));
  const json made{{"object", "feed"},
                  {"version", figures.version},
                  {"started_at", figures.started_at.time_since_epoch().count()},
                  {"at_ms", figures.at.time_since_epoch().count()},
                  {"requests", {{"total", figures.requests},
                                {"per_second", tidy(figures.requests_per_second)},
                                {"in_flight", figures.in_flight}}},
                  {"shown_per_second", figures.shown_per_second},
                  {"targets", std::move(targets)},
                  {"routes", std::move(routes)}};
  std::string text = made.dump(-1, ' ', false, json::error_handler_t::replace);
  text.pop_back();
  return text;
}

}  // namespace photofinish::gateway
