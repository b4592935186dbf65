#include "racing/forecast/forecaster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace photofinish::racing {
namespace {

// The longest time for which an attempt may be silent. After this time, the event that ended it was probably lost.
constexpr std::chrono::minutes longest_silence{30};
constexpr double least_fading = 60;                  // seconds
constexpr double faded_requests = 30;  // if requests are rare, a result loses its weight after this number of requests
constexpr double gap_rate = 0.05;
// If the expected probability of a cache hit is between these values, a first token is evaluated only after the number
// of cached tokens is known.
constexpr double sure_hit = 0.9, sure_miss = 0.1;
// The longest time to wait for the provider's number of cached tokens. After that, the expected number is used.
constexpr std::chrono::minutes longest_unread{5};

bool waits_for_usage(const attempt_event& event) {
  const double chance = event.match.hit_chance;
  return event.is_usage_expected && !event.cached_tokens && event.match.exists() && chance > sure_miss &&
         chance < sure_hit;
}

}  // namespace

target_number forecaster::target(std::string_view name) {
  if (const auto known = target_names_.find(std::string(name)); known != target_names_.end()) return known->second;
  if (targets_.size() >= max_targets) return static_cast<target_number>(max_targets - 1);
  const auto number = static_cast<target_number>(targets_.size());
  targets_.emplace_back();
  target_names_.emplace(name, number);
  return number;
}

route_number forecaster::route(std::string_view name, std::vector<target_number> targets) {
  if (targets.size() > max_route_targets) targets.resize(max_route_targets);
  std::erase_if(targets, [this](target_number each) { return each >= targets_.size(); });
  const auto known = route_names_.find(std::string(name));
  if (known != route_names_.end()) {
    routes_[known->second].targets = std::move(targets);
    return known->second;
  }
  if (routes_.size() >= max_routes) return static_cast<route_number>(max_routes - 1);
  const auto number = static_cast<route_number>(routes_.size());
  routes_.emplace_back().targets = std::move(targets);
  route_names_.emplace(name, number);
  return number;
}

void forecaster::take(const attempt_event& event) {
  if (event.target >= targets_.size()) return;
  if (events_.size() >= 2 * max_events) events_.erase(events_.begin(), events_.begin() + max_events);
  events_.push_back(event);
}

forecast forecaster::tick(instant now) {
  now = std::max(now, last_tick_);
  last_tick_ = now;
  std::stable_sort(events_.begin(), events_.end(),
                   [](const attempt_event& a, const attempt_event& b) { return a.at < b.at; });
  for (const attempt_event& each : events_) learn(each, now);
  events_.clear();
  if (events_.capacity() > 4'096) events_.shrink_to_fit();
  share_levels();
  forecast made;
  made.number = ++ticks_;
  made.at = now;
  made.targets.reserve(targets_.size());
  for (watched_target& each : targets_) {
    give_up_waiting(each, now);
    const double gap = each.last_route < routes_.size() ? routes_[each.last_route].gap : 0;
    const auto silent = silent_of(each, now);
    made.targets.push_back(each.model.read(now, std::max(least_fading, faded_requests * gap), silent));
  }
  for (const watched_route& each : routes_) made.routes.push_back(each.lengths);
  made.key_errors = keys_.read(now);
  return made;
}

void forecaster::learn(attempt_event event, instant now) {
  // The event's time must not be in the future, because it would make all other samples seem old. Clocks may differ, so
  // the time is limited to `now`.
  event.at = std::min(event.at, now);
  watched_target& target = targets_[event.target];
  if (event.step == attempt_step::began) return began(target, event);
  if (event.step == attempt_step::usage) return usage_came(target, event);
  if (event.step == attempt_step::answered) {
    if (event.route < routes_.size()) routes_[event.route].lengths.add(event.output_tokens, event.max_tokens);
  } else {
    std::erase_if(target.open, [&](const open_attempt& each) { return each.attempt == event.attempt; });
  }
  if (event.key != 0 && event.step == attempt_step::failed) {
    keys_.failed(key_at(event.target, event.key), event.at);
    event.step = attempt_step::dropped;
  }
  if (event.key != 0 && event.step == attempt_step::spoke) keys_.answered(key_at(event.target, event.key), event.at);
  if (event.step == attempt_step::spoke) {
    target.last_answered_start = std::max(target.last_answered_start, std::min(event.started_at, now));
    return spoke(target, event);
  }
  target.model.learn(event);
}

void forecaster::spoke(watched_target& target, const attempt_event& event) {
  if (!waits_for_usage(event) || target.unread.size() >= max_open) {
    target.model.learn(event);
    return;
  }
  target.model.note_answer(event);
  target.unread.push_back(event);
}

void forecaster::usage_came(watched_target& target, const attempt_event& event) {
  target.model.learn(event);
  const auto is_it = [&event](const attempt_event& each) { return each.attempt == event.attempt; };
  const auto waiting = std::find_if(target.unread.begin(), target.unread.end(), is_it);
  if (waiting == target.unread.end()) return;
  waiting->cached_tokens = event.cached_tokens;
  target.model.learn_time(*waiting);
  target.unread.erase(waiting);
}

void forecaster::give_up_waiting(watched_target& target, instant now) {
  std::erase_if(target.unread, [&](const attempt_event& each) {
    if (now - each.at <= longest_unread) return false;
    target.model.learn_time(each);
    return true;
  });
}

void forecaster::began(watched_target& target, const attempt_event& event) {
  if (target.open.size() < max_open)
    target.open.push_back({event.attempt, event.at, event.input_tokens, event.in_flight, event.match, event.is_twin});
  if (event.route >= routes_.size()) return;
  target.last_route = event.route;
  watched_route& route = routes_[event.route];
  if (route.last_request != instant{})
    route.gap += gap_rate * (seconds_between(route.last_request, event.at) - route.gap);
  route.last_request = event.at;
}

// Until a target is measured, assumes that it is as good as the best target of its route, so that requests use it.
void forecaster::share_levels() {
  for (const watched_route& route : routes_) {
    double best = std::numeric_limits<double>::infinity();
    for (const target_number each : route.targets)
      if (targets_[each].model.samples() > 0) best = std::min(best, targets_[each].model.level_value());
    if (!std::isfinite(best)) continue;
    for (const target_number each : route.targets) targets_[each].model.assume(best);
  }
}

// Returns the silent attempts that began later than every attempt that has answered. Older silent attempts are ignored:
// the fast attempts of the same age have already ended, so the remaining attempts would make the target look too slow.
std::vector<silent_attempt> forecaster::silent_of(watched_target& target, instant now) {
  std::erase_if(target.open, [now](const open_attempt& each) { return now - each.started_at > longest_silence; });
  std::vector<silent_attempt> silent;
  for (const open_attempt& each : target.open)
    if (each.started_at > target.last_answered_start)
      silent.push_back({seconds_between(each.started_at, now), each.input_tokens, each.in_flight, each.match,
                        each.is_twin});
  return silent;
}

std::size_t forecaster::memory_bytes() const {
  std::size_t bytes = events_.capacity() * sizeof(attempt_event) + targets_.capacity() * sizeof(watched_target) +
                      routes_.capacity() * sizeof(watched_route);
  for (const watched_target& each : targets_)
    bytes += each.open.capacity() * sizeof(open_attempt) + each.unread.capacity() * sizeof(attempt_event);
  return bytes;
}

}  // namespace photofinish::racing
