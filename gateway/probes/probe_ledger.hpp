// Compares the cost of today's probes with the allowed cost. [pure] A day is a UTC day. Only one thread may use the
// ledger. Its text is kept on disk, so that a restart does not begin a new day.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class probe_ledger {
 public:
  // Reserves money of the day before a probe is sent. Returns false if the sum would be more than `most`. If the clock
  // goes back, no new day begins.
  bool reserve(std::int64_t nano_usd, std::int64_t most, std::chrono::sys_days today);
  // Replaces the reserved amount of a probe by the probe's real cost.
  void settle(std::int64_t reserved, std::int64_t nano_usd) { spent_ += nano_usd - reserved; }

  std::int64_t spent(std::chrono::sys_days today) const { return today > day_ ? 0 : spent_; }
  // Counts all of the day's money as spent. Call this function if the spent amount is unknown.
  void close_day(std::chrono::sys_days today);

  std::string text() const;
  // Reads a ledger. Returns nothing if the text is not a valid ledger.
  static std::optional<probe_ledger> read(std::string_view text);

  bool operator==(const probe_ledger&) const = default;

 private:
  std::chrono::sys_days day_{};
  std::int64_t spent_ = 0;  // nano-dollars that were spent on that day
};

}  // namespace photofinish::gateway
