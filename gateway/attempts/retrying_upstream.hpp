// Implements an attempt that repeats its request if the provider rejects an optional part of it. The new request leaves
// out this part. The provider usually reports the rejection by the status of its response. If the stream is checked, an
// event before the first token may also report it. The attempt counts as running, and uses the rate limits of its key,
// until it is closed or destroyed.
#pragma once

#include "gateway/attempts/flight_counts.hpp"
#include "gateway/attempts/rate_room.hpp"
#include "metrics/series.hpp"
#include "proxy/memory/memory_share.hpp"
#include "proxy/upstream.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class retrying_upstream final : public proxy::upstream {
 public:
  using read_result = proxy::result<proxy::stream_event>;

  // Makes a new attempt that leaves out the rejected part of the request. Returns null if a repetition would not help,
  // or if it is too late. Only a small number of repetitions is allowed.
  using made_again = std::function<std::unique_ptr<proxy::upstream>(const proxy::failure& refused)>;

  // `tokens` is the estimated number of tokens that the attempt uses. To find a rejection before the first token,
  // open() reads events of at most `most_seen` bytes in total. If `most_seen` is 0, it reads no events. `memory` counts
  // the bytes of these events.
  retrying_upstream(std::unique_ptr<proxy::upstream> inner, metrics::gauge_cell& in_flight, flight_place at_target,
                    flight_place at_provider, std::shared_ptr<rate_room> room, std::uint64_t tokens,
                    made_again again = {}, std::size_t most_seen = 0, proxy::memory_share memory = {})
      : inner_(std::move(inner)),
        counts_(std::in_place, in_flight, std::move(at_target), std::move(at_provider)),
        room_(std::move(room)),
        started_(room_->started(tokens)),
        again_(std::move(again)),
        most_seen_(most_seen),
        memory_(std::move(memory)) {}

  boost::asio::awaitable<proxy::result<void>> open() override;
  boost::asio::awaitable<void> readable() override;
  std::optional<read_result> read() override { return has_seen() ? next_seen() : inner_->read(); }
  std::optional<read_result> poll() override { return has_seen() ? next_seen() : inner_->poll(); }
  bool keep_unread() override { return !has_seen() && inner_->keep_unread(); }
  bool may_have_event() const override { return has_seen() || inner_->may_have_event(); }
  void close() noexcept override {
    inner_->close();
    counts_.reset();
  }
  const proxy::stream_summary& summary() const override { return inner_->summary(); }

 private:
  boost::asio::awaitable<proxy::result<void>> open_inner();
  boost::asio::awaitable<void> see_first_events();
  void drop_seen();
  bool keep_all(std::optional<read_result> next);
  bool has_seen() const { return next_seen_ < seen_.size() || broken_.has_value(); }
  std::optional<read_result> next_seen();

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

    metrics::gauge_cell& in_flight;
    flight_place at_target, at_provider;
  };

  std::unique_ptr<proxy::upstream> inner_;
  // The counters that include this attempt while it runs. Empty after the upstream was closed.
  std::optional<counts> counts_;
  // The rate limits of the attempt's key at its target, which all attempts with this key share.
  std::shared_ptr<rate_room> room_;
  const rate_room::start started_;
  // Makes a new attempt without the rejected part; empty after the upstream was opened.
  made_again again_;
  const std::size_t most_seen_;
  std::vector<proxy::kept_event> seen_;  // the events that arrived before open() ended
  std::size_t seen_bytes_ = 0;           // the size of the events in `seen_`, in bytes
  proxy::memory_share memory_;           // counts the memory of the events in `seen_`
  std::size_t next_seen_ = 0;
  std::optional<proxy::failure> broken_;  // a failure that followed the last event in `seen_`
};

}  // namespace photofinish::gateway
