// The races that the live page shows: those that run, and those that have just ended, within bounds, each as it was
// last reported. Rendered once, for all pages. The housekeeper's thread. [pure]
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
  static constexpr std::uint64_t kept_ticks = 20;        // behind its end

  // A race that runs, or the receipt of one that was shown running: others are passed over.
  void put(std::shared_ptr<const race_receipt> seen);

  // Once a second: what has come since is shown from now on; what has been over for long goes.
  void tick();

  // Counts the ticks.
  std::uint64_t sequence() const { return sequence_; }

  // What has changed since that tick, as JSON objects with commas between them; with 0 everything.
  std::string changed_since(std::uint64_t sequence) const;

  std::size_t size() const { return by_id_.size(); }
  std::size_t bytes() const { return bytes_; }
  void clear();  // counts on

 private:
  struct shown_race {
    std::shared_ptr<const race_receipt> news;  // null: `text` says it
    std::string text;
    std::uint64_t changed_at = 0;
    bool is_over = false;
  };

  void render(shown_race& each);
  void forget_oldest();

  std::unordered_map<std::string, shown_race> by_id_;
  std::deque<std::string> in_order_;  // ids, as they came
  std::size_t bytes_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace photofinish::gateway
