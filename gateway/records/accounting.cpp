#include "gateway/records/accounting.hpp"

#include "gateway/records/account_rules.hpp"
#include "gateway/records/request_log.hpp"
#include "metrics/series.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

metrics::target_series& series_of(const account_books& into, const target_name& target) {
  return into.shard.target(target.provider, target.model);
}

// Returns the metrics series in which the attempt is counted. If the gateway runs without a configuration, a target
// gets its own series when it first answers.
metrics::target_series& series_of(const account_books& into, const race_account& record,
                                  const planned_attempt& attempt) {
  if (attempt.series == nullptr || record.settings->source.is_zero_config) return series_of(into, attempt.target);
  return *attempt.series;
}

// Reports to the scoreboard whether each attempt to continue a broken answer has succeeded. Does not report the speeds
// of these attempts.
void note_continued(const account_books& into, const request_record& record,
                    std::span<const metrics::attempt_observation> seen) {
  std::size_t place = record.race.attempts.size() + record.skipped.size();
  for (const auto& each : record.continuation.races)
    for (std::size_t index = 0; index < each->race.attempts.size(); ++index, ++place) {
      attempt_evidence evidence = note_of(*each, index, seen[place], std::string());
      evidence.measured = {};
      if (evidence.verdict) into.note(std::move(evidence));
    }
}

// Sends the data about each attempt of the race to the scoreboard and the statistics. The first elements of `seen` are
// the figures of the attempts, in the order of the race.
void note(const account_books& into, const request_record& record,
          const std::vector<metrics::attempt_observation>& seen) {
  auto race = into.note_race ? race_for_advice(record) : nullptr;
  for (std::size_t index = 0; index < record.race.attempts.size(); ++index) {
    const metrics::target_series& target = seen[index].target;
    attempt_evidence evidence = note_of(record, index, seen[index], target.provider.name + "/" + target.model);
    if (race) race->attempts.push_back(attempt_for_advice(record, index, evidence));
    const auto* cost = std::get_if<metrics::cost>(&seen[index].price);
    if (race && race->prompt && cost != nullptr && index == record.race.winner) race->prompt->usd = cost->usd;
    if (evidence.verdict || evidence.measured.says_something()) into.note(std::move(evidence));
  }
  if (race) into.note_race(std::move(race));
  note_continued(into, record, seen);
}

template <const auto& Tokens, const auto& Cost, class Series>
void add_use(const request_use& used, Series& series) {
  used.tokens.for_each([&](metrics::token_direction direction, std::uint64_t count) {
    series.template cell<Tokens>(direction).add(count);
  });
  used.usd.for_each([&](metrics::cost_kind kind, double usd) { series.template cell<Cost>(kind).add(usd); });
}

// Returns the label for the winner's model in metrics. The name is not just an invention of a client, because a target
// has answered under it.
std::string model_of(const request_record& record) {
  if (!record.race.winner) return std::string(metrics::none_label);
  return record.planned[*record.race.winner].target.text();
}

// Gives a separate label in metrics to each target that has answered, until a limit is reached. Without a
// configuration, the gateway does not know its targets in advance, so it needs this function.
void declare_answered(const account_books& into, const request_record& record) {
  if (!record.settings->source.is_zero_config || !record.race.winner) return;
  const target_name& target = record.planned[*record.race.winner].target;
  into.shard.declare_target(target.provider, target.model);
}

void observe_race(const account_books& into, const race_account& record, std::chrono::sys_seconds now,
                  std::vector<metrics::attempt_observation>& all) {
  for (std::size_t index = 0; index < record.race.attempts.size(); ++index) {
    const racing::attempt_report& attempt = record.race.attempts[index];
    const planned_attempt& planned = record.planned[attempt.target];
    all.push_back(observe_attempt(record, index, series_of(into, record, planned)));
    if (may_have_cost(attempt, all.back()))
      observe_price(record, index, into.prices.find(record.settings, planned.target, tier_of(record, attempt)), now,
                    all.back());
  }
}

// Returns the best available token count. The provider's count is better than the gateway's own count, because the
// provider's bill is based on it.
template <class Value>
std::optional<Value> best_of(const metrics::by<metrics::token_source, std::optional<Value>>& counted) {
  const auto& usage = counted[metrics::token_source::usage];
  return usage ? usage : counted[metrics::token_source::tokenizer];
}

// Completes a receipt with the figures that are known only when the request has ended. These are the attempts' costs,
// the answer's length and speed, and the time between winner and runner-up. The first elements of `seen` are the race's
// attempts, in the receipt's order.
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

// Writes into the receipt which target continued a broken answer, and how this continuation ended.
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

}  // namespace

std::vector<metrics::attempt_observation> observe_attempts(const account_books& into, const request_record& record) {
  declare_answered(into, record);
  std::vector<metrics::attempt_observation> all;
  all.reserve(record.race.attempts.size() + record.skipped.size());
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  observe_race(into, record, now, all);
  for (const left_out_target& each : record.skipped)
    all.push_back(observe_skipped(each.reason, series_of(into, each.target)));
  for (const auto& each : record.continuation.races) observe_race(into, *each, now, all);
  return all;
}

void count_use(const request_use& used, metrics::usage_series& series) {
  add_use<metrics::names::client_tokens_total, metrics::names::client_cost_usd_total>(used, series);
}

void count_use(const request_use& used, metrics::project_series& series) {
  add_use<metrics::names::project_tokens_total, metrics::names::project_cost_usd_total>(used, series);
}

void account(const account_books& into, const request_record& record,
             const std::vector<metrics::attempt_observation>& attempts, const request_use& used) {
  metrics::request_observation seen{.route = into.shard.route(record.route),
                                    .client = into.shard.client(record.caller.client)};
  seen.endpoint = record.endpoint;
  seen.outcome = record.outcome;
  seen.duration = record.times.ended_at - record.times.received_at;
  seen.ttft = ttft_of(record);
  seen.overhead = overhead_of(record);
  if (record.race.winner) seen.gen_ai.emplace(observe_gen_ai(record, attempts[*record.race.winner]));
  seen.margin = margin_of(record);
  seen.speculation = record.speculation;
  seen.hold = hold_of(record);
  seen.cache = record.terms.cache;
  seen.runner_up = runner_up_of(record);
  seen.attempts = attempts;
  into.shard.observe(seen);
  if (record.overload) into.shard.cell<metrics::names::overload_refusals_total>(*record.overload).add(1);
  if (record.caller.client != metrics::none_label)
    count_use(used, into.shard.usage(record.caller.client, record.caller.team));
  if (!record.caller.project.empty()) count_use(used, into.shard.project(record.caller.project));
  if (!record.race.attempts.empty())
    into.note_use({{std::string(record.caller.name()), std::string(record.caller.team), model_of(record),
                    record.caller.project.empty() ? std::string(metrics::none_label) : record.caller.project},
                   amounts_of(used, 1)});
  note(into, record, attempts);
  log_request(into.lines, record, attempts);
  if (record.notes.receipt) {
    complete_receipt(*record.notes.receipt, record, attempts);
    put_continuations(*record.notes.receipt, record);
    record.notes.receipt->used = amounts_of(used, 1);
    into.keep(record.notes.receipt);
  }
}

}  // namespace photofinish::gateway
