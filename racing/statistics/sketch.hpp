// Counts values in logarithmic buckets. Quantiles have an error of at most 1 %, and sketches can be added without loss.
// The buckets are those of DDSketch (Masson, Rim, Lee 2019): bucket i contains the values in (gamma^(i-1), gamma^i],
// with gamma = 1.01 / 0.99. Empty buckets take no memory. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace photofinish::racing {

class sketch {
 public:
  static constexpr double relative_error = 0.01;
  // The smallest value with a bucket of its own. Values are TTFTs in seconds, or tokens per second. Smaller values
  // count in the first bucket, and values above `most` count in the last bucket.
  static constexpr double least = 0.001;
  static constexpr double most = 100'000;

  struct bin {
    std::int16_t index;
    std::uint32_t count;

    bool operator==(const bin&) const = default;
  };

  // Returns the number of buckets, which is also the maximum number of bins of a sketch.
  static std::size_t bucket_count();
  static std::int16_t bucket_of(double value);
  static double value_of(std::int16_t bucket);  // returns a value within 1 % of each value in the bucket
  static bool is_bucket(int index);

  // Adds a value. Ignores the value if it is not a positive number. Returns true if a new bin was needed for the value.
  bool add(double value);
  void add(std::int16_t bucket, std::uint32_t count);  // adds `count` values to a bucket, which must be valid
  void merge(const sketch& other);

  bool empty() const { return bins_.empty(); }
  std::uint64_t count() const;
  std::span<const bin> bins() const { return bins_; }  // the bins are sorted by index, and no count is 0
  // The memory that the sketch uses in addition to the object itself.
  std::size_t memory_bytes() const { return bins_.capacity() * sizeof(bin); }

  double mean() const;  // returns the mean of the values, or 0 if there are none

  // Returns the smallest value such that at least `share` (0..1) of all values are less than or equal to it. Returns
  // nothing if there are no values.
  std::optional<double> quantile(double share) const;

  bool operator==(const sketch&) const = default;

 private:
  std::vector<bin> bins_;
};

}  // namespace photofinish::racing
