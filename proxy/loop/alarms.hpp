// The deadlines of one thread: the current time, and functions to call at given times. In production, one Asio timer
// drives all deadlines (timer_alarms.hpp). Tests advance the time themselves. [pure]
#pragma once

#include <chrono>
#include <functional>
#include <map>

namespace photofinish::proxy {

using instant = std::chrono::steady_clock::time_point;

class alarm;

class alarms {
 public:
  alarms() = default;
  alarms(const alarms&) = delete;
  alarms& operator=(const alarms&) = delete;
  virtual ~alarms() = default;

  virtual instant now() const = 0;

 protected:
  // If the earliest alarm is due at `now`, calls its function. Returns false if no alarm is due. The function may arm,
  // disarm or destroy any alarm, including the alarm that called it.
  bool strike_next(instant now);
  bool empty() const { return due_.empty(); }
  instant earliest() const { return due_.begin()->first; }

 private:
  friend class alarm;
  // Called when the earliest alarm has changed. An implementation then sets its timer again.
  virtual void earliest_changed() = 0;

  std::multimap<instant, alarm*> due_;
};

// One deadline. Its owner stores it by value, and the destructor disarms it.
class alarm {
 public:
  alarm(alarms& clock, std::function<void()> strike);
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;
  ~alarm() { disarm(); }

  void arm(instant when);  // replaces an earlier deadline
  void disarm() noexcept;
  bool is_armed() const { return is_armed_; }
  instant when() const { return position_->first; }  // the time is valid only while the alarm is armed

 private:
  friend class alarms;
  using queue = std::multimap<instant, alarm*>;

  alarms& clock_;
  std::function<void()> strike_;
  bool is_armed_ = false;
  queue::iterator position_;
  queue::node_type spare_;  // node of the queue; reused so that arming the alarm again does not allocate
};

}  // namespace photofinish::proxy
