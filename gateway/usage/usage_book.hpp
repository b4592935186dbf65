// Records usage by client, team and model, for each hour and each day, within limits. [pure] Usage is added to a row of
// its hour and to a row of its day. The book keeps the hours of the last three days, and the days of more than a year.
#pragma once

#include "gateway/records/used_share.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <map>

namespace photofinish::gateway {

// The order of amounts in files and in the store.
inline constexpr std::array amounts_in_order{&used_amounts::requests,           &used_amounts::input_tokens,
                                             &used_amounts::output_tokens,      &used_amounts::lost_input_tokens,
                                             &used_amounts::lost_output_tokens, &used_amounts::nano_usd,
                                             &used_amounts::lost_nano_usd};

struct usage_shape {
  std::size_t most_rows = 40'000;  // limit of rows for hours, and the same limit for days
  std::size_t most_of_a_client = 1'000;  // limit of one client's rows in a bucket
  std::chrono::hours hours_kept{72}, days_kept{400 * 24};
};

// The buckets of one length: of an hour or of a day.
constexpr std::size_t longest_used_name = 256;  // limit of a client's, team's or model's name in bytes

class usage_tier {
 public:
  using rows = std::map<used_by, used_amounts>;

  usage_tier(std::chrono::seconds width, std::chrono::seconds kept, const usage_shape& shape)
      : width_(width), kept_(kept), most_rows_(shape.most_rows), most_of_a_client_(shape.most_of_a_client) {}

  std::chrono::seconds width() const { return width_; }
  // The buckets, each with the time at which it begins, in UTC.
  const std::map<std::chrono::sys_seconds, rows>& buckets() const { return buckets_; }
  // The time from which the buckets are complete. Older buckets have expired, or were removed because of the limit of
  // rows.
  std::chrono::sys_seconds complete_since() const { return complete_since_; }

  void begin(std::chrono::sys_seconds now);  // begins the book at `now`; earlier usage is unknown
  // Adds usage, and returns the row to which the usage was added. Names that are too long are cut.
  const used_by& add(const used_share& more, std::chrono::sys_seconds at);
  // Raises each amount of a row to `written`, which this book wrote to another place before it lost the row. `since` is
  // the amount that was added after the loss; it is added to `written`. Returns false if the limit of rows is reached.
  bool raise(std::chrono::sys_seconds bucket, const used_share& written, const used_amounts& since);
  std::chrono::sys_seconds bucket_of(std::chrono::sys_seconds at) const { return at - at.time_since_epoch() % width_; }
  // Returns the amounts of a row, or null if there is no such row.
  const used_amounts* find(std::chrono::sys_seconds bucket, const used_by& by) const;
  void expire(std::chrono::sys_seconds now);

  // Restores a stored row. Returns false if the row is invalid or the limit of rows is reached.
  bool restore(std::chrono::sys_seconds bucket, used_share kept);
  void restore_complete_since(std::chrono::sys_seconds since) { complete_since_ = since; }

 private:
  used_by place_for(const rows& bucket, const used_by& by) const;
  void drop_oldest();

  std::chrono::seconds width_, kept_;
  std::size_t most_rows_, most_of_a_client_;
  std::map<std::chrono::sys_seconds, rows> buckets_;
  std::size_t count_ = 0;
  std::chrono::sys_seconds complete_since_{};
};

class usage_book {
 public:
  explicit usage_book(std::chrono::sys_seconds now, const usage_shape& shape = {})
      : hours(std::chrono::hours(1), shape.hours_kept, shape), days(std::chrono::hours(24), shape.days_kept, shape) {
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
