#include "gateway/bench/load/one_request.hpp"

#include "gateway/config/yaml/units.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/http/http1_exchange.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace photofinish::gateway::bench {

namespace asio = boost::asio;

namespace {

bool is_wanted(const proxy::response_head& head, answer_mode mode) {
  if (head.status != 200) return false;
  return mode == answer_mode::whole || head.field("content-type").starts_with("text/event-stream");
}

}  // namespace

one_request::one_request(proxy::outbound& over, const request_context& how, request_text text, request_record record)
    : over_(over),
      how_(how),
      text_(std::move(text)),
      record_(std::move(record)),
      exchange_(std::make_unique<proxy::http1_exchange>(over.pool(), how.traits.to.provider, over.scratch())),
      limit_(over.alarms(), [this] {
        is_late_ = true;
        exchange_->cancel();
      }) {}

asio::awaitable<void> one_request::run() {
  record_.started_at = over_.alarms().now();
  limit_.arm(record_.started_at + how_.timeout);
  co_await exchange_all();
  limit_.disarm();
  record_.seen.first_byte_at = exchange_->first_byte_at();
  record_.seen.connection = exchange_->connection();
  if (record_.error) proxy::redact(*record_.error, secrets_of(how_.traits.to));
  // Hands the connection to a background task, the finisher. It reads the rest of the body, so that the connection can
  // be used again. The request itself does not wait for the finisher.
  if (!record_.error) over_.finisher().take(std::move(exchange_));
}

asio::awaitable<void> one_request::exchange_all() {
  const std::array<std::string_view, 1> body{text_.body};
  auto head = co_await exchange_->start(text_.head, body);
  if (!head) co_return fail(std::move(head).error());
  note_head(*head);
  if (is_wanted(*head, how_.traits.mode)) co_return co_await read_answer();
  const std::string refusal = co_await read_refusal();
  fail(refusal_of(*head, refusal));
}

asio::awaitable<void> one_request::read_answer() {
  answer_reader reader(how_.traits.mode, how_.traits.to.provider, how_.count_tokens, record_);
  while (!reader.is_over()) {
    auto bytes = co_await exchange_->next();
    const proxy::instant read_at = over_.alarms().now();
    if (!bytes) co_return fail(std::move(bytes).error());
    if (bytes->empty()) co_return reader.end(read_at);
    // All bytes of one read of the connection get the same time, even if they are passed in several pieces.
    for (std::string_view piece = *bytes; !piece.empty(); piece = exchange_->poll()) reader.feed(piece, read_at);
  }
}

// Reads the beginning of the body of an error response.
asio::awaitable<std::string> one_request::read_refusal() {
  std::string body;
  while (body.size() < proxy::max_error_bytes) {
    auto bytes = co_await exchange_->next();
    if (!bytes || bytes->empty()) break;
    body += bytes->substr(0, proxy::max_error_bytes - body.size());
  }
  co_return body;
}

proxy::failure refusal_of(const proxy::response_head& head, std::string_view body) {
  const proxy::error_response response{.status = head.status,
                                       .content_type = head.field("content-type"),
                                       .body = body.substr(0, proxy::max_error_bytes)};
  return proxy::read_error(response, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

void one_request::note_head(const proxy::response_head& head) {
  record_.status = head.status;
  record_.request_id = head.field("x-request-id");
  record_.winner = head.field("x-race-winner");
  const std::string_view attempts = head.field("x-race-attempts");
  std::from_chars(attempts.data(), attempts.data() + attempts.size(), record_.attempts);
}

void one_request::fail(proxy::failure why) {
  if (is_late_) {
    why = {};
    why.kind = proxy::failure_kind::timeout;
    why.detail = "no complete answer within " + format_duration(how_.timeout);
  } else if (is_cancelled_) {
    why.kind = proxy::failure_kind::cancelled;
  }
  record_.error = std::move(why);
  record_.ended_at = over_.alarms().now();
}

void one_request::cancel() noexcept {
  is_cancelled_ = true;
  if (exchange_) exchange_->cancel();
}

}  // namespace photofinish::gateway::bench
