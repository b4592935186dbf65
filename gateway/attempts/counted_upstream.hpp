// An upstream that counts as an attempt in flight while it lives and is not closed, and takes from the room of its
// key's rate limits. Where its provider refuses what the
// request may do without, it goes on with another one in its place, before anything of an answer has come.
#pragma once

#include "gateway/attempts/flight_counts.hpp"
#include "gateway/attempts/rate_room.hpp"
#include "metrics/series.hpp"
#include "proxy/upstream.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace photofinish::gateway {

class counted_upstream final : public proxy::upstream {
 public:
  // Makes the one that asks once more, without what was refused; null: nothing would help, or it is too late. It gives
  // a few at most.
  using made_again = std::function<std::unique_ptr<proxy::upstream>(const proxy::failure& refused)>;

  // `tokens`: that it takes, as far as is known before it runs.
  counted_upstream(std::unique_ptr<proxy::upstream> inner, metrics::gauge_cell& in_flight, flight_place at_target,
                   flight_place at_provider, std::shared_ptr<rate_room> room, std::uint64_t tokens,
                   made_again again = {})
      : inner_(std::move(inner)),
        counts_(std::in_place, in_flight, std::move(at_target), std::move(at_provider)),
        room_(std::move(room)),
        started_(room_->started(tokens)),
        again_(std::move(again)) {}

  boost::asio::awaitable<proxy::result<void>> open() override { return open_until_taken(); }
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
  boost::asio::awaitable<proxy::result<void>> open_until_taken() {
    auto opened = co_await inner_->open();
    note_room();
    const made_again again = std::exchange(again_, {});  // what it keeps is needed no longer than here
    while (!opened && counts_ && again) {
      std::unique_ptr<proxy::upstream> next = again(opened.error());
      if (!next) break;
      inner_->close();
      inner_ = std::move(next);
      auto reopened = co_await inner_->open();
      opened = std::move(reopened);
      note_room();
    }
    co_return opened;
  }

  void note_room() {
    const proxy::stream_summary& seen = inner_->summary();
    if (seen.headroom.says_something() && seen.first_byte_at) room_->note(seen.headroom, started_, *seen.first_byte_at);
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
  std::shared_ptr<rate_room> room_;  // shared by all attempts with its key at its target
  const rate_room::start started_;
  made_again again_;              // until it is open
};

}  // namespace photofinish::gateway
