// Sends one request of the bench, reads its answer to the end, and records its times, tokens and errors.
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
#include <string_view>

namespace photofinish::gateway::bench {

struct request_context {
  request_traits traits;
  std::chrono::microseconds timeout{};
  token_counter count_tokens;
};

class one_request {
 public:
  // The arguments `over` and `how` must outlive this object. The request's number, phase and due time are already set
  // in `record`.
  one_request(proxy::outbound& over, const request_context& how, request_text text, request_record record);

  // Call run() only once. When it returns, the record is complete, with an answer or an error.
  boost::asio::awaitable<void> run();

  // Ends run() with failure_kind::cancelled, in a later turn of the event loop. cancel() may be called several times.
  void cancel() noexcept;

  request_record& record() { return record_; }

 private:
  boost::asio::awaitable<void> exchange_all();
  boost::asio::awaitable<void> read_answer();
  boost::asio::awaitable<std::string> read_refusal();
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

// Converts an HTTP response with an error or an unexpected body to a failure.
proxy::failure refusal_of(const proxy::response_head& head, std::string_view body);

}  // namespace photofinish::gateway::bench
