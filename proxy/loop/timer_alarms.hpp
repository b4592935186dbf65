// The alarms of one worker, driven by one Asio timer. The timer is set again only when the earliest alarm becomes
// earlier. A deadline that moves back with each read therefore costs two map operations and no system call. If the loop
// itself was late, received data is read before alarms are called (docs/decisions/0064).
#pragma once

#include "proxy/loop/alarms.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

namespace photofinish::proxy {

// Alarms with a timer. To end the object, call stop(), run the loop until is_idle(), then destroy it.
class timer_alarms final : public alarms {
 public:
  // If the timer fires later than this, the loop stood still. A shorter delay cannot harm a peer that answered in time,
  // because the same poll finds its bytes, and they are read before alarms are called.
  static constexpr std::chrono::milliseconds late{10};
  // Our own work never delays an alarm this long, so the process was not running. Peers that wait for a large-read slot
  // are then also read, because their silence limit may have passed.
  static constexpr std::chrono::milliseconds stood_still{100};

  explicit timer_alarms(boost::asio::io_context& loop) : loop_(loop), timer_(loop) {}

  instant now() const override { return std::chrono::steady_clock::now(); }

  void stop();  // calls no alarms after this
  bool is_idle() const { return handlers_ == 0; }

 private:
  void earliest_changed() override;
  void set(instant when);
  void ring();
  bool catch_up();
  void strike_due();

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  // A descriptor that is always readable. The kernel returns ready descriptors in the order in which they became ready,
  // so this one comes after the others.
  std::optional<boost::asio::posix::stream_descriptor> always_ready_;
  std::size_t handlers_ = 0;  // pending handlers; a cancelled timer's handler may already be queued, so all are counted
  std::size_t round_ = 0;     // the number of the latest set(); only its handler may call alarms
  bool is_set_ = false;
  bool is_ringing_ = false;   // true until all due alarms have been called
  bool has_unbound_ = false;  // true if this object called unbind() of large_reads
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
