#include "gateway/records/receipt_end.hpp"

#include "gateway/records/account_rules.hpp"

#include <algorithm>
#include <chrono>
#include <variant>

namespace photofinish::gateway {
namespace {

// The provider's own count comes first: it is what the bill is made of.
template <class Value>
std::optional<Value> best_of(const metrics::by<metrics::token_source, std::optional<Value>>& counted) {
  const auto& usage = counted[metrics::token_source::usage];
  return usage ? usage : counted[metrics::token_source::tokenizer];
}

}  // namespace

void complete_receipt(race_receipt& receipt, const race_account& record,
                      std::span<const metrics::attempt_observation> seen) {
  for (std::size_t index = 0; index < std::min(receipt.attempts.size(), seen.size()); ++index)
    if (const auto* known = std::get_if<metrics::cost>(&seen[index].price)) receipt.attempts[index].usd = known->usd;
  if (const auto margin = margin_of(record)) receipt.margin = margin->count();
  receipt_answer answer{.status = record.status, .outcome = to_string(record.outcome)};
  answer.seconds = std::max(0.0, std::chrono::duration<double>(record.times.ended_at - record.race.begun_at).count());
  if (record.race.winner && *record.race.winner < seen.size()) {
    const metrics::attempt_observation& winner = seen[*record.race.winner];
    answer.output_tokens = best_of(winner.output);
    const auto reported = [&winner](metrics::reported_stage stage) {
      const auto& took = winner.reported[stage];
      return took ? std::optional(took->count()) : std::nullopt;
    };
    answer.queue = reported(metrics::reported_stage::queue);
    answer.prompt = reported(metrics::reported_stage::prompt);
    if (const auto speed = best_of(winner.speed))
      answer.tokens_per_second = static_cast<double>(speed->tokens) / speed->duration.count();
  }
  receipt.answer = answer;
}

void put_continuations(race_receipt& receipt, const race_account& record) {
  const proxy::maybe_failure* broken = &record.winner.broken;
  for (const auto& each : record.continuation.races) {
    receipt_continuation made;
    made.began = std::chrono::duration<double>(each->race.begun_at - record.race.begun_at).count();
    if (*broken) made.because = to_string((*broken)->kind);
    made.end = "failed";
    if (each->race.winner) {
      const bool has_left = was_abandoned(*each);
      made.target = each->planned[each->race.attempts[*each->race.winner].target].target.text();
      made.end = each->winner.broken ? "broken" : has_left ? "cancelled" : "continued";
      broken = &each->winner.broken;
    }
    receipt.continued.push_back(std::move(made));
  }
}

}  // namespace photofinish::gateway
