#include "gateway/housekeeping/stores/live_keeping.hpp"

#include "gateway/config/sources/instance.hpp"
#include "racing/adaptive/target_sort.hpp"
#include "racing/race_plan.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

namespace names = metrics::names;
using metrics::attempt_outcome;

// The maximum size in bytes of the figures that are sent to other gateways.
constexpr std::size_t longest_shared = 64u << 10;
// Live pages may request the separate figures of at most this many gateways.
constexpr std::size_t most_narrowed = 50;

void add(live_target& into, const metrics::target_series& from) {
  visit_cells(from.cell<names::attempts_total>(), [&](const auto& count, attempt_outcome outcome, auto reason) {
    const bool is_failure = outcome == attempt_outcome::failed || outcome == attempt_outcome::broken;
    into.outcomes[outcome] += count.value();
    if (is_failure) into.failures[reason] += count.value();
  });
  visit_cells(from.cell<names::cost_usd_total>(), [&](const auto& usd, auto kind) { into.usd[kind] += usd.value(); });
  into.unpriced += from.cell<names::unpriced_total>().value();
}

void add(live_speculation& into, const metrics::route_series& from) {
  visit_cells(from.cell<names::speculation_cost_total>(),
              [&](const auto& cost, auto purpose, auto currency) { into.spent[currency][purpose] += cost.value(); });
  visit_cells(from.cell<names::starts_total>(),
              [&](const auto& count, auto why) { into.starts[why] += count.value(); });
  visit_cells(from.cell<names::hedges_held_back_total>(),
              [&](const auto& count, auto) { into.held_back += count.value(); });
  visit_cells(from.cell<names::moves_total>(), [&](const auto& count, auto why) { into.moves[why] += count.value(); });
  into.moves_usd += from.cell<names::move_cost_usd_total>().value();
}

void note_cooldown(live_target& into, const racing::scoreboard& board, racing::instant now) {
  const auto until = board.cools_until.find(into.name);
  if (until != board.cools_until.end() && now < until->second)
    into.cools_seconds = std::chrono::duration<double>(until->second - now).count();
  into.is_limited = board.is_limited(into.name, now);
  const auto callers = board.cools_for.find(into.name);
  if (callers == board.cools_for.end()) return;
  for (const auto& [caller, end] : callers->second) into.cooling_callers += now < end ? 1 : 0;
}

live_route described(const route& each) {
  live_route made;
  made.name = each.name;
  made.policy = each.race.policy.value_or(racing::race_policy::all);
  made.sort = to_string(racing::sort_of(each.race));
  for (const target_name& target : each.targets) made.targets.push_back(target.text());
  made.max_parallel = each.race.max_parallel;
  if (made.policy == racing::race_policy::hedge && !each.race.is_hedge_delay_auto)
    made.hedge_seconds = std::chrono::duration<double>(each.race.hedge_delay).count();
  if (made.policy == racing::race_policy::adaptive) made.adaptive.emplace().max_extra_cost = each.race.max_extra_cost;
  return made;
}

std::uint64_t count_of(const metrics::request_series& series) {
  std::uint64_t sum = 0;
  visit_cells(series.cell<names::requests_total>(), [&](const auto& count, auto, auto) { sum += count.value(); });
  return sum;
}

}  // namespace

bool live_keeping::ask(racing::instant now, const std::string& only) {
  asked_at_ = now;
  const bool has_room = narrowed_.size() < most_narrowed || narrowed_.contains(only);
  if (!only.empty() && has_room) narrowed_[only] = now;
  return !std::exchange(is_open_, true);
}

void live_keeping::close_pages(racing::instant now) {
  std::erase_if(narrowed_, [&](const auto& each) { return now - each.second > patience; });
  if (!is_open_ || now - asked_at_ <= patience) return;
  is_open_ = false;
  on_open_(0);
  races_.clear();
  latest_.reset();
}

bool live_keeping::tick(racing::instant now, const sources& all) {
  close_pages(now);
  if (!is_open_ && !all.is_watched) {
    read_at_ = {};
    figures_.clear();
    shared_text_.clear();
    return false;
  }
  if (is_open_) races_.tick();
  live_figures own = read_figures(now, all);
  bound(own);
  shared_text_ = shared_figures_text(own, longest_shared);
  if (!is_open_) return true;
  write_figures(std::move(own), all);
  latest_ = compose(races_.sequence() - 1, {});
  return true;
}

void live_keeping::write_figures(live_figures own, const sources& all) {
  own_name_ = own.gateway;
  figures_.clear();
  live_figures sum = own;
  std::map<std::string, live_figures> others;
  for (const auto& [name, text] : all.others) {
    const auto figures = read_shared_figures(text);
    if (!figures) continue;
    add_figures(sum, *figures);
    if (narrowed_.contains(name)) add_figures(others.try_emplace(name, without_counts(own)).first->second, *figures);
  }
  const auto narrow = [&](live_figures figures, const std::string& name) {
    figures.scope = all.scope;
    figures.scope.gateway = name;
    figures.scope.note.clear();
    for (fleet_member& each : figures.scope.members) each.is_counted = each.name == name;
    figures_[name] = figures_text(figures);
  };
  for (auto& [name, figures] : others) narrow(std::move(figures), name);
  if (narrowed_.contains(own.gateway)) narrow(own, own.gateway);
  sum.scope = all.scope;
  figures_[std::string()] = figures_text(sum);
}

std::shared_ptr<const std::string> live_keeping::text(std::uint64_t since, const std::string& only) {
  if (!figures_.contains(only)) return nullptr;
  return only.empty() && latest_ && since + 1 == races_.sequence() ? latest_ : compose(since, only);
}

// If the page shows another gateway's figures, it contains no races, because gateways do not send each other the races
// of the live page.
std::shared_ptr<const std::string> live_keeping::compose(std::uint64_t since, const std::string& only) const {
  const std::uint64_t sequence = races_.sequence();
  const bool has_races = only.empty() || only == own_name_;
  const std::string races = has_races ? races_.changed_since(since > sequence ? 0 : since) : std::string();
  return std::make_shared<const std::string>(figures_.at(only) + R"(,"sequence":)" + std::to_string(sequence) +
                                             R"(,"races":[)" + races + "]}");
}

live_figures live_keeping::read_figures(racing::instant now, const sources& all) {
  live_figures made;
  made.version = all.version;
  if (settings_) made.gateway = instance_name(*settings_);
  made.started_at = all.started_at;
  made.at = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  made.shown_per_second = shown_per_second;
  const flight_map flights = read_flights_();
  read_targets(made, all, flights, now);
  read_routes(made, all);
  foresee_races(made, all, flights, now);
  const double seconds = std::chrono::duration<double>(now - read_at_).count();
  if (read_at_ != racing::instant{} && seconds > 0 && made.requests >= requests_)
    made.requests_per_second = static_cast<double>(made.requests - requests_) / seconds;
  read_at_ = now;
  requests_ = made.requests;
  return made;
}

void live_keeping::read_targets(live_figures& into, const sources& all, const flight_map& flights,
                                racing::instant now) {
  std::map<std::string, live_target> targets;
  const auto when = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  for (const metrics::shard* worker : shards_)
    for (const metrics::target_series* each : worker->list().targets) {
      const std::string name = each->provider.name + "/" + each->model;
      const auto [at, is_new] = targets.try_emplace(name);
      add(at->second, *each);
      if (!is_new) continue;
      at->second.name = name;
      note_cooldown(at->second, all.board, now);
      if (const auto found = flights.find(name); found != flights.end()) at->second.in_flight = found->second;
      if (!settings_) continue;
      const proxy::model_prices* prices = prices_.find(settings_, {each->provider.name, each->model});
      if (prices != nullptr) at->second.price = &prices->at(when);
    }
  for (auto& [name, each] : targets) {
    const bool is_folded = name.find("_other") != std::string::npos;
    if (!is_folded || each.attempts() > 0) into.targets.push_back(std::move(each));
  }
}

void live_keeping::read_routes(live_figures& into, const sources& all) {
  std::map<std::string, live_route> routes;
  if (settings_)
    for (const auto& [name, each] : settings_->routes) routes.emplace(name, described(each));
  for (const metrics::shard* worker : shards_) {
    const metrics::shard::listing known = worker->list();
    for (const metrics::route_series* each : known.routes) {
      into.in_flight += each->cell<names::inflight_requests>().value();
      const auto at = routes.find(each->name);
      if (at == routes.end()) continue;
      at->second.in_flight += each->cell<names::inflight_requests>().value();
      if (at->second.adaptive) add(*at->second.adaptive, *each);
    }
    for (const metrics::request_series* each : known.requests) {
      if (each->route.name == metrics::none_label) continue;
      into.requests += count_of(*each);
      if (const auto at = routes.find(each->route.name); at != routes.end()) at->second.requests += count_of(*each);
    }
  }
  for (const metrics::speculation_facts& each : all.budgets)
    if (const auto at = routes.find(each.route); at != routes.end() && at->second.adaptive)
      at->second.adaptive->fill = each.fill;
  if (settings_)
    for (const std::string& name : settings_->route_order)
      if (auto route = routes.extract(name)) into.routes.push_back(std::move(route.mapped()));
  for (auto& [name, each] : routes) into.routes.push_back(std::move(each));
}

// Makes forecasts only for the routes that the page shows, because each forecast takes several microseconds.
void live_keeping::foresee_races(live_figures& into, const sources& all, const flight_map& flights,
                                 racing::instant now) {
  if (!settings_) return;
  const std::function<const proxy::model_prices*(const target_name&)> prices_of =
      [this](const target_name& target) { return prices_.find(settings_, target); };
  const next_race_source from{*settings_, all.board, all.speed.get(), flights, prices_of, now,
                              std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())};
  for (std::size_t at = 0; at < std::min(into.routes.size(), most_live_routes); ++at) {
    const auto route = settings_->routes.find(into.routes[at].name);
    if (route == settings_->routes.end() || route->second.targets.size() < 2) continue;
    into.routes[at].next = next_race_of(route->second, from);
  }
}

}  // namespace photofinish::gateway
