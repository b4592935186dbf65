// Counts of values in logarithmic buckets: quantiles with at most 1 % error, and sketches that add up exactly. [pure]
// The buckets are those of DDSketch (Masson, Rim, Lee 2019): bucket i holds values in (gamma^(i-1), gamma^i], with
// gamma = 1.01 / 0.99. Only buckets that hold something take memory.
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
  // Seconds of a TTFT and tokens per second alike: what lies outside counts in the first or the last bucket.
  static constexpr double least = 0.001;
  static constexpr double most = 100'000;

  struct bin {
    std::int16_t index;
    std::uint32_t count;

    bool operator==(const bin&) const = default;
  };

  // How many buckets there are, and so how many bins a sketch holds at most.
  static std::size_t bucket_count();
  static std::int16_t bucket_of(double value);
  static double value_of(std::int16_t bucket);  // within 1 % of every value in it
  static bool is_bucket(int index);

  // A value that is no positive number is left out. True when it took a bin of its own.
  bool add(double value);
  void add(std::int16_t bucket, std::uint32_t count);  // `bucket` is one
  void merge(const sketch& other);

  bool empty() const { return bins_.empty(); }
  std::uint64_t count() const;
  std::span<const bin> bins() const { return bins_; }  // by index; no count is 0
  std::size_t memory_bytes() const { return bins_.capacity() * sizeof(bin); }  // beside the object itself

  double mean() const;  // 0 when there are no values

  // The value that `share` (0..1) of all values are not above; none when there are no values.
  std::optional<double> quantile(double share) const;

  bool operator==(const sketch&) const = default;

 private:
  std::vector<bin> bins_;
};

}  // namespace photofinish::racing
