#include "gateway/records/costs/race_cost.hpp"

#include "gateway/limits/limit_answers.hpp"
#include "gateway/records/account_rules.hpp"
#include "gateway/records/request_use.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace photofinish::gateway {
std::optional<double> cost_until_now(race_account& seen, const find_prices& prices_of, std::chrono::sys_seconds now) {
  cut_impossible_usage(seen);
  double usd = 0;
  for (std::size_t index = 0; index < seen.race.attempts.size(); ++index) {
    const racing::attempt_report& attempt = seen.race.attempts[index];
    const bool has_won = seen.race.winner == index;
    if (!has_won && !was_paid_for(attempt)) continue;
    const target_name& target = seen.planned[attempt.target].target;
    const proxy::model_prices* const prices = prices_of(target, tier_of(seen, attempt));
    if (prices == nullptr) return std::nullopt;
    if (has_won) usd += winner_cost(*prices, attempt.summary, tokens_of_winner(seen), now).usd;
    else usd += loser_cost(*prices, lost_tokens(seen, attempt), now).usd;
  }
  return usd;
}

std::string usd_text(double usd) {
  constexpr double most_usd = 1e9, nano = 1e9;
  return dollars(std::llround(std::clamp(usd, 0.0, most_usd) * nano));
}

}  // namespace photofinish::gateway
