#include "racing/advice/route_advice.hpp"

#include "racing/advice/route_cells.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

using std::chrono::milliseconds;

// A time is reported only if at least this number of requests was observed for this time or longer.
constexpr double at_risk = 20;
constexpr std::uint64_t least_seen = 20;   // a target counts as known only after this number of first tokens
// A target counts as known only if, for at least this share of the requests, the target had an attempt within an hour
// of the request.
constexpr double least_watched = 0.5;
constexpr double worth_telling = 0.2;   // smallest change of a target's usual time that is reported, as a share
// The smallest effect of running attempts that is reported: by how much the logarithm of the time to the first token
// increases with each further attempt.
constexpr double worth_its_load = 0.02;
// A group of requests is ignored if its share of all requests is at most this value. The slowest requests are ignored
// in the same way.
constexpr double settled = 0.002;
constexpr std::array<milliseconds, 6> usual_delays{milliseconds{100}, milliseconds{200},   milliseconds{300},
                                                   milliseconds{500}, milliseconds{1'000}, milliseconds{2'000}};

struct known_target {
  const target_record* record = nullptr;  // the pointer is null if nothing was measured for the target
  ttft_shape shape;
  sketch speed;
};

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, value))); }

template <class Bins>
double sum_of(const Bins& bins) {
  double sum = 0;
  for (const float each : bins) sum += static_cast<double>(each);
  return sum;
}

known_target merged(const speed_records& records, const std::string& name) {
  known_target made;
  const auto found = records.targets.find(name);
  if (found == records.targets.end()) return made;
  for (const target_slot& slot : found->second.slots) made.shape.merge(slot.shape), made.speed.merge(slot.speed);
  if (!found->second.minutes.empty()) made.record = &found->second;
  return made;
}

struct readings {
  std::vector<speed_cell> smoothed, low, high;
};

// Computes the predicted times for one plan, and how certain they are.
class what_if_teller {
 public:
  what_if_teller(const readings& cells, std::span<const known_target> targets) : cells_(cells) {
    for (const known_target& each : targets) {
      curves_.push_back(each.shape.curve());
      watched_.push_back(each.shape.curve_until(each.shape.watched_until(at_risk)));
    }
  }

  what_if_figures figures(const what_if_plan& plan) const { return what_if(plan, cells_.smoothed, curves_); }

  advised_figures first_token(const what_if_plan& plan, const what_if_figures& usual) const {
    const what_if_figures watched = what_if(plan, cells_.smoothed, watched_);
    return tell(usual, what_if(plan, cells_.low, curves_), what_if(plan, cells_.high, curves_), watched);
  }

  static advised_figures tell(const what_if_figures& usual, const what_if_figures& low, const what_if_figures& high,
                              const what_if_figures& watched) {
    advised_figures made;
    const double most = last_watched(watched);
    for (std::size_t at = 0; at < advised_shares.size(); ++at) {
      advised_figure& each = made[at];
      each.seconds = usual.quantile(advised_shares[at]);
      each.is_bound = watched.quantile(advised_shares[at]) == what_if_figures::none;
      if (each.is_bound) each.seconds = most;
      each.low = std::min(each.seconds, low.quantile(advised_shares[at]));
      const double highest = high.quantile(advised_shares[at]);
      if (each.low < 0) each.low = each.seconds;
      if (!each.is_bound && highest >= 0) each.high = std::max(each.seconds, highest);
    }
    return made;
  }

 private:
  // Returns the longest time for which requests were observed. Ignores a small share of requests that were observed
  // longer.
  static double last_watched(const what_if_figures& watched) {
    const double end = watched.silent.back() + settled * watched.weight;
    for (std::size_t k = 0; k < grid_points; ++k)
      if (watched.silent[k] <= end) return static_cast<double>(grid_times()[k]);
    return static_cast<double>(grid_times().back());
  }

  const readings& cells_;
  std::vector<survival_curve> curves_, watched_;
};

// Computes the times of whole answers: the time to the first token, plus the time in which the winner's target
// generates the answer.
class finish_teller {
 public:
  finish_teller(std::span<const known_target> targets, const sketch& answers) {
    constexpr std::size_t lengths = 20;
    if (answers.count() < least_seen) return;
    for (std::size_t at = 0; at < lengths; ++at)
      tokens_.push_back(*answers.quantile((static_cast<double>(at) + 0.5) / static_cast<double>(lengths)));
    for (const known_target& each : targets)
      speeds_.push_back(each.speed.count() < least_seen ? 0 : *each.speed.quantile(0.5));
  }

  // Returns the predictions for whole answers. Returns nothing if the speed of a possible winner is unknown.
  std::optional<what_if_figures> finish(const what_if_figures& first_token) const {
    if (tokens_.empty() || first_token.weight <= 0) return std::nullopt;
    double won = 0;
    for (const double each : first_token.wins) won += each;
    what_if_figures made;
    made.weight = first_token.weight;
    const grid_values silent = first_token.shares();
    for (std::size_t target = 0; target < speeds_.size(); ++target) {
      const double share = won > 0 ? first_token.wins[target] / won : 0;
      if (share <= settled) continue;
      if (speeds_[target] <= 0) return std::nullopt;
      for (const double tokens : tokens_)
        add(made, silent, tokens / speeds_[target], share / static_cast<double>(tokens_.size()));
    }
    return made;
  }

 private:
  static void add(what_if_figures& to, const grid_values& silent, double seconds, double share) {
    for (std::size_t k = 0; k < grid_points; ++k)
      to.silent[k] += to.weight * share * value_at(silent, static_cast<double>(grid_times()[k]) - seconds);
  }

  std::vector<double> tokens_, speeds_;
};

what_if_plan plan_of(const advised_route& route, race_policy policy, milliseconds delay) {
  const race_settings& settings = route.settings;
  what_if_plan made;
  made.policy = policy;
  made.at_once = settings.max_parallel;
  made.most = settings.max_attempts.value_or(max_advised);
  made.delay = std::chrono::duration<double>(delay).count();
  if (policy == race_policy::fallback)
    made.limit = std::chrono::duration<double>(first_token_limit(settings, policy, route.targets.size())).count();
  return made;
}

std::vector<milliseconds> delays_of(const race_settings& settings) {
  std::vector<milliseconds> all(usual_delays.begin(), usual_delays.end());
  if (settings.policy == race_policy::hedge && !settings.is_hedge_delay_auto) all.push_back(settings.hedge_delay);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// The number of attempts that won and lost at each target, and the number of tokens in their prompts.
struct tally {
  std::array<double, max_advised> wins{}, losses{}, won_tokens{}, lost_tokens{};
};

std::optional<double> extra_of(const tally& of, const advised_route& route, double output) {
  if (!route.cost) return std::nullopt;
  double won = 0, lost = 0;
  for (std::size_t target = 0; target < std::min(route.targets.size(), max_advised); ++target) {
    if (of.wins[target] > 0)
      won += of.wins[target] * route.cost(target, of.won_tokens[target] / of.wins[target], output).win;
    if (of.losses[target] > 0)
      lost += of.losses[target] * route.cost(target, of.lost_tokens[target] / of.losses[target], output).loss;
  }
  if (!(won > 0)) return std::nullopt;
  return lost / won;
}

present_policy present_of(const route_record& record, const advised_route& route, double output) {
  present_policy made;
  survival_times first_token, finish;
  tally all;
  double starts = 0, requests = 0;
  for (const route_slot& slot : record.slots) {
    first_token.merge(slot.first_token), finish.merge(slot.finish);
    requests += static_cast<double>(slot.prompts.count());
    for (const auto& [name, runs] : slot.runs) {
      starts += runs.starts;
      const auto at = std::find(route.targets.begin(), route.targets.end(), name);
      const auto target = static_cast<std::size_t>(at - route.targets.begin());
      if (target >= std::min(route.targets.size(), max_advised)) continue;
      all.wins[target] += runs.wins, all.won_tokens[target] += static_cast<double>(runs.won_tokens);
      all.losses[target] += runs.losses, all.lost_tokens[target] += static_cast<double>(runs.lost_tokens);
    }
  }
  made.answered = first_token.seen.count();
  made.cut_off = first_token.censored.count();
  for (std::size_t at = 0; at < advised_shares.size(); ++at) {
    made.first_token[at] = survival_quantile_of(first_token, advised_shares[at]);
    made.finish[at] = survival_quantile_of(finish, advised_shares[at]);
  }
  made.attempts = requests > 0 ? starts / requests : 0;
  made.extra_cost = extra_of(all, route, output);
  return made;
}

bool has_moved(const target_record& record) {
  const auto [low, high] = std::minmax_element(record.minutes.begin(), record.minutes.end(),
                                               [](const auto& a, const auto& b) { return a.level < b.level; });
  return static_cast<double>(high->level - low->level) > worth_telling;
}

// True if one race could use two targets of the same vendor.
bool shares_vendor(const advised_route& route) {
  for (std::size_t one = 0; one < route.vendors.size(); ++one)
    if (std::count(route.vendors.begin(), route.vendors.end(), route.vendors[one]) > 1) return true;
  return false;
}

class route_adviser {
 public:
  route_adviser(const speed_records& records, const advised_route& route, const route_record& record)
      : route_(route), record_(record) {
    for (std::size_t target = 0; target < std::min(route.targets.size(), max_advised); ++target)
      targets_.push_back(merged(records, route.targets[target]));
    for (const route_slot& slot : record.slots) answers_.merge(slot.answers);
  }

  route_advice make() {
    route_advice made;
    made.name = route_.name;
    for (const route_minute& each : record_.minutes) made.requests += each.requests;
    made.first_minute = record_.minutes.front().minute;
    made.present = present_of(record_, route_, answers_.mean());
    for (const route_slot& slot : record_.slots) add(made.conversations, slot.conversations);
    made.has_common_vendor = shares_vendor(route_);
    for (std::size_t target = 0; target < targets_.size(); ++target) made.targets.push_back(shown_target(target));
    const std::size_t known = known_in_order(made.targets);
    for (std::size_t target = 0; target < known; ++target) {
      made.has_moved |= has_moved(*targets_[target].record);
      made.follows_our_load |= targets_[target].record->load_slope > worth_its_load;
    }
    if (known > 0) add_policies(made, known);
    return made;
  }

 private:
  advised_target shown_target(std::size_t target) const {
    const known_target& each = targets_[target];
    advised_target made{route_.targets[target]};
    made.seen = whole(sum_of(each.shape.seen()));
    made.cut_off = whole(sum_of(each.shape.cut()));
    if (!each.record || made.seen < least_seen) return made;
    const target_record* const alone[] = {each.record};
    made.is_known = watched_share(record_, alone) >= least_watched;
    return made;
  }

  // Returns how many targets at the start of the list have been measured. Only plans that start no other targets can be
  // predicted.
  static std::size_t known_in_order(const std::vector<advised_target>& targets) {
    const auto unknown = std::find_if(targets.begin(), targets.end(), [](const auto& each) { return !each.is_known; });
    return static_cast<std::size_t>(unknown - targets.begin());
  }

  void add_policies(route_advice& made, std::size_t known) {
    std::vector<const target_record*> records;
    for (std::size_t target = 0; target < known; ++target) records.push_back(targets_[target].record);
    cells_ = {make_cells(record_, records, level_choice::smoothed), make_cells(record_, records, level_choice::low),
              make_cells(record_, records, level_choice::high)};
    const auto shown = std::span<const known_target>(targets_).first(known);
    const what_if_teller teller(cells_, shown);
    const finish_teller finisher(shown, answers_);
    made.policies.push_back(tell(teller, finisher, race_policy::fallback, std::nullopt));
    if (needed() > known) return;
    for (const milliseconds delay : delays_of(route_.settings))
      made.policies.push_back(tell(teller, finisher, race_policy::hedge, delay));
    made.policies.push_back(tell(teller, finisher, race_policy::all, std::nullopt));
  }

  // Returns how many targets run if no target answers.
  std::size_t needed() const {
    const std::size_t most = std::min(route_.settings.max_parallel, route_.settings.max_attempts.value_or(max_advised));
    return std::min(most, targets_.size());
  }

  advised_policy tell(const what_if_teller& teller, const finish_teller& finisher, race_policy policy,
                      std::optional<milliseconds> delay) const {
    const what_if_plan plan = plan_of(route_, policy, delay.value_or(milliseconds{0}));
    const what_if_figures usual = teller.figures(plan);
    advised_policy made{policy, delay, teller.first_token(plan, usual), std::nullopt, 0, std::nullopt};
    if (const auto finish = finisher.finish(usual))
      made.finish = what_if_teller::tell(*finish, *finish, *finish, *finish);
    tally all{usual.wins, {}, usual.won_tokens, {}};
    for (std::size_t target = 0; target < max_advised; ++target) {
      made.attempts += usual.starts[target] / std::max(usual.weight, 1e-9);
      all.losses[target] = std::max(0.0, usual.starts[target] - usual.wins[target]);
      all.lost_tokens[target] = std::max(0.0, usual.started_tokens[target] - usual.won_tokens[target]);
    }
    made.extra_cost = extra_of(all, route_, answers_.mean());
    return made;
  }

  const advised_route& route_;
  const route_record& record_;
  std::vector<known_target> targets_;
  sketch answers_;
  readings cells_;
};

}  // namespace

std::optional<route_advice> advise(const speed_records& records, const advised_route& route) {
  const auto found = records.routes.find(route.name);
  if (found == records.routes.end() || found->second.minutes.empty() || route.targets.empty()) return std::nullopt;
  return route_adviser(records, route, found->second).make();
}

}  // namespace photofinish::racing
