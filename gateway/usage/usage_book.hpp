// Records usage by client, team and model, for each hour and each day, in limited memory. [pure] The book adds all
// usage to two rows: one for the hour and one for the day. It keeps the hours of the last three days, and the days of
// more than a year.
#pragma once

#include "gateway/records/used_share.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <map>

namespace photofinish::gateway {

// The order in which the amounts of a row are written to files and to the store.
inline constexpr std::array amounts_in_order{&used_amounts::requests,           &used_amounts::input_tokens,
                                             &used_amounts::output_tokens,      &used_amounts::lost_input_tokens,
                                             &used_amounts::lost_output_tokens, &used_amounts::nano_usd,
                                             &used_amounts::lost_nano_usd};

struct usage_shape {
  std::size_t most_rows = 40'000;  // the maximum number of rows for hours, and also for days
  std::size_t most_of_a_client = 1'000;  // the maximum number of rows of one client in a bucket
  std::chrono::hours hours_kept{72}, days_kept{400 * 24};
};

// All buckets of one length, which is either an hour or a day.
constexpr std::size_t longest_used_name = 256;  // the maximum length of a name of a client, team or model, in bytes

class usage_tier {
 public:
  using rows = std::map<used_by, used_amounts>;

  usage_tier(std::chrono::seconds width, std::chrono::seconds kept, const usage_shape& shape)
      : width_(width), kept_(kept), most_rows_(shape.most_rows), most_of_a_client_(shape.most_of_a_client) {}

  std::chrono::seconds width() const { return width_; }
  // The buckets, sorted by the time at which they begin, in UTC.
  const std::map<std::chrono::sys_seconds, rows>& buckets() const { return buckets_; }
  // The time since which all buckets are complete. Older buckets have expired, or were removed to limit the number of
  // rows.
  std::chrono::sys_seconds complete_since() const { return complete_since_; }

  void begin(std::chrono::sys_seconds now);  // begins an empty usage book at the time `now`; earlier usage is unknown
  // Adds usage. Returns the row to which it was added. Names that are too long are cut.
  const used_by& add(const used_share& more, std::chrono::sys_seconds at);
  // Restores a row that this usage book has lost. `written` contains the amounts that were stored elsewhere before the
  // loss. `since` contains the usage after the loss. Raises each amount of the row at least to the sum of both. Returns
  // false if there are too many rows.
  bool raise(std::chrono::sys_seconds bucket, const used_share& written, const used_amounts& since);
  std::chrono::sys_seconds bucket_of(std::chrono::sys_seconds at) const { return at - at.time_since_epoch() % width_; }
  // Returns the amounts of a row, or null if the row does not exist.
  const used_amounts* find(std::chrono::sys_seconds bucket, const used_by& by) const;
  void expire(std::chrono::sys_seconds now);

  // Restores a saved row. Returns false if the row is invalid or there are too many rows.
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
