// The winner of a race as the source of an answer. It returns the events that were stored until the race was decided,
// and then further events. It limits the time without events and the time for the whole answer. The stall clock runs
// only while the gateway reads. Therefore a slow client does not make the provider look stalled.
#pragma once

#include "gateway/relay/answer_source.hpp"
#include "gateway/relay/crawl_watch.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/upstream.hpp"
#include "racing/race_plan.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace photofinish::gateway {

class winner_reader final : public answer_source {
 public:
  static constexpr std::chrono::seconds heartbeat_interval{15};

  // `held` contains the events that arrived before the race was decided. It must outlive the reader, which empties it
  // step by step. If `held_failure` is set, the answer ends with this failure after the events in `held`. The reader
  // calls `on_silence` after each heartbeat_interval without an event. `ends_at` limits the time for the whole answer.
  winner_reader(proxy::upstream& winner, std::vector<proxy::kept_event>& held, proxy::maybe_failure held_failure,
                proxy::alarms& alarms, const racing::race_settings& limits, proxy::instant ends_at,
                std::function<void()> on_silence);

  // Watches the speed of the answer. `watch` must outlive the reader. When the answer is too slow, the reader calls
  // `is_to_be_cut` once.
  void watch_speed(crawl_watch& watch, std::function<bool(const found_crawl&)> is_to_be_cut);

  // These functions work like the functions of the same names in upstream. If one of the gateway's own limits ended the
  // answer, they return failure_kind::stall, crawl or timeout.
  std::optional<proxy::result<proxy::stream_event>> poll() override;
  bool may_have_event() const override { return next_held_ < held_.size() || winner_.may_have_event(); }
  boost::asio::awaitable<void> readable() override;
  std::optional<proxy::result<proxy::stream_event>> read() override;

 private:
  // Stores the time of the last event. The timer is not restarted for each event. When it expires, it checks how much
  // time has passed since the last event.
  const proxy::stream_event& noted(const proxy::stream_event& event);
  void look();
  bool is_cut_for_crawl(proxy::instant now);
  void arm(proxy::instant now);
  void forget_held();
  proxy::instant silent_since(proxy::instant now) const { return is_reading_ ? reading_since_ : now; }
  proxy::instant next_heartbeat(proxy::instant now) const;
  void cut(proxy::failure_kind kind, std::string detail);

  // Every event uses the members below. They are first in the object, so that they share few cache lines.
  proxy::upstream& winner_;
  std::vector<proxy::kept_event>& held_;
  std::size_t next_held_ = 0;
  proxy::alarms& alarms_;
  proxy::maybe_failure held_failure_;
  proxy::maybe_failure cut_;
  proxy::instant reading_since_;
  bool is_reading_ = false;
  crawl_watch* watch_ = nullptr;
  std::chrono::milliseconds stall_timeout_;
  proxy::instant ends_at_;
  proxy::instant last_heartbeat_;
  std::function<void()> on_silence_;
  std::function<bool(const found_crawl&)> is_to_be_cut_;
  proxy::alarm alarm_;
};

}  // namespace photofinish::gateway
