// Reads the winner of a race under its limits: it may not fall silent for long, nor speak for ever.
// The stall clock runs only while we are reading, so a slow client does not make its provider look stalled.
#pragma once

#include "proxy/alarms.hpp"
#include "proxy/upstream.hpp"
#include "racing/race_plan.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace photofinish::gateway {

class winner_reader {
 public:
  static constexpr std::chrono::seconds heartbeat_interval{15};

  // Begins where the race's held events end; with `held_failure`, nothing follows them. `on_silence` is called each
  // heartbeat_interval in which nothing came; `ends_at` bounds the whole answer.
  winner_reader(proxy::upstream& winner, std::optional<proxy::failure> held_failure, proxy::alarms& alarms,
                const racing::race_settings& limits,
                proxy::instant ends_at, std::function<void()> on_silence);

  // The next event, or why there is none: failure_kind::stall or timeout where a limit of ours ended it.
  boost::asio::awaitable<proxy::result<proxy::stream_event>> next();
  std::optional<proxy::result<proxy::stream_event>> poll();
  bool may_have_event() const { return winner_.may_have_event(); }

 private:
  // Alarms are not moved with each event: they look, when they strike, how long the silence is.
  void check_silence();
  void check_heartbeat();
  void cut(proxy::failure_kind kind, std::string detail);

  proxy::upstream& winner_;
  std::optional<proxy::failure> held_failure_;
  proxy::alarms& alarms_;
  std::chrono::milliseconds stall_timeout_;
  std::function<void()> on_silence_;
  bool is_reading_ = false;
  proxy::instant reading_since_;
  proxy::instant last_heartbeat_;
  std::optional<proxy::failure> cut_;
  proxy::alarm stall_;
  proxy::alarm heartbeat_;
  proxy::alarm total_;
};

}  // namespace photofinish::gateway
