#include "racing/advice/merged_records.hpp"

#include "racing/advice/speed_history.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace photofinish::racing {
namespace {

template <class Number>
Number capped_sum(Number one, Number other) {
  constexpr Number most = std::numeric_limits<Number>::max();
  return one > most - other ? most : static_cast<Number>(one + other);
}

// Returns the weighted mean of two values. If both weights are 0, returns the plain mean.
double weighted(double one, double weight, double other, double other_weight) {
  const double sum = weight + other_weight;
  return sum > 0 ? (one * weight + other * other_weight) / sum : (one + other) / 2;
}

std::uint64_t attempts_of(const target_record& record) {
  std::uint64_t sum = 0;
  for (const target_minute& each : record.minutes) sum += each.attempts;
  return sum;
}

void add(target_minute& into, const target_minute& other) {
  into.level = static_cast<float>(weighted(static_cast<double>(into.level), into.attempts,
                                           static_cast<double>(other.level), other.attempts));
  into.hangs = static_cast<std::uint8_t>(weighted(into.hangs, into.attempts, other.hangs, other.attempts) + 0.5);
  into.jumps = std::max(into.jumps, other.jumps);
  into.attempts = capped_sum(into.attempts, other.attempts);
  into.failed = std::min(into.attempts, capped_sum(into.failed, other.failed));
}

void add(target_slot& into, const target_slot& other) {
  into.shape.merge(other.shape);
  into.speed.merge(other.speed);
}

void add(route_minute& into, const route_minute& other) { into.requests = capped_sum(into.requests, other.requests); }

void add(route_slot& into, const route_slot& other) {
  into.first_token.merge(other.first_token);
  into.finish.merge(other.finish);
  into.prompts.merge(other.prompts);
  into.answers.merge(other.answers);
  add(into.conversations, other.conversations);
  for (const auto& [target, runs] : other.runs) {
    if (into.runs.size() >= speed_history::max_attempts && !into.runs.contains(target)) continue;
    run_counts& sum = into.runs[target];
    sum.starts = capped_sum(sum.starts, runs.starts);
    sum.wins = capped_sum(sum.wins, runs.wins);
    sum.losses = capped_sum(sum.losses, runs.losses);
    sum.won_tokens = capped_sum(sum.won_tokens, runs.won_tokens);
    sum.lost_tokens = capped_sum(sum.lost_tokens, runs.lost_tokens);
  }
}

// Merges two lists that are sorted by time. The result is also sorted by time.
template <class Entry>
void merge_in_order(std::vector<Entry>& into, const std::vector<Entry>& other, std::int32_t Entry::*time) {
  std::vector<Entry> all;
  all.reserve(std::max(into.size(), other.size()));
  auto mine = into.begin();
  for (const Entry& each : other) {
    while (mine != into.end() && (*mine).*time < each.*time) all.push_back(std::move(*mine++));
    if (mine != into.end() && (*mine).*time == each.*time) {
      all.push_back(std::move(*mine++));
      add(all.back(), each);
    } else {
      all.push_back(each);
    }
  }
  while (mine != into.end()) all.push_back(std::move(*mine++));
  into = std::move(all);
}

void add(target_record& into, const target_record& other) {
  const auto weight = static_cast<double>(attempts_of(into)), its = static_cast<double>(attempts_of(other));
  into.rho = weighted(into.rho, weight, other.rho, its);
  into.load_slope = weighted(into.load_slope, weight, other.load_slope, its);
  merge_in_order(into.minutes, other.minutes, &target_minute::minute);
  merge_in_order(into.slots, other.slots, &target_slot::number);
}

void add(route_record& into, const route_record& other) {
  merge_in_order(into.minutes, other.minutes, &route_minute::minute);
  merge_in_order(into.slots, other.slots, &route_slot::number);
}

template <class Records>
void merge_all(Records& into, const Records& other, std::size_t most) {
  for (const auto& [name, record] : other) {
    const auto found = into.find(name);
    if (found != into.end()) add(found->second, record);
    else if (into.size() < most) into.emplace(name, record);
  }
}

template <class Records>
void drop_before(Records& all, std::int32_t first) {
  for (auto& [name, each] : all) {
    std::erase_if(each.minutes, [&](const auto& minute) { return minute.minute < first; });
    std::erase_if(each.slots, [&](const auto& slot) { return slot.number < first / minutes_of_slot; });
  }
  std::erase_if(all, [](const auto& each) { return each.second.minutes.empty() && each.second.slots.empty(); });
}

}  // namespace

void merge(speed_records& into, const speed_records& other) {
  merge_all(into.targets, other.targets, speed_history::max_targets);
  merge_all(into.routes, other.routes, speed_history::max_routes);
}

void drop_until_fit(speed_records& records, std::size_t bytes) {
  const std::int32_t newest = records.newest().value_or(0);
  for (std::int32_t kept = advice_minutes / 2; records.memory_bytes() > bytes; kept /= 2) {
    if (kept < 60) {
      records = {};
      return;
    }
    // A vector keeps the memory of erased entries, but a copy of the vector does not. Therefore the records are copied.
    drop_before(records.targets, newest - kept);
    drop_before(records.routes, newest - kept);
    speed_records smaller = records;
    records = std::move(smaller);
  }
}

}  // namespace photofinish::racing
