// The running and the recently ended races that the live page shows. Each race is in the state that was reported last.
// The number of races and their total size are limited. Each race is converted to JSON only once for all open pages.
// Only the housekeeper's thread uses this class. [pure]
#pragma once

#include "gateway/records/race_receipt.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace photofinish::gateway {

class live_races {
 public:
  static constexpr std::size_t most = 400;
  static constexpr std::size_t most_bytes = 512u << 10;  // of text
  static constexpr std::uint64_t kept_ticks = 20;        // the number of ticks for which an ended race is kept

  // Adds a running race, or updates the state of a race that is already in the list. An ended race that is not in the
  // list is ignored.
  void put(std::shared_ptr<const race_receipt> seen);

  // Converts the races that have changed to JSON, and drops races that ended long ago. This is called once per second.
  void tick();

  // The number of tick() calls since the start.
  std::uint64_t sequence() const { return sequence_; }

  // Returns the races that changed after the given tick, as JSON objects separated by commas. Tick 0 returns all races.
  std::string changed_since(std::uint64_t sequence) const;

  std::size_t size() const { return by_id_.size(); }
  std::size_t bytes() const { return bytes_; }
  void clear();  // removes all races, but does not reset the number of tick() calls

 private:
  struct shown_race {
    std::shared_ptr<const race_receipt> news;  // the latest state of the race; null if `text` already contains it
    std::string text;
    std::uint64_t changed_at = 0;
    bool is_over = false;
  };

  void render(shown_race& each);
  void forget_oldest();

  std::unordered_map<std::string, shown_race> by_id_;
  std::deque<std::string> in_order_;  // the ids of the races, in the order of their arrival
  std::size_t bytes_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace photofinish::gateway
