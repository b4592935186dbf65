// A winner that is handed on while the race still waits for what it reads next: that wait becomes the new reader's.
#pragma once

#include "proxy/loop/signal.hpp"
#include "proxy/upstream.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace photofinish::racing {

class resumed_upstream final : public proxy::upstream {
 public:
  // `is_waiting` is true until the race's wait is over, and `over` is woken then. Both outlive this.
  resumed_upstream(std::unique_ptr<proxy::upstream> inner, const bool& is_waiting, proxy::signal& over)
      : inner_(std::move(inner)), is_waiting_(is_waiting), over_(over) {}

  boost::asio::awaitable<proxy::result<void>> open() override { return inner_->open(); }
  boost::asio::awaitable<void> readable() override { return is_waiting_ ? wait() : inner_->readable(); }
  std::optional<proxy::result<proxy::stream_event>> read() override { return inner_->read(); }
  std::optional<proxy::result<proxy::stream_event>> poll() override { return inner_->poll(); }
  bool keep_unread() override { return inner_->keep_unread(); }
  bool may_have_event() const override { return inner_->may_have_event(); }
  void close() noexcept override { inner_->close(); }
  const proxy::stream_summary& summary() const override { return inner_->summary(); }

 private:
  boost::asio::awaitable<void> wait() {
    while (is_waiting_) co_await over_.wait();
  }

  std::unique_ptr<proxy::upstream> inner_;
  const bool& is_waiting_;
  proxy::signal& over_;
};

}  // namespace photofinish::racing
