// The races on the live page: running races and races that have just ended, within limits, each in its last reported
// state. Each race is rendered once for all pages. Used on the housekeeper's thread. [pure]
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
  static constexpr std::uint64_t kept_ticks = 20;        // ticks after its end

  // Adds a running race, or the receipt of a race that was shown while it ran. Other receipts are ignored.
  void put(std::shared_ptr<const race_receipt> seen);

  // Called once per second: shows the new data, and drops races that ended long ago.
  void tick();

  // The number of ticks so far.
  std::uint64_t sequence() const { return sequence_; }

  // The races that have changed since that tick, as JSON objects with commas between them; with 0 all races.
  std::string changed_since(std::uint64_t sequence) const;

  std::size_t size() const { return by_id_.size(); }
  std::size_t bytes() const { return bytes_; }
  void clear();  // does not reset the count of ticks

 private:
  struct shown_race {
    std::shared_ptr<const race_receipt> news;  // null: `text` contains it already
    std::string text;
    std::uint64_t changed_at = 0;
    bool is_over = false;
  };

  void render(shown_race& each);
  void forget_oldest();

  std::unordered_map<std::string, shown_race> by_id_;
  std::deque<std::string> in_order_;  // ids, in the order of arrival
  std::size_t bytes_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace photofinish::gateway
