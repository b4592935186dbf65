#include "gateway/commands/cache_notes.hpp"

#include "gateway/records/price_book.hpp"
#include "proxy/words/decimal_text.hpp"

#include <algorithm>
#include <optional>

namespace photofinish::gateway {
namespace {

// A typical turn of an agent's conversation, with assumed numbers. Most of the prompt is in the prompt cache of the
// target that answered the previous turn.
constexpr std::uint64_t prompt = 100'000, cached = 95'000, answer = 500;  // the assumed numbers of tokens in the
                                                                          // prompt, in its cached part, and in the
                                                                          // answer
// The assumed number of answer tokens that a losing target generates before it is cancelled.
constexpr std::uint64_t lost_answer = 20;
// Caching saves little if cached tokens cost more than this share of the normal price.
constexpr double most_of_price = 0.5;

struct turn_costs {
  // The costs in USD: `warm` for a target with the prompt in its cache, `cold` for a losing rival without it.
  double warm = 0, cold = 0;
};

// Returns the costs of one request of a conversation at a target. Returns nothing if the target has no price, or no
// price for cached tokens.
std::optional<turn_costs> costs_at(const config& settings, const target_name& target, std::chrono::sys_seconds when) {
  const proxy::model_prices* prices = prices_of(settings, target);
  if (prices == nullptr) return std::nullopt;
  const proxy::price& now = prices->at(when);
  const double usual = now.input.of(prompt);
  if (!now.cached_input || !(usual > 0) || now.cached_input->of(prompt) > most_of_price * usual) return std::nullopt;
  const turn_costs costs{
      proxy::cost_usd(*prices, {.input = prompt, .cached_input = cached, .output = answer}, when),
      proxy::cost_usd(*prices, {.input = prompt, .output = lost_answer}, when)};
  return costs;
}

std::string usd(double amount) { return "$" + proxy::fixed_text(amount, 3); }

std::optional<std::string> note_of(const config& settings, const route& each, std::chrono::sys_seconds when) {
  using racing::race_policy;
  const race_policy policy = each.race.policy.value_or(race_policy::fallback);
  if (each.targets.size() < 2 || (policy != race_policy::hedge && policy != race_policy::all)) return std::nullopt;
  turn_costs sum;
  for (const target_name& target : each.targets) {
    const auto costs = costs_at(settings, target, when);
    if (!costs) return std::nullopt;
    sum.warm += costs->warm, sum.cold += costs->cold;
  }
  const auto count = static_cast<double>(each.targets.size());
  return "route '" + each.name + "': policy " + std::string(to_string(policy)) +
         " sends requests to targets that do not have the conversation in their prompt cache. With a prompt of 100k "
         "tokens, an attempt costs " + usd(sum.cold / count) + " on average without the cache, but " +
         usd(sum.warm / count) + " with it. For agents, use policy adaptive, which stays at the target that has the "
                                 "conversation in its cache";
}

}  // namespace

std::vector<std::string> prompt_cache_notes(const config& settings, std::chrono::sys_seconds when) {
  std::vector<std::string> notes;
  for (const auto& [name, each] : settings.routes)
    if (auto note = note_of(settings, each, when)) notes.push_back(*std::move(note));
  return notes;
}

}  // namespace photofinish::gateway
