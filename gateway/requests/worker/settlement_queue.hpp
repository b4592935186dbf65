// Keeps answered requests whose tokens another thread is still counting. The queue settles each request when its tokens
// are counted, and the request's connection does not wait for that. A queue belongs to one worker, which waits for the
// last request before it stops.
#pragma once

#include "gateway/limits/bounds/cut_reports.hpp"
#include "gateway/limits/limit_hold.hpp"
#include "gateway/records/accounting.hpp"
#include "gateway/records/request_use.hpp"
#include "gateway/relay/answer_tokens.hpp"
#include "gateway/traces/race_trace.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The data that must be settled for one request. Its address must not change, because another thread's token counts are
// written to `tokens`.
struct request_ledger {
  explicit request_ledger(answer_tokens::counts_elsewhere elsewhere) : tokens(std::move(elsewhere)) {}

  answer_tokens tokens;
  request_record record;
  limit_hold hold;  // the caller's limits, which wait for this hold
  // The account's place in the queue. It is allocated together with the account, because memory may be short later, and
  // the account must stay until its tokens have arrived.
  std::list<std::unique_ptr<request_ledger>> place{1};
};

class settlement_queue {
 public:
  using note_trace = std::function<void(std::unique_ptr<race_trace>)>;

  // `note` is called for each trace; it is empty if there are no traces.
  explicit settlement_queue(account_books books, note_trace note = {})
      : books_(std::move(books)), note_trace_(std::move(note)) {}

  // Lowers a reported usage that a provider cannot have counted. Call cut_usage() before other code reads the record.
  void cut_usage(request_record& record);
  // Logs a cut of the reported usage, unless a cut of the same target was logged recently.
  void warn(const cut_attempt& cut, proxy::instant now);

  // Settles the account. Waits before that if another thread is still counting the account's tokens.
  void close(std::unique_ptr<request_ledger> account);

  boost::asio::awaitable<void> drained();

 private:
  void settle(request_ledger& counted);
  void settle_or_say(request_ledger& counted);
  void note_background(const request_ledger& counted, const request_use& used) const;
  void trace(const request_record& record, const std::vector<metrics::attempt_observation>& attempts) const;

  const account_books books_;
  const note_trace note_trace_;
  cut_reports cuts_;
  std::list<std::unique_ptr<request_ledger>> waiting_;
  proxy::signal empty_;
};

}  // namespace photofinish::gateway
