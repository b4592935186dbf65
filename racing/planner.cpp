#include "racing/planner.hpp"

#include <algorithm>

namespace photofinish::racing {
namespace {

// The length of the silence after which another attempt starts as a rescue, if the speeds of the targets are unknown.
// If the speeds are known, the length is computed from them.
constexpr std::chrono::seconds unknown_rescue{3};

// Returns the rank of a policy by how much it may spend. The cheapest policy has the rank 0.
int cost(race_policy policy) {
  switch (policy) {
    case race_policy::fallback: return 0;
    case race_policy::adaptive: return 1;
    case race_policy::hedge: return 2;
    case race_policy::all: return 3;
  }
  return 3;
}

std::optional<refused_override> refuse_costlier(const race_settings& settings, race_policy own_policy,
                                              std::size_t own_attempts, const plan_overrides& overrides) {
  const auto refuse = [](std::string header, const std::string& limit) {
    return refused_override{
        header, header + " may not make a race more expensive than the route's own policy: send " + limit};
  };
  if (overrides.policy && cost(*overrides.policy) > cost(own_policy))
    return refuse("x-race-policy", std::string(to_string(own_policy)) + " or a cheaper policy");
  if (overrides.hedge_delay && own_policy == race_policy::hedge && !settings.is_hedge_delay_auto &&
      *overrides.hedge_delay < settings.hedge_delay)
    return refuse("x-race-hedge-delay-ms", std::to_string(settings.hedge_delay.count()) + " or more");
  if (overrides.max_parallel && *overrides.max_parallel > settings.max_parallel)
    return refuse("x-race-max-parallel", std::to_string(settings.max_parallel) + " or less");
  if (overrides.max_attempts && *overrides.max_attempts > own_attempts)
    return refuse("x-race-max-attempts", std::to_string(own_attempts) + " or less");
  return std::nullopt;
}

// Decides which candidates take part in the race and which are skipped. If all usable candidates are in a cooldown,
// they take part nevertheless. Candidates whose limits the request seems to exceed take part only if no other candidate
// remains. They are not rejected, because the gateway only estimates the number of tokens, and the provider's own error
// is more exact.
void choose_candidates(const std::vector<candidate>& candidates, const scoreboard& board, instant now, caller_id caller,
                    planned_race& planned) {
  std::vector<std::size_t> cooling, too_long;
  for (std::size_t index = 0; index < candidates.size(); ++index) {
    const candidate& each = candidates[index];
    if (!each.has_key) planned.skipped.push_back({index, skip_reason::no_key, {}});
    else if (each.unsupported_param)
      planned.skipped.push_back({index, skip_reason::unsupported, *each.unsupported_param});
    else if (!each.unmet.empty())
      planned.skipped.push_back({index, skip_reason::required, std::string(each.unmet)});
    else if (!each.unpriced.empty())
      planned.skipped.push_back({index, skip_reason::unpriced, std::string(each.unpriced)});
    else if (each.is_busy) planned.skipped.push_back({index, skip_reason::busy, {}});
    else if (!each.too_long.empty()) too_long.push_back(index);
    else if (board.is_cooling(each.id, now, caller)) cooling.push_back(index);
    else planned.chosen.push_back(index);
  }
  if (planned.chosen.empty()) planned.chosen = std::move(cooling);
  else
    for (const std::size_t index : cooling) planned.skipped.push_back({index, skip_reason::cooldown, {}});
  if (planned.chosen.empty()) planned.chosen = std::move(too_long);
  else
    for (const std::size_t index : too_long)
      planned.skipped.push_back({index, skip_reason::too_long, std::string(candidates[index].too_long)});
}

}  // namespace

std::variant<planned_race, refused_override> make_plan(const std::vector<candidate>& candidates,
                                                       const race_settings& settings,
                                                       const plan_overrides& overrides,
                                                       const scoreboard& board, instant now, caller_id caller) {
  const race_policy own_policy = settings.policy.value_or(race_policy::all);
  const std::size_t own_attempts = settings.max_attempts.value_or(candidates.size());
  if (auto refused = refuse_costlier(settings, own_policy, own_attempts, overrides)) return *refused;

  planned_race planned;
  choose_candidates(candidates, board, now, caller, planned);
  race_plan& plan = planned.plan;
  plan.target_count = planned.chosen.size();
  plan.policy = overrides.policy.value_or(own_policy);
  plan.max_parallel = overrides.max_parallel.value_or(settings.max_parallel);
  plan.max_attempts = overrides.max_attempts.value_or(own_attempts);
  if (overrides.is_stored) plan.policy = race_policy::fallback, plan.max_parallel = 1;
  // If only one attempt may run at a time, no hedge or rescue can start while an attempt is silent. Therefore each
  // attempt gets the time limit of the policy fallback.
  if (plan.policy == race_policy::adaptive && plan.max_parallel == 1) plan.policy = race_policy::fallback;
  plan.wins = wins_of(settings, overrides.is_whole);
  plan.hedge_delay = overrides.hedge_delay.value_or(settings.hedge_delay);
  // As long as the automatic delay is unknown, a client may not choose a shorter delay than the route's configured
  // delay.
  if (settings.is_hedge_delay_auto && own_policy == race_policy::hedge)
    plan.hedge_delay = std::max(plan.hedge_delay, settings.hedge_delay);
  plan.race_timeout = settings.race_timeout;
  plan.answer_timeout = settings.total_timeout;
  plan.keep_runner_up = settings.keep_runner_up;
  plan.first_token_timeout = first_token_limit(settings, plan.policy, plan.target_count);
  if (plan.policy == race_policy::adaptive) plan.rescue_after = unknown_rescue;
  return planned;
}

}  // namespace photofinish::racing
