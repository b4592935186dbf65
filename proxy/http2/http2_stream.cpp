#include "proxy/http2/http2_stream.hpp"

#include "proxy/failures/network_failures.hpp"

namespace photofinish::proxy {

namespace asio = boost::asio;

namespace {

constexpr std::size_t json_padding = 64;

}  // namespace

asio::awaitable<result<http2_stream::claim>> http2_stream::claimed() {
  while (!claim_ && !break_.why && !is_cancelled_) co_await wakeup_.wait();
  if (is_cancelled_) co_return cancelled_failure();
  if (!claim_) co_return *break_.why;
  co_return *claim_;
}

asio::awaitable<result<response_head>> http2_stream::start(const request_head& head,
                                                           std::span<const std::string_view> body) {
  if (connection_ != nullptr) connection_->send(*this, head, body);
  while (!head_ && !break_.why && !is_cancelled_) co_await wakeup_.wait();
  awaits_upload_ = true;
  // An answer may arrive before its request has been sent completely. If the answer is an error, the rest of the
  // request is not sent. Otherwise the whole request is sent.
  while (head_ && head_->status < 300 && connection_ != nullptr && !connection_->is_uploaded(*this) && !break_.why &&
         !is_cancelled_)
    co_await wakeup_.wait();
  awaits_upload_ = false;
  if (connection_ != nullptr) connection_->stop_upload(*this);
  if (is_cancelled_) co_return cancelled_failure();
  if (!head_) co_return *break_.why;
  co_return std::move(*head_);
}

asio::awaitable<void> http2_stream::readable() {
  if (incoming_.empty() && !is_cancelled_ && !break_.why && !has_ended_) co_await wakeup_.wait();
}

std::optional<result<std::string_view>> http2_stream::read() {
  if (is_cancelled_) return cancelled_failure();
  const std::string_view bytes = poll();
  if (!bytes.empty()) return bytes;
  if (break_.why) return *break_.why;
  if (has_ended_) return std::string_view{};
  return std::nullopt;
}

std::string_view http2_stream::poll() {
  if (incoming_.empty()) return {};
  std::swap(incoming_, given_);
  incoming_.clear();
  given_.reserve(given_.size() + json_padding);
  if (connection_ != nullptr) connection_->taken(*this, given_.size());
  return given_;
}

void http2_stream::cancel() noexcept {
  if (std::exchange(is_cancelled_, true)) return;
  if (auto* queue = std::exchange(wait_.queue, nullptr)) queue->withdraw(*this);
  if (connection_ != nullptr) connection_->release(*this);
  http1_lease_.reset();
  wakeup_.wake();
}

}  // namespace photofinish::proxy
