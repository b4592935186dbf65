// The last 72 hours of every target, by input size and by this gateway's concurrency, as sketches that can be merged.
// [pure] Times are wall times, because the window outlives the process. Only one thread uses it.
//
// A key consists of a target, an input class and a concurrency class. Each key has 72 slots of an hour for the window,
// and 30 slots of a minute for recent figures. Every sample is counted in one hour slot and one minute slot.
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
  std::size_t keys = 2'000;      // limit of targets; samples of further targets count for the target `_other/_other`
  std::size_t bins = 4'000'000;  // limit of bins in all sketches; if it is exceeded, the oldest hour is dropped
};

struct stats_key {
  std::string target;
  std::uint8_t input = 0;        // index of the sample's input class
  std::uint8_t concurrency = 0;  // index of the sample's concurrency class

  auto operator<=>(const stats_key&) const = default;
};

struct stats_figures {
  survival_times ttft;  // seconds
  sketch speed;         // decoding speed in tokens per second

  void merge(const stats_figures& other) {
    ttft.merge(other.ttft);
    speed.merge(other.speed);
  }
  bool operator==(const stats_figures&) const = default;
};

struct stats_slot {
  std::int64_t number = 0;  // number of the slot, counted from 1970 in slot lengths
  stats_figures figures;

  bool operator==(const stats_slot&) const = default;
};

struct stats_series {
  std::vector<stats_slot> fine, coarse;  // slots with samples, sorted by number

  bool operator==(const stats_series&) const = default;
};

enum class resolution { fine, coarse };

class stats_window {
 public:
  explicit stats_window(window_shape shape = {}, window_bounds bounds = {}) : shape_(shape), bounds_(bounds) {}

  void add(const target_sample& sample, wall_time now);
  // Drops data that is older than the window or later than `now`. `now` must not jump: see wall_clock_filter.hpp.
  void expire(wall_time now);

  // Shifts all stored times by the clock's error.
  void shift(std::chrono::milliseconds by);
  // Returns the start of the newest slot, or nothing if there is none.
  std::optional<wall_time> newest() const;

  // Adds a slot of a stored window. The next call of expire() drops the slot if its time is outside the window.
  void restore(const stats_key& key, resolution where, stats_slot slot);

  // Returns the figures of each target since `now - length`, from one-minute slots. `length` is at most 30 minutes.
  std::map<std::string, stats_figures> recent(wall_time now, std::chrono::milliseconds length) const;

  // Returns the number of the slot that contains the time `now - length`.
  std::int64_t oldest_slot(wall_time now, std::chrono::milliseconds length, resolution where) const;

  const std::map<stats_key, stats_series>& series() const { return series_; }
  const window_shape& shape() const { return shape_; }
  bool empty() const { return series_.empty(); }
  std::size_t bin_count() const { return bins_; }
  std::size_t memory_bytes() const;  // memory of all series; the memory of map nodes is estimated

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
