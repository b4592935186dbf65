// Implements an attempt that fails without sending a request, because the limit of running attempts at its provider is
// reached.
#pragma once

#include "proxy/loop/at_once.hpp"
#include "proxy/upstream.hpp"

#include <optional>
#include <utility>

namespace photofinish::gateway {

class refused_upstream final : public proxy::upstream {
 public:
  explicit refused_upstream(proxy::failure why) : why_(std::move(why)) {}

  boost::asio::awaitable<proxy::result<void>> open() override { co_return why_; }
  boost::asio::awaitable<void> readable() override { return proxy::at_once(); }
  std::optional<proxy::result<proxy::stream_event>> read() override { return why_; }
  std::optional<proxy::result<proxy::stream_event>> poll() override { return std::nullopt; }
  bool may_have_event() const override { return false; }
  void close() noexcept override {}
  const proxy::stream_summary& summary() const override { return summary_; }

 private:
  proxy::failure why_;
  proxy::stream_summary summary_;
};

}  // namespace photofinish::gateway
