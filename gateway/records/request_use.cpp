#include "gateway/records/request_use.hpp"

#include "gateway/records/account_rules.hpp"
#include "proxy/providers/known_facts.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::gateway {

std::int64_t request_use::nano_usd() const {
  using enum metrics::cost_kind;
  // The maximum cost of a request in dollars. A provider may report an impossible usage. Without a maximum, its cost
  // could overflow a 64-bit sum.
  constexpr double most_usd = 10'000;
  return std::llround(std::min(usd[winner] + usd[loser], most_usd) * 1e9);
}

namespace {

void add_winner(const race_account& record, request_use& used) {
  using enum metrics::token_direction;
  if (!record.race.winner) return;
  const estimated_tokens of_winner = tokens_of_winner(record);
  used.tokens[input] += of_winner.input;
  used.tokens[output] += of_winner.output;
}

// Returns the properties of a target that the configuration knows. For a target that is not in the request's
// configuration, returns no properties.
proxy::target_facts facts_of(const race_account& record, const target_name& target) {
  if (!record.settings) return {};
  const auto at = record.settings->providers.find(target.provider);
  const bool is_known = at != record.settings->providers.end();
  return is_known ? proxy::known_facts(at->second, target.sent_model()) : proxy::target_facts{};
}

void cut_race(race_account& record, std::vector<cut_attempt>& cut) {
  for (racing::attempt_report& attempt : record.race.attempts) {
    if (!attempt.summary.usage) continue;
    planned_attempt& planned = record.planned[attempt.target];
    const auto known = [&] { return facts_of(record, planned.target); };
    const auto beyond =
        cut_if_impossible(*attempt.summary.usage, record.prompt.extent, attempt.summary.text_bytes, known);
    if (!beyond) continue;
    planned.is_usage_cut = true;
    cut.push_back({planned.target, *beyond});
  }
}

}  // namespace

std::vector<cut_attempt> cut_impossible_usage(race_account& record) {
  std::vector<cut_attempt> cut;
  cut_race(record, cut);
  for (const auto& each : record.continuation.races) cut_race(*each, cut);
  return cut;
}

request_use use_of(const race_account& record, std::span<const metrics::attempt_observation> attempts) {
  using enum metrics::token_direction;
  request_use used;
  add_winner(record, used);
  for (const auto& each : record.continuation.races) add_winner(*each, used);
  for (const metrics::attempt_observation& each : attempts) {
    if (each.lost) {
      used.tokens[lost_input] += each.lost->input_tokens;
      used.tokens[lost_output] += each.lost->output_tokens;
    }
    if (const auto* known = std::get_if<metrics::cost>(&each.price)) used.usd[known->kind] += known->usd;
  }
  return used;
}

}  // namespace photofinish::gateway
