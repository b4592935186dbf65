#include "racing/speed_planner.hpp"

#include "racing/adaptive/deadline_rule.hpp"
#include "racing/adaptive_planner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr double least_cost = 1e-12;  // assumed cost of a usual request if no target has a price

std::optional<std::size_t> row_of(const forecast_terms& terms, std::size_t candidate) {
  const auto found = std::find(terms.candidates.begin(), terms.candidates.end(), candidate);
  if (found == terms.candidates.end()) return std::nullopt;
  return static_cast<std::size_t>(found - terms.candidates.begin());
}

void set_states(forecast_terms& terms, const std::vector<candidate>& candidates, const scoreboard& board, instant now,
                const planned_race& planned) {
  for (std::size_t row = 0; row < terms.targets.size(); ++row)
    if (terms.candidates[row] == forecast_terms::no_candidate) terms.targets[row].state = target_state::out;
  for (const skipped_candidate& each : planned.skipped) {
    const auto row = row_of(terms, each.candidate);
    if (!row) continue;
    target_state& state = terms.targets[*row].state;
    state = target_state::out;
    if (each.reason != skip_reason::cooldown) continue;
    state = board.is_limited(candidates[each.candidate].id, now) ? target_state::limited : target_state::cooling;
  }
}

// Returns the candidates that take part although the choice table does not contain them.
std::vector<std::size_t> not_compared(const forecast_terms& terms, const planned_race& planned) {
  std::vector<std::size_t> others;
  for (const std::size_t each : planned.chosen)
    if (!row_of(terms, each)) others.push_back(each);
  return others;
}

choice_request request_of(const forecast_terms& terms, const race_settings& settings,
                          const std::vector<std::size_t>& others) {
  const route_speed& route = *terms.route;
  choice_request request;
  request.sort = sort_of(settings);
  request.output_tokens = terms.output_tokens;
  request.draw = terms.draw;
  request.may_use_cooling = others.empty();
  const double own_cost = terms.targets.empty() ? 0 : terms.targets.front().win_cost;
  request.usual_cost = std::max(route.reading.usual_cost > 0 ? route.reading.usual_cost : own_cost, least_cost);
  request.price = route.reading.price > 0 ? route.reading.price : terms.table->rows().front().alone;
  request.probe_stock = route.budget->stock();
  request.bucket = route.budget->bucket();
  request.follows_cache = follows_cache(settings);
  request.twin_hedges = settings.cache.twin_hedges;
  request.finish_prefill = settings.cache.finish_prefill;
  request.usual_seconds = route.reading.objective;
  return request;
}

void pay_for_probe(const forecast_terms& terms, adaptive_choice& choice) {
  if (!choice.probe) return;
  speculation_budget& budget = *terms.route->budget;
  const double loss = terms.targets[*choice.probe].loss_cost;
  const bool is_paid = choice.is_probe_from_bucket
                           ? budget.take_for_hedge(loss, terms.caller) == hedge_answer::granted
                           : budget.take_for_probe(loss);
  if (!is_paid) choice.probe.reset(), choice.why_probe = probe_cause::none;
}

// Limits for the choice of targets, from the settings of the race and from the request.
struct choice_limits {
  std::size_t max_parallel = 1;
  std::optional<std::size_t> max_attempts;
  std::optional<std::chrono::milliseconds> deadline;
  bool is_whole = false;
};

// Chooses the targets, but takes no amount from the budget yet.
adaptive_choice choose_within(const forecast_terms& terms, const race_settings& settings, const choice_limits& limits,
                              const std::vector<std::size_t>& others) {
  choice_request request = request_of(terms, settings, others);
  const bool may_be_several = limits.max_parallel > 1 && limits.max_attempts.value_or(2) > 1;
  request.may_hedge = terms.route->budget->share() > 0 && may_be_several;
  request.may_hedge_twice = request.may_hedge && limits.max_parallel > 2 && terms.table->has_thirds();
  adaptive_choice choice = choose(*terms.table, terms.targets, request);
  if (limits.deadline) {
    if (limits.is_whole) request.sort = target_sort::finish;  // the client waits for the end of the answer
    meet_deadline(*terms.table, terms.targets, request, std::chrono::duration<double>(*limits.deadline).count(),
                  limits.max_parallel, choice);
  }
  return choice;
}

void plan_adaptive(const forecast_terms& terms, const race_settings& settings, const plan_overrides& overrides,
                   planned_race& planned) {
  const choice_limits limits{planned.plan.max_parallel,
                             overrides.max_attempts ? overrides.max_attempts : settings.max_attempts,
                             overrides.deadline ? overrides.deadline : settings.deadline, overrides.is_whole};
  const std::vector<std::size_t> others = not_compared(terms, planned);
  terms.route->budget->expect(terms.targets.front().win_cost);
  adaptive_choice choice = choose_within(terms, settings, limits, others);
  pay_for_probe(terms, choice);
  apply_choice(choice, terms.candidates, others, limits.max_attempts, planned);
  if (overrides.hedge_delay)
    for (auto& after : planned.plan.hedge_after) after = std::max(after, *overrides.hedge_delay);
  // A target in a cooldown may still be used as a probe. In this case it is not listed as skipped.
  std::erase_if(planned.skipped, [&planned](const skipped_candidate& each) {
    return std::find(planned.chosen.begin(), planned.chosen.end(), each.candidate) != planned.chosen.end();
  });
  planned.choice = choice;
}

void sort_plan(const forecast_terms& terms, const race_settings& settings, planned_race& planned) {
  const std::vector<std::size_t> others = not_compared(terms, planned);
  const adaptive_choice order = order_by(*terms.table, terms.targets, request_of(terms, settings, others));
  planned.chosen.clear();
  for (std::size_t place = 0; place < order.count; ++place)
    planned.chosen.push_back(terms.candidates[order.order[place]]);
  planned.chosen.insert(planned.chosen.end(), others.begin(), others.end());
}

// Sets the hedge delay of this race. The delay depends on the prompt and on the first target.
void set_delay(const forecast_terms& terms, const plan_overrides& overrides, planned_race& planned) {
  const auto row = row_of(terms, planned.chosen.front());
  if (!row || terms.table->rows()[*row].known.samples == 0) return;
  const double seconds = automatic_delay(*terms.table, *row, terms.targets[*row]);
  const auto limit = static_cast<double>(planned.plan.race_timeout.count());
  const auto delay = std::chrono::milliseconds(std::llround(std::clamp(seconds * 1'000, 1.0, limit)));
  planned.plan.hedge_delay = std::max(delay, overrides.hedge_delay.value_or(delay));
}

}  // namespace

adaptive_choice foresee(const forecast_terms& terms, const race_settings& settings) {
  if (settings.policy == race_policy::adaptive && settings.max_parallel > 1)
    return choose_within(terms, settings, {settings.max_parallel, settings.max_attempts, settings.deadline}, {});
  return order_by(*terms.table, terms.targets, request_of(terms, settings, {}));
}

void plan_by_speed(forecast_terms& terms, const std::vector<candidate>& candidates, const race_settings& settings,
                   const plan_overrides& overrides, const scoreboard& board, instant now, planned_race& planned) {
  if (planned.chosen.empty() || terms.targets.empty()) return;
  set_states(terms, candidates, board, now, planned);
  if (follows_cache(settings)) expect_hits(terms.table->rows(), terms.targets);
  if (planned.plan.policy == race_policy::adaptive) return plan_adaptive(terms, settings, overrides, planned);
  if (sort_of(settings) != target_sort::listed) sort_plan(terms, settings, planned);
  // If the route's own policy is `all`, any hedge is cheaper than this policy, whatever its delay. Therefore a delay
  // that the client requests is used unchanged.
  const bool is_named = settings.policy == race_policy::all && overrides.hedge_delay;
  if (planned.plan.policy == race_policy::hedge && settings.is_hedge_delay_auto && !is_named)
    set_delay(terms, overrides, planned);
}

}  // namespace photofinish::racing
