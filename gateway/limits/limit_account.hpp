// What one key, team or route has used: a few atomics, which every worker may change at once. [pure]
#pragma once

#include "gateway/config/access/limit_settings.hpp"
#include "gateway/limits/settled_bucket.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

class limit_account {
 public:
  limit_account() = default;
  limit_account(const limit_account&) = delete;
  limit_account& operator=(const limit_account&) = delete;

  token_bucket requests;
  settled_bucket tokens;

  // A place among those that run. What has taken it leaves once.
  bool enter(std::uint64_t most);
  void leave() { running_.fetch_sub(1, std::memory_order_relaxed); }
  std::uint64_t running() const { return running_.load(std::memory_order_relaxed); }

  void spend(std::int64_t nano_usd) { spent_.fetch_add(nano_usd, std::memory_order_relaxed); }
  // Since its window began.
  std::int64_t spent() const {
    const std::int64_t before = spent_before_.load(std::memory_order_relaxed);
    return std::max<std::int64_t>(0, spent_.load(std::memory_order_relaxed) - before);
  }
  // The housekeeper alone calls these three, where a store is shared. What was spent up to then counts as `shown`.
  std::int64_t spent_ever() const { return spent_.load(std::memory_order_relaxed); }
  std::chrono::sys_seconds window_ends() const { return window_ends_; }
  void show_spent(std::int64_t ever, std::int64_t shown) {
    spent_before_.store(ever - shown, std::memory_order_relaxed);
  }

  // The housekeeper alone calls this: where the window has ended, the next one begins. A clock that goes back opens
  // none.
  void turn_window(const budget_period& every, std::chrono::sys_seconds now);

  // How many tokens an answer has that may be of any length: the mean of the latest ones.
  std::uint64_t usual_answer() const { return usual_answer_.load(std::memory_order_relaxed); }
  void note_answer(std::uint64_t length);

 private:
  static constexpr std::uint32_t first_guess = 256;  // a few sentences

  std::atomic<std::uint64_t> running_{0};
  std::atomic<std::int64_t> spent_{0};  // ever
  std::atomic<std::int64_t> spent_before_{0};
  std::atomic<std::uint32_t> usual_answer_{first_guess};
  // The housekeeper's.
  std::chrono::sys_seconds window_ends_{std::chrono::seconds(0)};
  budget_period every_{};
};

}  // namespace photofinish::gateway
