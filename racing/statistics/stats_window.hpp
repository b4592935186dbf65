// The measurements of the last 72 hours for each target, by the size of the prompt and by the number of running
// attempts. They are stored as sketches that can be merged. Times are wall-clock times, because the window outlives the
// process. Only one thread uses this class. [pure]
//
// A key consists of a target, a class of prompt sizes, and a class of concurrency. Each key has 72 slots of one hour
// for the window, and 30 slots of one minute for recent measurements. Each sample is counted in one hour slot and in
// one minute slot.
#pragma once

#include "racing/statistics/survival.hpp"
#include "racing/statistics/target_sample.hpp"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::racing {

using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

struct window_shape {
  std::chrono::milliseconds fine{std::chrono::minutes{1}};
  std::size_t fine_count = 30;
  std::chrono::milliseconds coarse{std::chrono::hours{1}};
  std::size_t coarse_count = 72;

  std::chrono::milliseconds length() const { return coarse * coarse_count; }
  bool operator==(const window_shape&) const = default;
};

struct window_bounds {
  std::size_t keys = 2'000;      // maximum number of targets; samples of further targets count for the target
                                 // `_other/_other`
  std::size_t bins = 4'000'000;  // maximum number of bins in all sketches; if it is exceeded, the oldest hour is
                                 // dropped
};

struct stats_key {
  std::string target;
  std::uint8_t input = 0;        // index of the class of prompt sizes
  std::uint8_t concurrency = 0;  // index of the class of concurrency

  auto operator<=>(const stats_key&) const = default;
};

struct stats_figures {
  survival_times ttft;  // seconds
  sketch speed;         // output speed in tokens per second

  void merge(const stats_figures& other) {
    ttft.merge(other.ttft);
    speed.merge(other.speed);
  }
  bool operator==(const stats_figures&) const = default;
};

struct stats_slot {
  std::int64_t number = 0;  // start of the slot, in slot lengths since 1970
  stats_figures figures;

  bool operator==(const stats_slot&) const = default;
};

struct stats_series {
  std::vector<stats_slot> fine, coarse;  // slots with samples, sorted by `number`

  bool operator==(const stats_series&) const = default;
};

enum class resolution { fine, coarse };

class stats_window {
 public:
  explicit stats_window(window_shape shape = {}, window_bounds bounds = {}) : shape_(shape), bounds_(bounds) {}

  void add(const target_sample& sample, wall_time now);
  // Drops data that is older than the window or later than `now`. `now` must be a time that does not jump
  // (wall_clock_filter.hpp).
  void expire(wall_time now);

  // If the clock was wrong, corrects all stored times by its error.
  void shift(std::chrono::milliseconds by);
  // Returns the start of the newest slot, or nothing if there is none.
  std::optional<wall_time> newest() const;

  // Adds a slot that was read from a file. If its time is outside the window, the next call of expire() drops the slot.
  void restore(const stats_key& key, resolution where, stats_slot slot);

  // Returns the measurements of each target since `now - length`, from the one-minute slots. `length` is at most 30
  // minutes.
  std::map<std::string, stats_figures> recent(wall_time now, std::chrono::milliseconds length) const;

  // Returns the number of the slot that contains the time `now - length`.
  std::int64_t oldest_slot(wall_time now, std::chrono::milliseconds length, resolution where) const;

  const std::map<stats_key, stats_series>& series() const { return series_; }
  const window_shape& shape() const { return shape_; }
  bool empty() const { return series_.empty(); }
  std::size_t bin_count() const { return bins_; }
  std::size_t memory_bytes() const;  // memory of all series; the memory of the map's nodes is estimated

 private:
  stats_series& series_of(const target_sample& sample);
  void count_bins();
  void make_room();

  window_shape shape_;
  window_bounds bounds_;
  std::map<stats_key, stats_series> series_;
  std::size_t bins_ = 0;
};

}  // namespace photofinish::racing
