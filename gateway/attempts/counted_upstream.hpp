// An upstream that counts as an attempt in flight while it lives and is not closed. Where its provider refuses to
// stream, it goes on with another one in its place, once, before anything of an answer has come.
#pragma once

#include "gateway/attempts/flight_counts.hpp"
#include "gateway/attempts/stream_refusal.hpp"
#include "metrics/series.hpp"
#include "proxy/upstream.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace photofinish::gateway {

class counted_upstream final : public proxy::upstream {
 public:
  // Makes the one that is asked for an answer in one piece; null: that is too late.
  using made_again = std::function<std::unique_ptr<proxy::upstream>()>;

  counted_upstream(std::unique_ptr<proxy::upstream> inner, metrics::gauge_cell& in_flight, flight_place at_target,
                   flight_place at_provider, made_again whole = {})
      : inner_(std::move(inner)),
        counts_(std::in_place, in_flight, std::move(at_target), std::move(at_provider)),
        whole_(std::move(whole)) {}

  boost::asio::awaitable<proxy::result<void>> open() override {
    if (whole_) return open_either();
    return inner_->open();
  }
  boost::asio::awaitable<void> readable() override { return inner_->readable(); }
  std::optional<proxy::result<proxy::stream_event>> read() override { return inner_->read(); }
  std::optional<proxy::result<proxy::stream_event>> poll() override { return inner_->poll(); }
  bool keep_unread() override { return inner_->keep_unread(); }
  bool may_have_event() const override { return inner_->may_have_event(); }
  void close() noexcept override {
    inner_->close();
    counts_.reset();
  }
  const proxy::stream_summary& summary() const override { return inner_->summary(); }

 private:
  boost::asio::awaitable<proxy::result<void>> open_either() {
    auto opened = co_await inner_->open();
    const made_again whole = std::exchange(whole_, {});  // what it keeps is needed no longer
    if (opened || !counts_ || !refuses_stream(opened.error())) co_return opened;
    std::unique_ptr<proxy::upstream> again = whole();
    if (!again) co_return opened;
    inner_->close();
    inner_ = std::move(again);
    auto reopened = co_await inner_->open();
    co_return reopened;
  }

  struct counts {
    counts(metrics::gauge_cell& gauge, flight_place target, flight_place provider)
        : in_flight(gauge), at_target(std::move(target)), at_provider(std::move(provider)) {
      in_flight.add(1);
    }
    ~counts() { in_flight.sub(1); }
    counts(const counts&) = delete;

    metrics::gauge_cell& in_flight;
    flight_place at_target, at_provider;
  };

  std::unique_ptr<proxy::upstream> inner_;
  std::optional<counts> counts_;  // none: it is closed
  made_again whole_;              // until it is open
};

}  // namespace photofinish::gateway
