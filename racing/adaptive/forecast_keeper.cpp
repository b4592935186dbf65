#include "racing/adaptive/forecast_keeper.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr std::chrono::seconds in_use{60};  // a route or a class of prompt sizes counts as used for this time after a
                                            // request
constexpr std::chrono::seconds idle_refresh{30};  // interval at which the tables of unused routes are rebuilt
// The maximum number of tables that are rebuilt per second for unused routes. It is limited, because rebuilding a table
// takes a few milliseconds.
constexpr std::size_t most_idle_made = 20;
// A table is rebuilt when the number of its samples has grown by a quarter. During the life of a target, this happens
// about forty times.
constexpr std::uint64_t much_more = 4;
// The budget may be enough for third attempts if the setting max_extra_cost has at least this value.
constexpr double affords_thirds = 0.3;

// Returns the usual number of tokens of a prompt in this size class: the geometric mean of the limits of the class.
double usual_tokens(std::size_t input) {
  const value_class range = input_class(input);
  const double from = std::max(16.0, static_cast<double>(range.from));
  return std::sqrt(from * static_cast<double>(range.to.value_or(4 * range.from)));
}

}  // namespace

void forecast_keeper::adopt(const std::vector<compared_route>& routes) {
  std::map<std::string, kept_route> before = std::exchange(routes_, {});
  by_number_.clear();
  auto targets = std::make_shared<std::unordered_map<std::string, target_number>>();
  for (const compared_route& each : routes) {
    if (const auto known = before.find(each.name); known != before.end()) routes_.insert(before.extract(known));
    keep(each);
    const kept_route& kept = routes_.at(each.name);
    for (std::size_t row = 0; row < kept.targets.size(); ++row)
      targets->emplace(kept.is->targets[row], kept.targets[row]);
  }
  targets_ = std::move(targets);
}

void forecast_keeper::keep(const compared_route& each) {
  kept_route& kept = routes_[each.name];
  const bool is_same = kept.is && *kept.is == each;
  const bool has_budget =
      kept.budget && kept.is->max_extra_cost == each.max_extra_cost && kept.is->is_priced == each.is_priced;
  if (!has_budget) kept.budget = std::make_shared<speculation_budget>(each.max_extra_cost);
  if (!is_same) {
    auto is = std::make_shared<compared_route>(each);
    if (is->targets.size() > max_rows) is->targets.resize(max_rows), is->vendors.resize(max_rows);
    kept.targets.clear();
    for (const std::string& name : is->targets) kept.targets.push_back(forecaster_.target(name));
    kept.number = forecaster_.route(each.name, kept.targets);
    kept.is = std::move(is);
    kept.last_first->store(0, std::memory_order_relaxed);
    kept.tables = {};
    kept.made_at = {};
  }
  if (by_number_.size() <= kept.number) by_number_.resize(kept.number + 1);
  by_number_[kept.number] = &kept;
}

void forecast_keeper::take(const attempt_event& event) {
  if (!is_on()) return;
  forecaster_.take(event);
  if (event.step != attempt_step::began || event.route >= by_number_.size() || !by_number_[event.route]) return;
  kept_route& route = *by_number_[event.route];
  const double tokens = std::isfinite(event.input_tokens) ? std::clamp(event.input_tokens, 0.0, 1e9) : 0;
  route.last_class = input_class_of(static_cast<std::uint64_t>(tokens));
  route.asked[route.last_class] = route.asked_at = event.at;
}

std::shared_ptr<const forecast_board> forecast_keeper::tick(instant now) {
  board_ = nullptr;
  if (!is_on()) return nullptr;
  const double seconds = last_tick_ == instant{} ? 0 : seconds_between(last_tick_, now);
  last_tick_ = now;
  known_ = forecaster_.tick(now);
  auto board = std::make_shared<forecast_board>();
  board->number = known_.number;
  board->at = now;
  board->targets = targets_;
  board->starts = starts_;
  board->key_errors = known_.key_errors;
  std::size_t idle_made = 0;
  for (auto& [name, each] : routes_) {
    if (is_due(each, now, idle_made)) make_tables(each, now);
    auto speed = std::make_shared<route_speed>();
    speed->is = each.is;
    speed->number = each.number;
    speed->targets = each.targets;
    speed->budget = each.budget;
    speed->reading = each.budget->tick(seconds);
    speed->lengths = known_.routes[each.number];
    speed->last_first = each.last_first;
    speed->tables = each.tables;
    board->routes.emplace(name, std::move(speed));
  }
  board_ = board;
  return board;
}

bool forecast_keeper::is_due(const kept_route& each, instant now, std::size_t& idle_made) const {
  if (each.made_at == instant{} || now - each.asked_at < in_use) return true;
  const bool is_old = now - each.made_at >= idle_refresh || is_known_better(each);
  return is_old && idle_made++ < most_idle_made;
}

// True if another route or another gateway has added many samples for one of the targets since this route's table was
// made. The table is then rebuilt, so that the next request uses the new samples.
bool forecast_keeper::is_known_better(const kept_route& each) const {
  for (std::size_t row = 0; row < each.targets.size(); ++row)
    if (known_.targets[each.targets[row]].samples > each.samples[row] + each.samples[row] / much_more) return true;
  return false;
}

void forecast_keeper::make_tables(kept_route& each, instant now) {
  std::vector<table_target> rows;
  each.samples.clear();
  for (std::size_t row = 0; row < each.targets.size(); ++row) {
    rows.push_back({&known_.targets[each.targets[row]], each.is->vendors[row]});
    each.samples.push_back(rows.back().known->samples);
  }
  for (std::size_t input = 0; input < input_classes; ++input) {
    const bool was_asked = each.asked[input] != instant{} && now - each.asked[input] < in_use;
    const bool is_used = was_asked || input == each.last_class;
    each.tables[input] = is_used ? std::make_shared<const choice_table>(rows, usual_tokens(input),
                                                                        each.is->max_extra_cost >= affords_thirds)
                                 : nullptr;
  }
  each.made_at = now;
}

}  // namespace photofinish::racing
