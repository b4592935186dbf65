#include "racing/advice/speed_records.hpp"

#include <algorithm>
#include <cstddef>

namespace photofinish::racing {
namespace {

std::int32_t slot_of(std::int32_t minute) { return minute / minutes_of_slot; }

template <class Minutes>
void keep_minutes(Minutes& all, std::int32_t after, std::int32_t last) {
  std::erase_if(all, [&](const auto& each) { return each.minute <= after || each.minute > last; });
}

template <class Slots>
void keep_slots(Slots& all, std::int32_t after, std::int32_t last) {
  std::erase_if(all, [&](const auto& each) { return each.number < slot_of(after) || each.number > slot_of(last); });
}

// Converts minutes to slots. Also rounds negative numbers down, so that two times stay in order when both are shifted.
std::int32_t slots_in(std::int32_t minutes) {
  const std::int32_t whole = minutes / minutes_of_slot;
  return minutes % minutes_of_slot < 0 ? whole - 1 : whole;
}

template <class Records>
void shift_all(Records& all, std::int32_t minutes) {
  for (auto& [name, each] : all) {
    for (auto& minute : each.minutes) minute.minute += minutes;
    for (auto& slot : each.slots) slot.number += slots_in(minutes);
  }
}

std::size_t bytes_of(const survival_times& times) { return times.seen.memory_bytes() + times.censored.memory_bytes(); }

}  // namespace

void speed_records::expire(std::int32_t now) {
  const std::int32_t after = now - advice_minutes;
  const auto expire_in = [&](auto& all) {
    for (auto& [name, each] : all) keep_minutes(each.minutes, after, now), keep_slots(each.slots, after, now);
    std::erase_if(all, [](const auto& each) { return each.second.minutes.empty() && each.second.slots.empty(); });
  };
  expire_in(targets);
  expire_in(routes);
}

void speed_records::shift(std::int32_t minutes) {
  shift_all(targets, minutes);
  shift_all(routes, minutes);
}

std::optional<std::int32_t> speed_records::newest() const {
  std::optional<std::int32_t> latest;
  const auto note = [&latest](const auto& all) {
    for (const auto& [name, each] : all) {
      if (each.minutes.empty()) continue;
      const std::int32_t last = each.minutes.back().minute;
      latest = std::max(latest.value_or(last), last);
    }
  };
  note(targets);
  note(routes);
  return latest;
}

std::size_t speed_records::memory_bytes() const {
  constexpr std::size_t node = 4 * sizeof(void*);
  std::size_t bytes = 0;
  for (const auto& [name, each] : targets) {
    bytes += node + sizeof name + sizeof each + name.capacity() + each.minutes.capacity() * sizeof(target_minute);
    for (const target_slot& slot : each.slots) bytes += sizeof slot + slot.speed.memory_bytes();
  }
  for (const auto& [name, each] : routes) {
    bytes += node + sizeof name + sizeof each + name.capacity() + each.minutes.capacity() * sizeof(route_minute);
    for (const route_slot& slot : each.slots)
      bytes += sizeof slot + bytes_of(slot.first_token) + bytes_of(slot.finish) + slot.prompts.memory_bytes() +
               slot.answers.memory_bytes() + slot.runs.size() * (node + sizeof(std::string) + sizeof(run_counts));
  }
  return bytes;
}

}  // namespace photofinish::racing
