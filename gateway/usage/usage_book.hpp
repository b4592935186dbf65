// What was used, by client, team and model, hour by hour and day by day, within bounds. [pure]
// A row is added to its hour and to its day: of hours the last three days are kept, of days more than a year.
#pragma once

#include "gateway/records/used_share.hpp"

#include <chrono>
#include <cstddef>
#include <map>

namespace photofinish::gateway {

struct usage_shape {
  std::size_t most_rows = 40'000;  // of hours, and as many of days
  std::chrono::hours hours_kept{72}, days_kept{400 * 24};
};

// Buckets of one length.
constexpr std::size_t longest_used_name = 256;  // of a client, a team, a model

class usage_tier {
 public:
  using rows = std::map<used_by, used_amounts>;

  usage_tier(std::chrono::seconds width, std::chrono::seconds kept, std::size_t most_rows)
      : width_(width), kept_(kept), most_rows_(most_rows) {}

  std::chrono::seconds width() const { return width_; }
  // By the time at which each begins, in UTC.
  const std::map<std::chrono::sys_seconds, rows>& buckets() const { return buckets_; }
  // What is older is not whole: it is too old, or had to make room.
  std::chrono::sys_seconds complete_since() const { return complete_since_; }

  void begin(std::chrono::sys_seconds now);  // nothing is known of what was before
  void add(const used_share& more, std::chrono::sys_seconds at);  // longer names are cut
  void expire(std::chrono::sys_seconds now);

  // What was kept. False: it cannot be.
  bool restore(std::chrono::sys_seconds bucket, used_share kept);
  void restore_complete_since(std::chrono::sys_seconds since) { complete_since_ = since; }

 private:
  void drop_oldest();

  std::chrono::seconds width_, kept_;
  std::size_t most_rows_;
  std::map<std::chrono::sys_seconds, rows> buckets_;
  std::size_t count_ = 0;
  std::chrono::sys_seconds complete_since_{};
};

class usage_book {
 public:
  explicit usage_book(std::chrono::sys_seconds now, const usage_shape& shape = {})
      : hours(std::chrono::hours(1), shape.hours_kept, shape.most_rows),
        days(std::chrono::hours(24), shape.days_kept, shape.most_rows) {
    hours.begin(now);
    days.begin(now);
  }

  void add(const used_share& more, std::chrono::sys_seconds at) {
    hours.add(more, at);
    days.add(more, at);
  }
  void expire(std::chrono::sys_seconds now) {
    hours.expire(now);
    days.expire(now);
  }

  usage_tier hours, days;
};

}  // namespace photofinish::gateway
