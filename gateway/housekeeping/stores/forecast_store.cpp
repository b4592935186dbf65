#include "gateway/housekeeping/stores/forecast_store.hpp"

#include "gateway/advice/advised_routes.hpp"
#include "racing/race_plan.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace photofinish::gateway {
namespace {

racing::compared_route compared(const config& settings, std::string name, const std::vector<target_name>& targets,
                                const racing::race_settings& race) {
  racing::compared_route made{std::move(name), {}, {}, race.max_extra_cost, is_priced(settings, targets)};
  for (const target_name& target : targets) {
    made.targets.push_back(target.text());
    made.vendors.push_back(vendor_of(settings, target));
  }
  return made;
}

bool asks_for_speed(const route& each) {
  if (each.targets.size() > 1 && racing::needs_speed(each.race)) return true;
  return std::any_of(each.rules.begin(), each.rules.end(), [&each](const route_rule& rule) {
    const std::size_t targets = rule.targets.empty() ? each.targets.size() : rule.targets.size();
    return targets > 1 && racing::needs_speed(rule.race);
  });
}

}  // namespace

std::vector<racing::compared_route> compared_routes(const config& settings) {
  std::vector<racing::compared_route> all;
  const auto asks = [](const auto& entry) { return asks_for_speed(entry.second); };
  if (std::none_of(settings.routes.begin(), settings.routes.end(), asks)) return all;
  for (const auto& [name, each] : settings.routes) {
    if (each.targets.size() > 1) all.push_back(compared(settings, name, each.targets, each.race));
    for (const route_rule& rule : each.rules)
      if (rule.targets.size() > 1)
        all.push_back(compared(settings, name_compared(each, rule), rule.targets, rule.race));
  }
  return all;
}

void forecast_store::adopt(const config& settings) {
  keeper_.adopt(compared_routes(settings));
  adaptive_.clear();
  for (const auto& [name, each] : settings.routes) {
    if (each.race.policy == racing::race_policy::adaptive) adaptive_.insert(name);
    for (const route_rule& rule : each.rules)
      if (rule.race.policy == racing::race_policy::adaptive)
        adaptive_.insert(rule.targets.empty() ? name : name_compared(each, rule));
  }
  tick();
}

void forecast_store::drain() {
  steps_.take([this](const racing::attempt_event& step) { keeper_.take(step); });
  receipts_sent_.take([this](std::shared_ptr<race_receipt> receipt) { keep(std::move(receipt)); });
}

void forecast_store::note(std::size_t worker, std::shared_ptr<race_receipt> receipt) {
  if (receipts_sent_.put(worker, std::move(receipt)) || !receipt->is_summed()) return;
  boost::asio::post(loop_, [this, receipt = std::move(receipt)]() mutable { keep(std::move(receipt)); });
}

void forecast_store::note_probe(std::string target, racing::attempt_event step) {
  boost::asio::post(loop_, [this, target = std::move(target), step] { take(target, step); });
}

void forecast_store::keep(std::shared_ptr<race_receipt> receipt) {
  const bool is_over = receipt->answer.has_value();
  if (is_over) add_up(*receipt);
  on_race_(receipt);
  if (is_over) receipts_.put(std::move(receipt));
}

void forecast_store::add_up(race_receipt& receipt) {
  const auto sum = [&receipt](running_totals& into, const std::string& name) {
    return name.empty() ? std::nullopt : std::optional(into.add(receipt.caller, name, receipt.used, receipt.at));
  };
  receipt.session_total = sum(sessions_, receipt.request.session);
  receipt.project_total = sum(projects_, receipt.request.project);
}

void forecast_store::take(const std::string& target, racing::attempt_event step) {
  if (!keeper_.board()) return;
  const auto& numbers = *keeper_.board()->targets;
  const auto number = numbers.find(target);
  if (number == numbers.end()) return;
  step.target = number->second;
  // Probes are not assigned to a route, because a route's statistics about answer lengths and arrival times must only
  // contain requests of clients.
  step.route = std::numeric_limits<racing::route_number>::max();
  keeper_.take(step);
}

void forecast_store::tick() {
  drain();
  auto board = keeper_.tick(std::chrono::steady_clock::now());
  if (!board && !has_board_) return;
  has_board_ = board != nullptr;
  on_board_(std::move(board));
}

std::vector<metrics::speculation_facts> forecast_store::budgets() const {
  // The maximum number of routes in the metrics. It is the same as the maximum number of targets in the metrics.
  constexpr std::size_t most_listed = 1'000;
  std::vector<metrics::speculation_facts> all;
  if (!keeper_.board()) return all;
  for (const auto& [name, route] : keeper_.board()->routes)
    if (adaptive_.contains(name) && all.size() < most_listed)
      all.push_back({name, route->is->max_extra_cost, std::clamp(route->reading.fill, 0.0, 1.0)});
  return all;
}

}  // namespace photofinish::gateway
