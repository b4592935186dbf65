#include "racing/race_plan.hpp"

#include <algorithm>

namespace photofinish::racing {

target_sort sort_of(const race_settings& settings) {
  return settings.sort.value_or(settings.policy == race_policy::adaptive ? target_sort::ttft : target_sort::listed);
}

bool follows_cache(const race_settings& settings) {
  const bool is_adaptive = settings.policy == race_policy::adaptive;
  return settings.cache.prompt_cache.value_or(is_adaptive ? prompt_caches::follow : prompt_caches::ignore) ==
         prompt_caches::follow;
}

win_on wins_of(const race_settings& settings, bool is_whole) {
  return settings.wins.value_or(is_whole && sort_of(settings) == target_sort::finish ? win_on::finish : win_on::any);
}

bool needs_speed(const race_settings& settings) {
  // A request may change the policy `all` to `hedge`, and the race then needs the automatic hedge delay.
  const bool may_hedge = settings.policy == race_policy::hedge || settings.policy == race_policy::all;
  return settings.policy == race_policy::adaptive || sort_of(settings) != target_sort::listed ||
         settings.wins == win_on::finish || (may_hedge && settings.is_hedge_delay_auto);
}

std::chrono::milliseconds first_token_limit(const race_settings& settings, race_policy policy,
                                            std::size_t target_count) {
  if (settings.first_token_timeout) return std::min(*settings.first_token_timeout, settings.race_timeout);
  if (policy != race_policy::fallback) return settings.race_timeout;
  return settings.race_timeout / static_cast<std::int64_t>(std::max<std::size_t>(1, target_count));
}

}  // namespace photofinish::racing
