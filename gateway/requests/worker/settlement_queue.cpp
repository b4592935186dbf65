#include "gateway/requests/worker/settlement_queue.hpp"

#include "gateway/traces/span_tree.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <exception>

namespace photofinish::gateway {

void settlement_queue::cut_usage(request_record& record) {
  for (const cut_attempt& each : cut_impossible_usage(record)) warn(each, record.times.ended_at);
}

void settlement_queue::warn(const cut_attempt& cut, proxy::instant now) {
  const std::string target = cut.target.text();
  const auto count = cuts_.note(target, now);
  if (!count) return;
  const auto& [reported, counted] = cut.usage;
  spdlog::warn("{} reports impossible usage: {} input and {} output tokens, counted as {} and {}; {} such reports "
               "since the last line of this kind (each worker writes at most one line in {} minutes)",
               target, reported.input_tokens, reported.output_tokens, counted.input_tokens, counted.output_tokens,
               *count, cut_reports::pause.count());
}

// Charges the usage before metrics and log lines are written, so that an error there does not prevent the charge.
void settlement_queue::settle(request_ledger& counted) {
  request_record& record = counted.record;
  cut_usage(record);
  if (record.race.winner) record.winner.counted = counted.tokens.result();
  const std::vector<metrics::attempt_observation> attempts = observe_attempts(books_, record);
  const request_use used = use_of(record, attempts);
  using enum metrics::token_direction;
  counted.hold.settle(used.tokens[input], used.tokens[output], used.nano_usd(), record.times.ended_at);
  note_background(counted, used);
  account(books_, record, attempts, used);
  trace(record, attempts);
}

void settlement_queue::trace(const request_record& record,
                             const std::vector<metrics::attempt_observation>& attempts) const {
  if (!record.notes.trace || !note_trace_ || !is_kept(record)) return;
  const two_clocks now{std::chrono::steady_clock::now(), std::chrono::system_clock::now()};
  note_trace_(std::make_unique<race_trace>(make_spans(record, attempts, now)));
}

void settlement_queue::settle_or_say(request_ledger& counted) {
  try {
    settle(counted);
  } catch (const std::exception& bug) {
    spdlog::error("the records of a request could not be written: {}", bug.what());
  }
}

// Remembers the charge for a background response, because its provider may report the final usage later.
void settlement_queue::note_background(const request_ledger& counted, const request_use& used) const {
  const request_record& record = counted.record;
  if (!record.race.winner || record.background_id.empty()) return;
  if (record.race.attempts[*record.race.winner].summary.usage) return;
  using enum metrics::token_direction;
  const target_name& target = record.planned[*record.race.winner].target;
  books_.background.put(target.text(), record.background_id,
                        {record.route, record.caller.project, used.tokens[input], used.tokens[output],
                         used.usd[metrics::cost_kind::winner], record.prompt.extent});
}

void settlement_queue::close(std::unique_ptr<request_ledger> account) {
  if (!account->tokens.is_waiting()) return settle_or_say(*account);
  request_ledger& waits = *account;
  auto place = std::move(waits.place);
  place.front() = std::move(account);
  const auto at = place.begin();
  waiting_.splice(waiting_.end(), place);
  waits.tokens.when_counted([this, at] {
    settle_or_say(**at);
    waiting_.erase(at);
    if (waiting_.empty()) empty_.wake();
  });
}

boost::asio::awaitable<void> settlement_queue::drained() {
  while (!waiting_.empty()) co_await empty_.wait();
}

}  // namespace photofinish::gateway
