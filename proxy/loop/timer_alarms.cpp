#include "proxy/loop/timer_alarms.hpp"

#include "proxy/loop/large_reads.hpp"

#include <boost/asio/post.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace photofinish::proxy {

void timer_alarms::stop() {
  is_stopped_ = true;
  timer_.cancel();
  boost::system::error_code ignored;
  if (always_ready_) always_ready_->cancel(ignored);
}

void timer_alarms::earliest_changed() {
  if (is_stopped_ || is_ringing_) return;  // ring() sets the timer again after it has called all due alarms
  if (!is_set_ || earliest() < timer_.expiry()) set(earliest());
}

void timer_alarms::set(instant when) {
  is_set_ = true;
  timer_.expires_at(when);
  ++handlers_;
  timer_.async_wait([this, round = ++round_](const boost::system::error_code&) {
    --handlers_;
    if (round == round_ && !is_stopped_) ring();
  });
}

void timer_alarms::ring() {
  is_set_ = false;
  is_ringing_ = true;
  const auto late_by = now() - timer_.expiry();
  has_unbound_ = late_by > stood_still;
  if (has_unbound_) large_reads::unbind(loop_);
  if (late_by <= late || !catch_up()) strike_due();
}

// Calls the alarms after all handlers that are ready now. Returns false if no further descriptor can be opened or
// watched.
bool timer_alarms::catch_up() {
  if (!always_ready_) {
    boost::system::error_code ec;
    boost::asio::posix::stream_descriptor made(loop_);
    const int ready = ::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ready < 0) return false;  // no file descriptors are left for the process
    made.assign(ready, ec);
    if (ec) return ::close(ready), false;  // the kernel cannot watch more descriptors
    always_ready_.emplace(std::move(made));
  }
  ++handlers_;
  always_ready_->async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code&) {
    // Calls the alarms one turn later. A connection that has just received data can then wake its streams first
    // (wakeup.hpp).
    boost::asio::post(loop_, [this] {
      --handlers_;
      strike_due();
    });
  });
  return true;
}

void timer_alarms::strike_due() {
  if (std::exchange(has_unbound_, false)) large_reads::bind(loop_);
  for (const instant until = now(); !is_stopped_ && strike_next(until);) {}
  is_ringing_ = false;
  if (!empty() && !is_stopped_) set(earliest());
}

}  // namespace photofinish::proxy
