// Compares the cost of today's probes with the daily limit. [pure] Days are UTC days. Only one thread may use the
// object. The ledger is saved to disk as text, so that a restart does not reset the cost.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class probe_ledger {
 public:
  // Reserves money before a probe is sent. Returns false if the day's sum would exceed `most`. If the clock is set
  // back, the day does not change.
  bool reserve(std::int64_t nano_usd, std::int64_t most, std::chrono::sys_days today);
  // Replaces the reserved amount of a probe by its real cost.
  void settle(std::int64_t reserved, std::int64_t nano_usd) { spent_ += nano_usd - reserved; }

  std::int64_t spent(std::chrono::sys_days today) const { return today > day_ ? 0 : spent_; }
  // Counts today's whole probe budget as spent. Call this function if the actual cost is unknown.
  void close_day(std::chrono::sys_days today);

  std::string text() const;
  // Parses the text of a saved ledger. Returns nothing if the text is invalid.
  static std::optional<probe_ledger> read(std::string_view text);

  bool operator==(const probe_ledger&) const = default;

 private:
  std::chrono::sys_days day_{};
  std::int64_t spent_ = 0;  // the amount that was spent on that day, in nano-dollars
};

}  // namespace photofinish::gateway
