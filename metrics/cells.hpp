// Numbers that one thread writes and any thread may read at any time, without a lock.
// A write is a relaxed load and a relaxed store, no read-modify-write: as cheap as a plain `+=`. Each cell on
// its own only ever tells a value it had; cells read together may be one request apart.
#pragma once

#include "metrics/names.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace photofinish::metrics {

template <class Number>
class cell {
 public:
  // The owner's thread only.
  void add(Number amount) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  void sub(Number amount) noexcept requires std::signed_integral<Number> { add(-amount); }

  // Any thread.
  Number value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<Number>::is_always_lock_free);
  std::atomic<Number> value_{0};
};

using counter_cell = cell<std::uint64_t>;
using gauge_cell = cell<std::int64_t>;
using sum_cell = cell<double>;

// One histogram's numbers at one time. The count is the sum of the buckets, so that they never disagree.
template <std::size_t BucketCount>
struct histogram_reading {
  std::array<std::uint64_t, BucketCount> counts{};  // not cumulative; the last one is up to infinity
  double sum = 0;

  std::uint64_t count() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }
};

// The cells of one series of a histogram. Which one it is, and so its edges, is part of the type.
template <const metric& Metric>
class histogram {
 public:
  using reading = histogram_reading<Metric.buckets.size() + 1>;

  // The owner's thread only.
  void observe(double value) noexcept {
    // No clock and no count gives these; one of them would spoil the sum for ever.
    if (!std::isfinite(value) || value < 0) return;
    counts_[bucket_of(Metric.buckets, value)].add(1);
    sum_.add(value);
  }
  void observe(std::chrono::duration<double> value) noexcept { observe(value.count()); }

  // Any thread.
  reading read() const noexcept {
    reading now;
    for (std::size_t i = 0; i < counts_.size(); ++i) now.counts[i] = counts_[i].value();
    now.sum = sum_.value();
    return now;
  }

 private:
  static_assert(Metric.kind == metric_kind::histogram && !Metric.buckets.empty());
  std::array<counter_cell, Metric.buckets.size() + 1> counts_;
  sum_cell sum_;
};

}  // namespace photofinish::metrics
