// Requests that are answered while tokens of theirs are still counted on another thread: each is accounted for when
// they are, and its connection does not wait for it.
// Of one worker, which awaits the last of them before it goes.
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

// What a request leaves behind. It stays where it is: counts that are made elsewhere come back to its tokens.
struct request_ledger {
  explicit request_ledger(answer_tokens::counts_elsewhere elsewhere) : tokens(std::move(elsewhere)) {}

  answer_tokens tokens;
  request_record record;
  limit_hold hold;  // what its caller's limits wait for
  // Where it waits for tokens, made with it: then there may be no memory, and it must not go before they have come.
  std::list<std::unique_ptr<request_ledger>> place{1};
};

class settlement_queue {
 public:
  using note_trace = std::function<void(std::unique_ptr<race_trace>)>;

  // `note`: for traces; empty: none are kept.
  explicit settlement_queue(account_books books, note_trace note = {})
      : books_(std::move(books)), note_trace_(std::move(note)) {}

  // Cuts usage that a provider cannot have counted, and warns of it. Call this before anything reads the record.
  void cut_usage(request_record& record);
  // Logs such a cut, if that target was not logged lately.
  void warn(const cut_attempt& cut, proxy::instant now);

  // Accounts for it, at once if nothing of it is counted elsewhere.
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
