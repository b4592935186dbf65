#include "gateway/attempts/receipt_parts.hpp"

#include "racing/forecast/attempt_event.hpp"

#include <chrono>

namespace photofinish::gateway {
namespace {

using racing::seconds_between;

std::string shown(const target_name& target) {
  std::string text = target.text();
  if (text.size() > longest_receipt_name) text.resize(longest_receipt_name);
  return text;
}

receipt_attempt attempt_of(const racing::race_report& race, const racing::attempt_report& attempt,
                           const target_name& target) {
  receipt_attempt made;
  made.target = shown(target);
  made.why = attempt.why_started;
  made.started = seconds_between(race.begun_at, attempt.started_at);
  made.ended = seconds_between(race.begun_at, attempt.ended_at);
  made.end = attempt.end;
  if (const auto& at = attempt.summary.first_token_at) made.first_token = seconds_between(race.begun_at, *at);
  if (attempt.why) made.failed = to_string(attempt.why->kind);
  made.was_observed = attempt.was_observed;
  made.was_kept = attempt.was_kept;
  made.is_prefill_finished = attempt.is_prefill_finished;
  if (const auto& usage = attempt.summary.usage) made.cached_tokens = usage->cached_input_tokens;
  return made;
}

}  // namespace

race_receipt make_receipt(const receipt_head& head, const racing::race_report& race,
                          const std::vector<planned_attempt>& planned, racing::instant now) {
  race_receipt made;
  made.id = head.id;
  made.caller = head.caller;
  made.request = head.request;
  made.plan.policy = head.policy;
  made.plan.wins = head.wins;
  made.plan.catalogue = head.catalogue;
  made.at = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  made.age = seconds_between(race.begun_at, now);
  for (const racing::attempt_report& attempt : race.attempts)
    made.attempts.push_back(attempt_of(race, attempt, planned[attempt.target].target));
  made.winner = race.winner;
  if (const auto& hold = race.hold)
    made.hold = {shown(planned[hold->attempt].target), seconds_between(race.begun_at, hold->began_at),
                 seconds_between(race.begun_at, hold->ended_at), hold->why};
  return made;
}

race_receipt make_receipt(const receipt_head& head, const race_account& record, racing::instant now) {
  race_receipt made = make_receipt(head, record.race, record.planned, now);
  for (const noted_crawl& each : record.winner.crawls)
    made.crawls.push_back({shown(record.planned[each.attempt].target), each.tokens_per_second, each.limit,
                           each.watched.count(), to_string(each.end)});
  for (const left_out_target& each : record.skipped)
    made.plan.skipped.push_back({shown(each.target), each.reason, each.detail.substr(0, longest_receipt_name)});
  return made;
}

}  // namespace photofinish::gateway
