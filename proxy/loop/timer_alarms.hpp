// The alarms of one worker. One Asio timer drives them, and it is set again only if the earliest alarm becomes earlier.
// A deadline that is extended after each read therefore costs two map operations and no system call. If the event loop
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

// To end the object, call stop(), run the event loop until is_idle(), then destroy the object.
class timer_alarms final : public alarms {
 public:
  // If the timer fires with a longer delay than this, the event loop was stopped for some time. A shorter delay does no
  // harm: if a peer's bytes arrived in time, the loop reads them before it calls alarms.
  static constexpr std::chrono::milliseconds late{10};
  // The gateway's own work never delays an alarm this long, so the operating system must have stopped the process.
  // Large reads that wait for a slot are then done before alarms are called. Otherwise a peer's silence limit could
  // expire although the peer's bytes have arrived.
  static constexpr std::chrono::milliseconds stood_still{100};

  explicit timer_alarms(boost::asio::io_context& loop) : loop_(loop), timer_(loop) {}

  instant now() const override { return std::chrono::steady_clock::now(); }

  void stop();  // no alarm is called after stop()
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
  // so it returns this descriptor after all others.
  std::optional<boost::asio::posix::stream_descriptor> always_ready_;
  // Number of pending handlers; includes handlers of cancelled timers, which may already be queued.
  std::size_t handlers_ = 0;
  std::size_t round_ = 0;     // the number of the latest set() call; only the handler of this call may call alarms
  bool is_set_ = false;
  bool is_ringing_ = false;   // true while the due alarms are being called
  bool has_unbound_ = false;  // true if this object has called unbind() of large_reads
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
