#include "racing/statistics/sketch.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr double gamma_ratio = (1 + sketch::relative_error) / (1 - sketch::relative_error);
const double log_gamma = std::log(gamma_ratio);

// The number of bins by which the memory of a sketch grows. Doubling the memory, as a vector does, would be wasteful,
// because there are many small sketches.
constexpr std::size_t growth = 8;

// Adds two counts. If the sum is too large for its type, it is the largest possible value.
std::uint32_t sum(std::uint32_t one, std::uint32_t other) {
  return one + std::min(other, std::numeric_limits<std::uint32_t>::max() - one);
}

int index_of(double value) { return static_cast<int>(std::ceil(std::log(value) / log_gamma)); }
int first_index() {
  static const int first = index_of(sketch::least);
  return first;
}
int last_index() {
  static const int last = index_of(sketch::most);
  return last;
}

}  // namespace

std::size_t sketch::bucket_count() { return static_cast<std::size_t>(last_index() - first_index() + 1); }

std::int16_t sketch::bucket_of(double value) {
  return static_cast<std::int16_t>(index_of(std::clamp(value, least, most)));
}

// Returns the middle of a bucket, as DDSketch defines it: the value whose ratios to both edges are equal.
double sketch::value_of(std::int16_t bucket) { return std::exp(bucket * log_gamma) * 2 / (1 + gamma_ratio); }

bool sketch::is_bucket(int index) { return first_index() <= index && index <= last_index(); }

bool sketch::add(double value) {
  if (!std::isfinite(value) || value <= 0) return false;
  const std::size_t before = bins_.size();
  add(bucket_of(value), 1);
  return bins_.size() > before;
}

void sketch::add(std::int16_t bucket, std::uint32_t count) {
  assert(is_bucket(bucket));
  if (count == 0) return;
  auto at = std::lower_bound(bins_.begin(), bins_.end(), bucket,
                             [](const bin& each, std::int16_t wanted) { return each.index < wanted; });
  if (at != bins_.end() && at->index == bucket) {
    at->count = sum(at->count, count);
    return;
  }
  const auto offset = at - bins_.begin();
  if (bins_.size() == bins_.capacity()) bins_.reserve(bins_.size() + growth);
  bins_.insert(bins_.begin() + offset, {bucket, count});
}

void sketch::merge(const sketch& other) {
  std::vector<bin> merged;
  merged.reserve(bins_.size() + other.bins_.size());
  auto mine = bins_.begin();
  for (const bin& each : other.bins_) {
    while (mine != bins_.end() && mine->index < each.index) merged.push_back(*mine++);
    merged.push_back(each);
    if (mine != bins_.end() && mine->index == each.index) merged.back().count = sum(each.count, mine++->count);
  }
  merged.insert(merged.end(), mine, bins_.end());
  bins_ = std::move(merged);
}

std::uint64_t sketch::count() const {
  std::uint64_t total = 0;
  for (const bin& each : bins_) total += each.count;
  return total;
}

double sketch::mean() const {
  double sum = 0;
  for (const bin& each : bins_) sum += value_of(each.index) * each.count;
  return empty() ? 0 : sum / static_cast<double>(count());
}

std::optional<double> sketch::quantile(double share) const {
  const std::uint64_t total = count();
  if (total == 0) return std::nullopt;
  const double wanted = share * static_cast<double>(total);
  double seen = 0;
  for (const bin& each : bins_) {
    seen += each.count;
    if (seen >= wanted) return value_of(each.index);
  }
  return value_of(bins_.back().index);
}

}  // namespace photofinish::racing
