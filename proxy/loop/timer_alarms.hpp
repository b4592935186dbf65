// The alarms of one worker, over one Asio timer. It is set again only when the earliest alarm gets earlier,
// so that a deadline which is pushed back with each read costs two map operations and no system call.
// Where the loop itself was late, what has come meanwhile is read first (docs/decisions/0064).
#pragma once

#include "proxy/loop/alarms.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

namespace photofinish::proxy {

// To end it: stop(), run the loop until is_idle(), destroy.
class timer_alarms final : public alarms {
 public:
  // A timer that strikes later than this: the loop stood still. By less a peer that was heard in time is not wronged:
  // what came lies in the same look at the sockets, and is read before alarms strike.
  static constexpr std::chrono::milliseconds late{10};
  // Later than our own work makes an alarm: the process was not run. What waits for its turn to read much is read then,
  // too, for its limit of silence may be over.
  static constexpr std::chrono::milliseconds stood_still{100};

  explicit timer_alarms(boost::asio::io_context& loop) : loop_(loop), timer_(loop) {}

  instant now() const override { return std::chrono::steady_clock::now(); }

  void stop();  // nothing strikes any more
  bool is_idle() const { return handlers_ == 0; }

 private:
  void earliest_changed() override;
  void set(instant when);
  void ring();
  bool catch_up();
  void strike_due();

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  // Readable at any time. The kernel hands out what is ready in the order in which it became so.
  std::optional<boost::asio::posix::stream_descriptor> always_ready_;
  std::size_t handlers_ = 0;  // a cancelled timer's handler may already be queued: all of them are counted
  std::size_t round_ = 0;     // only the handler of the latest set() may ring
  bool is_set_ = false;
  bool is_ringing_ = false;   // until all that are due have struck
  bool has_unbound_ = false;  // large_reads
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
