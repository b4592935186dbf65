#include "gateway/housekeeping/speed_keeping.hpp"

#include "gateway/records/price_book.hpp"
#include "proxy/providers/url.hpp"
#include "racing/race_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>

namespace photofinish::gateway {
namespace {

bool is_local(const config& settings, const target_name& target) {
  const auto provider = settings.providers.find(target.provider);
  return provider != settings.providers.end() && proxy::is_loopback(provider->second.url.host);
}

// In money, where all that is to be paid has a price; engines on this machine cost nothing then.
bool is_priced(const config& settings, const route& each) {
  bool has_price = false;
  for (const target_name& target : each.targets) {
    const bool is_known = prices_of(settings, target) != nullptr;
    has_price |= is_known;
    if (!is_known && !is_local(settings, target)) return false;
  }
  return has_price;
}

racing::compared_route compared(const config& settings, const route& each) {
  racing::compared_route made{each.name, {}, {}, each.race.max_extra_cost, is_priced(settings, each)};
  for (const target_name& target : each.targets) {
    const auto provider = settings.providers.find(target.provider);
    made.targets.push_back(target.text());
    made.vendors.push_back(static_cast<std::uint32_t>(std::distance(settings.providers.begin(), provider)));
  }
  return made;
}

}  // namespace

std::vector<racing::compared_route> compared_routes(const config& settings) {
  std::vector<racing::compared_route> all;
  const bool is_asked_for =
      std::any_of(settings.routes.begin(), settings.routes.end(), [](const auto& entry) {
        return entry.second.targets.size() > 1 && racing::needs_speed(entry.second.race);
      });
  if (!is_asked_for) return all;
  for (const auto& [name, each] : settings.routes)
    if (each.targets.size() > 1) all.push_back(compared(settings, each));
  return all;
}

void speed_keeping::adopt(const config& settings) {
  keeper_.adopt(compared_routes(settings));
  adaptive_.clear();
  for (const auto& [name, each] : settings.routes)
    if (each.race.policy == racing::race_policy::adaptive) adaptive_.insert(name);
  for (auto& each : rings_)
    if (keeper_.is_on() && !each) each = std::make_unique<worker_rings>();
  tick();
}

void speed_keeping::drain() {
  for (auto& each : rings_) {
    if (!each) continue;
    while (const auto step = each->steps.pop()) keeper_.take(*step);
    while (auto receipt = each->receipts.pop()) receipts_.put(std::move(*receipt));
  }
}

void speed_keeping::tick() {
  drain();
  auto board = keeper_.tick(std::chrono::steady_clock::now());
  if (!board && !has_board_) return;
  has_board_ = board != nullptr;
  on_board_(std::move(board));
}

std::vector<metrics::speculation_facts> speed_keeping::budgets() const {
  constexpr std::size_t most_shown = 1'000;  // as many as have series of their own
  std::vector<metrics::speculation_facts> all;
  if (!keeper_.board()) return all;
  for (const auto& [name, route] : keeper_.board()->routes)
    if (adaptive_.contains(name) && all.size() < most_shown)
      all.push_back({name, route->is->max_extra_cost, std::clamp(route->reading.fill, 0.0, 1.0)});
  return all;
}

}  // namespace photofinish::gateway
