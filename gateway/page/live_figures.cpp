#include "gateway/page/live_figures.hpp"

#include "gateway/records/race_receipt.hpp"
#include "gateway/usage/usage_page.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;

// Rounds to nine decimal places, because further digits are only rounding errors.
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
  if (each.cools_seconds > 0) made["cooldown"] = {{"seconds", tidy(each.cools_seconds)}, {"limited", each.is_limited}};
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
          {"hedges_held_back", adaptive.held_back},
          {"moves", words_json(adaptive.moves)},
          {"move_cost_usd", tidy(adaptive.moves_usd)}};
}

json start_json(const next_start& each) {
  json made{{"target", each.target}, {"when", to_string(each.when)}, {"state", to_string(each.state)}};
  if (each.after_seconds) made["after_seconds"] = tidy(*each.after_seconds);
  if (!each.known) return made;
  made["ttft_seconds"] = {{"p50", tidy(each.known->usual)}, {"p99", tidy(each.known->late)}};
  made["tokens_per_second"] = tidy(each.known->tokens_per_second);
  made["cost"] = tidy(each.known->win_cost);
  made["samples"] = each.known->samples;
  return made;
}

json next_json(const next_race& next) {
  json starts = json::array();
  for (const next_start& each : next.starts) starts.push_back(start_json(each));
  json made{{"by_speed", next.is_by_speed}, {"starts", std::move(starts)}};
  if (next.input_tokens > 0)
    made["request"] = {{"input_tokens", std::round(next.input_tokens)},
                       {"output_tokens", std::round(next.output_tokens)},
                       {"currency", next.is_money ? "usd" : "tokens"}};
  if (next.silent_share) made["silent_share"] = *next.silent_share;
  if (next.saved_seconds) made["saved_seconds"] = tidy(*next.saved_seconds);
  if (next.why_trial != racing::probe_cause::none) made["trial"] = to_string(next.why_trial);
  if (next.rescue_seconds) made["rescue_seconds"] = tidy(*next.rescue_seconds);
  return made;
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
  if (each.next) made["next"] = next_json(*each.next);
  return made;
}

}  // namespace

std::uint64_t live_target::attempts() const {
  std::uint64_t sum = 0;
  outcomes.for_each([&](metrics::attempt_outcome, std::uint64_t count) { sum += count; });
  return sum;
}

void sort_by_use(std::vector<live_target>& targets) {
  const auto is_used_more = [](const live_target& one, const live_target& other) {
    return one.attempts() > other.attempts();
  };
  std::stable_sort(targets.begin(), targets.end(), is_used_more);
}

void bound(live_figures& figures) {
  if (figures.targets.size() > most_live_targets) {
    sort_by_use(figures.targets);
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
                  {"gateway", figures.scope.gateway.empty() ? json() : json(figures.scope.gateway)},
                  {"answered_by", figures.gateway},
                  {"gateways", json::parse(members_json(figures.scope))},
                  {"note", figures.scope.note.empty() ? json() : json(figures.scope.note)},
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
