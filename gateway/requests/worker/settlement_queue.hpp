// Keeps answered requests while another thread is still counting their tokens. The queue records and charges each
// request when its tokens are counted. The request's connection does not wait. A queue belongs to one worker, which
// waits for the last request before it stops.
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

// The data of one request that is recorded and charged after the answer. The address of this object must not change,
// because another thread's token counts are written to `tokens`.
struct request_ledger {
  explicit request_ledger(answer_tokens::counts_elsewhere elsewhere) : tokens(std::move(elsewhere)) {}

  answer_tokens tokens;
  request_record record;
  limit_hold hold;  // the amounts that the request has reserved at its caller's limits
  // The request's entry in the queue. It is allocated together with this object, because memory may be short later. The
  // object must live until its tokens are counted.
  std::list<std::unique_ptr<request_ledger>> place{1};
};

class settlement_queue {
 public:
  using note_trace = std::function<void(std::unique_ptr<race_trace>)>;

  // The queue calls the function `note` to record the trace of each request. `note` is empty if the gateway records no
  // traces.
  explicit settlement_queue(account_books books, note_trace note = {})
      : books_(std::move(books)), note_trace_(std::move(note)) {}

  // Caps a reported usage that is higher than possible. Call cut_usage() before other code reads the record.
  void cut_usage(request_record& record);
  // Logs that a reported usage was reduced, unless the log has a recent line about the same target.
  void warn(const cut_attempt& cut, proxy::instant now);

  // Records and charges a request. If another thread is still counting the request's tokens, waits for the counts.
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
