// One request of the bench on the network: sent, read to its end, and what was seen of it written down.
#pragma once

#include "gateway/bench/load/answer_reader.hpp"
#include "gateway/bench/load/request_text.hpp"
#include "gateway/bench/request_record.hpp"
#include "proxy/http/exchange.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace photofinish::gateway::bench {

struct request_context {
  request_traits traits;
  std::chrono::microseconds timeout{};
  token_counter count_tokens;
};

class one_request {
 public:
  // `over` and `how` outlive the request. `record` says number, phase and due time.
  one_request(proxy::outbound& over, const request_context& how, const std::string& prompt, request_record record);

  // Called once. The record is complete when it returns: an answer, or an error.
  boost::asio::awaitable<void> run();

  // Ends run() with failure_kind::cancelled, in a later turn of the loop. Idempotent.
  void cancel() noexcept;

  request_record& record() { return record_; }

 private:
  boost::asio::awaitable<void> exchange_all();
  boost::asio::awaitable<void> read_answer();
  boost::asio::awaitable<void> read_refusal(const proxy::response_head& head);
  void note_head(const proxy::response_head& head);
  void fail(proxy::failure why);

  proxy::outbound& over_;
  const request_context& how_;
  request_text text_;
  request_record record_;
  std::unique_ptr<proxy::exchange> exchange_;
  proxy::alarm limit_;
  bool is_late_ = false;
  bool is_cancelled_ = false;
};

// An HTTP answer that is not what was asked for, read as far as it is worth it: what it says.
boost::asio::awaitable<proxy::failure> refusal_of(proxy::exchange& from, const proxy::response_head& head);

}  // namespace photofinish::gateway::bench
