// What probes have cost today, against what they may cost. [pure]
// A day is one of UTC. One thread's. Its text is kept on disk, so that a restart does not begin a new day.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class probe_ledger {
 public:
  // Takes that much of the day's money before a probe is sent; false: it would be more than `most`. A clock that goes
  // back gives no new day.
  bool reserve(std::int64_t nano_usd, std::int64_t most, std::chrono::sys_days today);
  // That probe has cost so much instead.
  void settle(std::int64_t reserved, std::int64_t nano_usd) { spent_ += nano_usd - reserved; }

  std::int64_t spent(std::chrono::sys_days today) const { return today > day_ ? 0 : spent_; }
  // All of the day's money: where it is not known what was spent.
  void close_day(std::chrono::sys_days today);

  std::string text() const;
  // None: it is no such text.
  static std::optional<probe_ledger> read(std::string_view text);

  bool operator==(const probe_ledger&) const = default;

 private:
  std::chrono::sys_days day_{};
  std::int64_t spent_ = 0;  // nano-dollars, on that day
};

}  // namespace photofinish::gateway
