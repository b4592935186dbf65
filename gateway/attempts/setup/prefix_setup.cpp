#include "gateway/attempts/setup/prefix_setup.hpp"

#include "gateway/attempts/setup/hint_account.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

namespace photofinish::gateway {
namespace {

using racing::forecast_terms;

cache_habits habits_of(const proxy::prompt_cache_traits& traits) {
  return {std::chrono::floor<std::chrono::minutes>(traits.ttl), static_cast<std::uint32_t>(traits.minimum),
          traits.marks == proxy::prompt_marks::needed && !traits.adds_marks};
}

// Returns the longest prefix of the prompt that the target has probably cached. Includes prefixes that have expired,
// because few providers promise an exact lifetime.
racing::prefix_match match_of(const racing::prefix_finding& found, const proxy::prompt_cache_traits& traits,
                              double prompt_tokens) {
  const auto in_steps = [&](const racing::held_prefix& each) {
    const std::size_t tokens = each.tokens < traits.minimum ? 0 : each.tokens;
    return static_cast<double>(traits.step > 1 ? tokens - tokens % traits.step : tokens);
  };
  const double warm = in_steps(found.warm), expired = in_steps(found.expired);
  const bool is_warm = warm * racing::hit_within_ttl >= expired * racing::hit_after_ttl;
  const racing::held_prefix& held = is_warm ? found.warm : found.expired;
  racing::prefix_match match;
  match.tokens = std::min(is_warm ? warm : expired, prompt_tokens);
  match.age_seconds = static_cast<double>(held.age.count());
  match.prior = is_warm ? racing::hit_within_ttl : racing::hit_after_ttl;
  return match;
}

// Sets the target's costs for a prompt without any cached tokens, and the amount that each cached token saves.
void set_costs(forecast_setup& into, std::size_t row, const prefix_setup& prefixes) {
  racing::target_now& target = into.terms.targets[row];
  const auto input = static_cast<std::uint64_t>(target.input_tokens);
  if (into.prices[row] == nullptr || input == 0) return;
  const auto cost_of = [&](double cached_share) {
    proxy::billed_tokens tokens{.input = input};
    prefixes.split(row, cached_share, tokens);
    return into.costs.of(into.prices[row], tokens);
  };
  const double written = cost_of(0), more = written - into.costs.of(into.prices[row], {.input = input});
  target.win_cost += more;
  target.loss_cost += more;
  target.saved_per_token = std::max(0.0, written - cost_of(1)) / static_cast<double>(input);
  // The prompt of a cancelled attempt is always billed. `cancel_billing` only decides which part of the answer is
  // billed.
  target.bills_cut_input = true;
}

}  // namespace

// Splits the prompt's tokens into tokens that the target reads from its cache, and tokens that it writes to its cache.
// Writes cost more only if the provider has a price for them.
void prefix_setup::split(std::size_t row, double cached_share, proxy::billed_tokens& tokens) const {
  const double cached = std::clamp(cached_share, 0.0, 1.0) * static_cast<double>(tokens.input);
  tokens.cached_input = std::min(static_cast<std::uint64_t>(cached), tokens.input);
  if (!can_be_warm(chain, targets[row].habits)) return;
  constexpr std::chrono::minutes hour{60};
  tokens.written_input = tokens.input - tokens.cached_input;
  if (chain.marks.of_last.value_or(std::chrono::minutes(0)) >= hour) tokens.written_for_hour = tokens.written_input;
}

void prefix_setup::note(std::size_t row, racing::prefix_seconds now) const {
  const target& read = targets[row];
  if (read.holder == 0) return;
  for (const racing::prefix_entry& each : cached_prefixes(chain, read.habits, read.holder, caller, now))
    memory->note(each, now);
}

std::unique_ptr<prefix_setup> follow_prefixes(const speed_source& from, const parsed_request& asked,
                                              std::string_view route, std::span<const race_candidate> candidates,
                                              forecast_setup& into) {
  prefix_memory& memory = *from.prefixes;
  const auto now = static_cast<racing::prefix_seconds>(from.when.time_since_epoch().count());
  // Only the target that stored the previous response can continue the conversation, so there is nothing to choose.
  if (!memory.is_used() || !asked.body || !asked.state.previous.empty()) return nullptr;
  const auto is_own = [](const race_candidate& each) { return each.key.source == key_source::own; };
  const bool has_own_keys = std::any_of(candidates.begin(), candidates.end(), is_own);
  const std::string caller = from.caller_digest ? from.caller_digest() : std::string();
  auto made = std::make_unique<prefix_setup>();
  made->chain = chain_of(*asked.body, asked.format,
                         {memory.key(), memory.scope_of(route, has_own_keys ? caller : "")});
  if (made->chain.empty()) return nullptr;
  made->memory = &memory;
  made->caller = memory.caller_of(caller);
  std::vector<racing::prefix_holder> holders;
  for (const std::size_t candidate : into.terms.candidates) {
    prefix_setup::target& each = made->targets.emplace_back();
    if (candidate != forecast_terms::no_candidate) {
      const race_candidate& it = candidates[candidate];
      const proxy::prompt_cache_traits& traits = it.provider->behaves.prompt_cache;
      each = {memory.holder_of(it.target.text(), hint_account(it)), habits_of(traits), traits.reported};
    }
    holders.push_back(each.holder);
  }
  std::vector<racing::prefix_finding> findings(holders.size());
  memory.table().find(made->chain.boundaries, holders, now, findings);
  into.terms.turns = made->chain.answers;
  for (std::size_t row = 0; row < holders.size(); ++row) {
    if (holders[row] == 0) continue;
    const proxy::provider& provider = *candidates[into.terms.candidates[row]].provider;
    racing::target_now& target = into.terms.targets[row];
    if (can_be_warm(made->chain, made->targets[row].habits))
      target.match = match_of(findings[row], provider.behaves.prompt_cache, target.input_tokens);
    set_costs(into, row, *made);
  }
  return made;
}

}  // namespace photofinish::gateway
