#include "gateway/page/fleet_figures.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace photofinish::gateway {
namespace {

using shared_json = nlohmann::json;

constexpr std::size_t longest_label = 1'024;
constexpr std::uint64_t largest_count = std::uint64_t{1} << 53;

const shared_json& member_of(const shared_json& from, const std::string& name) {
  static const shared_json none;
  const auto found = from.is_object() ? from.find(name) : from.end();
  return from.is_object() && found != from.end() ? *found : none;
}

double amount_in(const shared_json& from, const std::string& name) {
  const shared_json& value = member_of(from, name);
  const double amount = value.is_number() ? value.get<double>() : 0;
  return std::isfinite(amount) ? std::clamp(amount, 0.0, 1e15) : 0;
}

std::uint64_t count_in(const shared_json& from, const std::string& name) {
  const shared_json& value = member_of(from, name);
  return value.is_number_unsigned() ? std::min(value.get<std::uint64_t>(), largest_count) : 0;
}

std::string label_in(const shared_json& from, const char* name) {
  const shared_json& value = member_of(from, name);
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  return text.size() <= longest_label ? text : std::string();
}

template <class Enum>
void read_counts(metrics::by<Enum, std::uint64_t>& into, const shared_json& words) {
  into.for_each([&](Enum word, std::uint64_t) { into[word] = count_in(words, std::string(to_string(word))); });
}

template <class Enum, class Number>
void add_all(metrics::by<Enum, Number>& into, const metrics::by<Enum, Number>& other) {
  other.for_each([&](Enum word, Number value) { into[word] += value; });
}

live_target read_target(const shared_json& from) {
  live_target target{.name = label_in(from, "target"),
                     .in_flight = count_in(from, "in_flight"),
                     .unpriced = count_in(from, "unpriced")};
  read_counts(target.outcomes, member_of(from, "attempts"));
  read_counts(target.failures, member_of(from, "failures"));
  const shared_json& cost = member_of(from, "cost_usd");
  target.usd[metrics::cost_kind::winner] = amount_in(cost, "winner");
  target.usd[metrics::cost_kind::loser] = amount_in(cost, "loser");
  return target;
}

live_route read_route(const shared_json& from) {
  live_route route;
  route.name = label_in(from, "route");
  route.in_flight = static_cast<std::int64_t>(count_in(from, "in_flight"));
  route.requests = count_in(from, "requests");
  const shared_json& speculation = member_of(from, "speculation");
  if (!speculation.is_object()) return route;
  live_speculation& adaptive = route.adaptive.emplace();
  read_counts(adaptive.starts, member_of(speculation, "starts"));
  adaptive.held_back = count_in(speculation, "hedges_held_back");
  read_counts(adaptive.moves, member_of(speculation, "moves"));
  adaptive.moves_usd = amount_in(speculation, "move_cost_usd");
  adaptive.spent.for_each([&](metrics::currency in, const auto& costs) {
    const shared_json& spent = member_of(member_of(speculation, "spent"), std::string(to_string(in)));
    costs.for_each([&](metrics::spent_on on, double) {
      adaptive.spent[in][on] = amount_in(spent, std::string(to_string(on)));
    });
  });
  return route;
}

void add(live_target& into, const live_target& other) {
  into.in_flight += other.in_flight;
  into.unpriced += other.unpriced;
  add_all(into.outcomes, other.outcomes);
  add_all(into.failures, other.failures);
  add_all(into.usd, other.usd);
}

void add(live_route& into, const live_route& other) {
  into.in_flight += other.in_flight;
  into.requests += other.requests;
  if (!into.adaptive || !other.adaptive) return;
  add_all(into.adaptive->starts, other.adaptive->starts);
  into.adaptive->held_back += other.adaptive->held_back;
  add_all(into.adaptive->moves, other.adaptive->moves);
  into.adaptive->moves_usd += other.adaptive->moves_usd;
  other.adaptive->spent.for_each([&](metrics::currency in, const auto& costs) {
    costs.for_each([&](metrics::spent_on on, double cost) { into.adaptive->spent[in][on] += cost; });
  });
}

}  // namespace

std::string shared_figures_text(live_figures figures, std::size_t longest) {
  for (live_target& each : figures.targets) each.price = nullptr;
  for (live_route& each : figures.routes) each.next.reset(), each.targets.clear();
  figures.scope = {};
  sort_by_use(figures.targets);
  std::string text = figures_text(figures) + "}";
  while (text.size() > longest && figures.targets.size() + figures.routes.size() > 1) {
    figures.targets.resize(figures.targets.size() / 2);
    figures.routes.resize(figures.routes.size() / 2);
    text = figures_text(figures) + "}";
  }
  return text;
}

std::optional<live_figures> read_shared_figures(std::string_view text) {
  const shared_json from = shared_json::parse(text, nullptr, false);
  if (!from.is_object() || label_in(from, "object") != "feed") return std::nullopt;
  live_figures figures;
  figures.gateway = label_in(from, "answered_by");
  const shared_json& requests = member_of(from, "requests");
  figures.requests = count_in(requests, "total");
  figures.requests_per_second = amount_in(requests, "per_second");
  figures.in_flight = static_cast<std::int64_t>(count_in(requests, "in_flight"));
  const shared_json &targets = member_of(from, "targets"), &routes = member_of(from, "routes");
  if (!targets.is_array() || !routes.is_array()) return std::nullopt;
  for (std::size_t at = 0; at < std::min(targets.size(), most_live_targets); ++at)
    if (live_target target = read_target(targets[at]); !target.name.empty())
      figures.targets.push_back(std::move(target));
  for (std::size_t at = 0; at < std::min(routes.size(), most_live_routes); ++at)
    if (live_route route = read_route(routes[at]); !route.name.empty()) figures.routes.push_back(std::move(route));
  return figures;
}

void add_figures(live_figures& into, const live_figures& other) {
  into.requests += other.requests;
  into.requests_per_second += other.requests_per_second;
  into.in_flight += other.in_flight;
  for (const live_target& each : other.targets) {
    const auto is_it = [&](const live_target& mine) { return mine.name == each.name; };
    const auto found = std::find_if(into.targets.begin(), into.targets.end(), is_it);
    if (found != into.targets.end()) add(*found, each);
    else if (into.targets.size() < most_live_targets) into.targets.push_back(each);
  }
  for (const live_route& each : other.routes) {
    const auto is_it = [&](const live_route& mine) { return mine.name == each.name; };
    const auto found = std::find_if(into.routes.begin(), into.routes.end(), is_it);
    if (found != into.routes.end()) add(*found, each);
  }
}

live_figures without_counts(live_figures figures) {
  figures.requests = 0;
  figures.requests_per_second = 0;
  figures.in_flight = 0;
  for (live_target& each : figures.targets) each = live_target{.name = std::move(each.name), .price = each.price};
  for (live_route& each : figures.routes) {
    each.in_flight = 0;
    each.requests = 0;
    each.next.reset();
    if (!each.adaptive) continue;
    each.adaptive = live_speculation{.max_extra_cost = each.adaptive->max_extra_cost};
  }
  return figures;
}

}  // namespace photofinish::gateway
