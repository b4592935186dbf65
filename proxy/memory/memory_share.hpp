// The part of the memory budget that one owner of a buffer holds. The destructor returns this memory. Each share
// belongs to one thread, and all threads share the budget. [pure]
#pragma once

#include "proxy/failures/failure.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/memory/memory_budget.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

class memory_share {
 public:
  // Memory is taken and returned in steps of this size, so that the budget is not checked at every change. The smaller
  // step is for small buffers, because there may be many of them.
  static constexpr std::size_t step = 64u << 10;
  static constexpr std::size_t small_step = 16u << 10;
  // A buffer below this size is not counted separately, because it is part of the fixed amount that each request
  // counts.
  static constexpr std::size_t uncounted = 16u << 10;

  memory_share() = default;  // creates a share that counts nothing and always gets memory
  // The budget and the clock must outlive the share.
  memory_share(memory_budget& budget, memory_budget::account who, const alarms& clock)
      : budget_(&budget), clock_(&clock), who_(who) {}
  memory_share(memory_share&& other) noexcept
      : budget_(other.budget_),
        clock_(other.clock_),
        who_(other.who_),
        held_steps_(std::exchange(other.held_steps_, 0)) {}
  memory_share& operator=(memory_share&& other) noexcept {
    if (this == &other) return *this;
    shrink_to(0);
    budget_ = other.budget_, clock_ = other.clock_, who_ = other.who_;
    held_steps_ = std::exchange(other.held_steps_, 0);
    return *this;
  }
  memory_share(const memory_share&) = delete;
  memory_share& operator=(const memory_share&) = delete;
  ~memory_share() { shrink_to(0); }

  // Returns a share without memory, for the same caller.
  memory_share another() const { return budget_ == nullptr ? memory_share() : memory_share(*budget_, who_, *clock_); }

  // Makes the share large enough for a buffer of `bytes` bytes. If the budget refuses the memory, returns false and
  // leaves the share unchanged.
  bool grow_to(std::size_t bytes, memory_use use) {
    if (budget_ == nullptr || bytes <= held() || bytes <= uncounted) return true;
    if (bytes > most_held) return false;
    const std::size_t wanted = rounded(bytes);
    if (!budget_->take(who_, wanted - held(), use, clock_->now())) return false;
    set_held(wanted);
    return true;
  }

  // Returns memory to the budget after the buffer has shrunk to `bytes` bytes.
  void shrink_to(std::size_t bytes) {
    if (bytes >= held()) return;
    const std::size_t wanted = bytes <= uncounted ? 0 : rounded(bytes);
    if (wanted == held()) return;
    budget_->give_back(who_, held() - wanted);
    set_held(wanted);
  }

  // Makes the share fit the size of a buffer that may have grown or shrunk.
  bool follow(std::size_t bytes, memory_use use) { return shrink_to(bytes), grow_to(bytes, use); }

  // Moves the share's memory to the given account. Memory that is requested later is counted in the same account.
  void charge(memory_budget::account who) {
    if (budget_ != nullptr && held() > 0) budget_->move(held(), who_, who);
    who_ = who;
  }

  bool must_yield() const { return budget_ != nullptr && held() > 0 && budget_->must_yield(who_, clock_->now()); }
  // Returns the maximum size of a request body.
  std::size_t most_arriving() const { return budget_ == nullptr ? SIZE_MAX : budget_->most_arriving(); }
  memory_budget::account whose() const { return who_; }
  std::size_t held() const { return std::size_t{held_steps_} * small_step; }

 private:
  static constexpr std::size_t most_held = std::size_t{UINT32_MAX} / 2 * small_step;  // 32 TiB

  static std::size_t rounded(std::size_t bytes) {
    const std::size_t by = bytes <= 2 * step ? small_step : step;
    return (bytes + by - 1) / by * by;
  }
  void set_held(std::size_t rounded_bytes) { held_steps_ = static_cast<std::uint32_t>(rounded_bytes / small_step); }

  memory_budget* budget_ = nullptr;
  const alarms* clock_ = nullptr;
  memory_budget::account who_ = 0;
  std::uint32_t held_steps_ = 0;  // in units of small_step bytes; only 32 bits, to keep each stream's five shares small
};

// Returns the failure of an attempt that could not continue because no memory was left. The failure does not count
// against the provider.
failure no_memory_for(std::string_view what);

}  // namespace photofinish::proxy
