// The alarms of one worker, over one Asio timer. It is set again only when the earliest alarm gets earlier,
// so that a deadline which is pushed back with each read costs two map operations and no system call.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>

namespace photofinish::proxy {

// To end it: stop(), run the loop until is_idle(), destroy.
class timer_alarms final : public alarms {
 public:
  explicit timer_alarms(boost::asio::io_context& loop) : timer_(loop) {}

  instant now() const override { return std::chrono::steady_clock::now(); }

  void stop();  // nothing strikes any more
  bool is_idle() const { return handlers_ == 0; }

 private:
  void earliest_changed() override;
  void set(instant when);
  void ring();

  boost::asio::steady_timer timer_;
  std::size_t handlers_ = 0;  // a cancelled timer's handler may already be queued: all of them are counted
  std::size_t round_ = 0;     // only the handler of the latest set() may ring
  bool is_set_ = false;
  bool is_ringing_ = false;
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
