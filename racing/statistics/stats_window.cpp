#include "racing/statistics/stats_window.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr const char* overflow_target = "_other/_other";

std::int64_t number_of(wall_time when, std::chrono::milliseconds slot) {
  return when.time_since_epoch().count() / slot.count();
}

std::int64_t slots_in(std::chrono::milliseconds time, std::chrono::milliseconds slot) {
  const std::int64_t whole = time / slot;
  return time % slot < std::chrono::milliseconds(0) ? whole - 1 : whole;
}

// Finds a slot by its number, and adds it if it is missing. The last slot is checked first, because it is nearly always
// the right one.
stats_slot& slot_of(std::vector<stats_slot>& slots, std::int64_t number) {
  if (!slots.empty() && slots.back().number == number) return slots.back();
  const auto at = std::lower_bound(slots.begin(), slots.end(), number,
                                   [](const stats_slot& each, std::int64_t wanted) { return each.number < wanted; });
  if (at != slots.end() && at->number == number) return *at;
  return *slots.insert(at, stats_slot{.number = number, .figures = {}});
}

std::size_t add_to(stats_figures& figures, const target_sample& sample) {
  std::size_t new_bins = 0;
  if (sample.ttft_seconds) new_bins += figures.ttft.seen.add(*sample.ttft_seconds);
  if (sample.ttft_at_least_seconds) new_bins += figures.ttft.censored.add(*sample.ttft_at_least_seconds);
  if (sample.tokens_per_second) new_bins += figures.speed.add(*sample.tokens_per_second);
  return new_bins;
}

void keep_between(std::vector<stats_slot>& slots, std::int64_t after, std::int64_t last) {
  std::erase_if(slots, [&](const stats_slot& each) { return each.number <= after || each.number > last; });
  if (slots.capacity() > 2 * slots.size()) slots.shrink_to_fit();
}

std::size_t bins_of(const stats_figures& figures) {
  return figures.ttft.seen.bins().size() + figures.ttft.censored.bins().size() + figures.speed.bins().size();
}

std::size_t bins_of(const std::vector<stats_slot>& slots) {
  std::size_t bins = 0;
  for (const stats_slot& each : slots) bins += bins_of(each.figures);
  return bins;
}

std::size_t memory_of(const std::vector<stats_slot>& slots) {
  std::size_t bytes = slots.capacity() * sizeof(stats_slot);
  for (const stats_slot& each : slots)
    bytes += each.figures.ttft.seen.memory_bytes() + each.figures.ttft.censored.memory_bytes() +
             each.figures.speed.memory_bytes();
  return bytes;
}

}  // namespace

void stats_window::add(const target_sample& sample, wall_time now) {
  if (!sample.says_something()) return;
  stats_series& series = series_of(sample);
  bins_ += add_to(slot_of(series.fine, number_of(now, shape_.fine)).figures, sample);
  bins_ += add_to(slot_of(series.coarse, number_of(now, shape_.coarse)).figures, sample);
  if (bins_ > bounds_.bins) make_room();
}

void stats_window::expire(wall_time now) {
  const std::int64_t fine = number_of(now, shape_.fine), coarse = number_of(now, shape_.coarse);
  for (auto& [key, series] : series_) {
    keep_between(series.fine, fine - static_cast<std::int64_t>(shape_.fine_count), fine);
    keep_between(series.coarse, coarse - static_cast<std::int64_t>(shape_.coarse_count), coarse);
  }
  std::erase_if(series_, [](const auto& each) { return each.second.fine.empty() && each.second.coarse.empty(); });
  count_bins();
}

// Shifts all stored times. Slot numbers are rounded down, so that two times stay in order when both are shifted.
void stats_window::shift(std::chrono::milliseconds by) {
  const std::int64_t fine = slots_in(by, shape_.fine), coarse = slots_in(by, shape_.coarse);
  for (auto& [key, series] : series_) {
    for (stats_slot& each : series.fine) each.number += fine;
    for (stats_slot& each : series.coarse) each.number += coarse;
  }
}

std::optional<wall_time> stats_window::newest() const {
  std::optional<wall_time> latest;
  const auto note = [&latest](const std::vector<stats_slot>& slots, std::chrono::milliseconds length) {
    if (slots.empty()) return;
    const wall_time start{length * slots.back().number};
    if (!latest || start > *latest) latest = start;
  };
  for (const auto& [key, series] : series_) {
    note(series.fine, shape_.fine);
    note(series.coarse, shape_.coarse);
  }
  return latest;
}

void stats_window::restore(const stats_key& key, resolution where, stats_slot slot) {
  if (series_.size() >= bounds_.keys && !series_.contains(key)) return;
  stats_series& series = series_[key];
  stats_figures& into = slot_of(where == resolution::fine ? series.fine : series.coarse, slot.number).figures;
  const std::size_t before = bins_of(into);
  into.merge(slot.figures);
  bins_ += bins_of(into) - before;
  if (bins_ > bounds_.bins) make_room();
}

std::map<std::string, stats_figures> stats_window::recent(wall_time now, std::chrono::milliseconds length) const {
  std::map<std::string, stats_figures> found;
  const std::int64_t last = number_of(now, shape_.fine), after = number_of(now - length, shape_.fine);
  for (const auto& [key, series] : series_)
    for (const stats_slot& slot : series.fine)
      if (after < slot.number && slot.number <= last) found[key.target].merge(slot.figures);
  return found;
}

std::int64_t stats_window::oldest_slot(wall_time now, std::chrono::milliseconds length, resolution where) const {
  return number_of(now - length, where == resolution::fine ? shape_.fine : shape_.coarse);
}

std::size_t stats_window::memory_bytes() const {
  constexpr std::size_t node_overhead = 4 * sizeof(void*);
  std::size_t bytes = 0;
  for (const auto& [key, series] : series_)
    bytes += node_overhead + sizeof key + sizeof series + key.target.capacity() + memory_of(series.fine) +
             memory_of(series.coarse);
  return bytes;
}

stats_series& stats_window::series_of(const target_sample& sample) {
  stats_key key{sample.target, input_class_of(sample.input_tokens), concurrency_class_of(sample.concurrency)};
  if (series_.size() >= bounds_.keys && !series_.contains(key)) key.target = overflow_target;
  return series_[std::move(key)];
}

void stats_window::count_bins() {
  bins_ = 0;
  for (const auto& [key, series] : series_) bins_ += bins_of(series.fine) + bins_of(series.coarse);
}

// Frees a tenth of the bins at once. Otherwise a full window would have to search for its oldest hour for each new
// sample.
void stats_window::make_room() {
  while (bins_ > bounds_.bins - bounds_.bins / 10) {
    std::int64_t oldest = std::numeric_limits<std::int64_t>::max(), newest = 0;
    for (const auto& [key, series] : series_)
      if (!series.coarse.empty()) {
        oldest = std::min(oldest, series.coarse.front().number);
        newest = std::max(newest, series.coarse.back().number);
      }
    const bool is_last_hour = oldest >= newest;
    for (auto& [key, series] : series_) {
      if (is_last_hour) series.fine.clear();  // drops the 30 one-minute slots before it drops the last hour slot
      std::erase_if(series.coarse, [&](const stats_slot& each) { return each.number == oldest; });
    }
    count_bins();
  }
}

}  // namespace photofinish::racing
