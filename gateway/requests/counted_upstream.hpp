// An upstream that counts as an attempt in flight while it lives and is not closed.
#pragma once

#include "gateway/requests/flight_counts.hpp"
#include "metrics/series.hpp"
#include "proxy/upstream.hpp"

#include <memory>
#include <utility>

namespace photofinish::gateway {

class counted_upstream final : public proxy::upstream {
 public:
  // The two counts have counted it in already; it is counted out at the end.
  counted_upstream(std::unique_ptr<proxy::upstream> inner, metrics::gauge_cell& in_flight, flight_count& at_target,
                   flight_count& at_provider)
      : inner_(std::move(inner)), in_flight_(in_flight), at_target_(at_target), at_provider_(at_provider) {
    in_flight_.add(1);
  }
  ~counted_upstream() override { end(); }

  boost::asio::awaitable<proxy::result<void>> open() override { return inner_->open(); }
  boost::asio::awaitable<void> readable() override { return inner_->readable(); }
  std::optional<proxy::result<proxy::stream_event>> read() override { return inner_->read(); }
  std::optional<proxy::result<proxy::stream_event>> poll() override { return inner_->poll(); }
  bool may_have_event() const override { return inner_->may_have_event(); }
  void close() noexcept override {
    inner_->close();
    end();
  }
  const proxy::stream_summary& summary() const override { return inner_->summary(); }

 private:
  void end() noexcept {
    if (std::exchange(has_ended_, true)) return;
    in_flight_.sub(1);
    at_target_.fetch_sub(1, std::memory_order_relaxed);
    at_provider_.fetch_sub(1, std::memory_order_relaxed);
  }

  std::unique_ptr<proxy::upstream> inner_;
  metrics::gauge_cell& in_flight_;
  flight_count& at_target_;
  flight_count& at_provider_;
  bool has_ended_ = false;
};

}  // namespace photofinish::gateway
