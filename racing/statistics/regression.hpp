// Detects that a target has become slower. Receives readings with their times, and returns alerts. This is for
// installations without Prometheus. It compares the recent median with the median of the last 72 hours. The Prometheus
// rules do the same over a longer window. [pure]
//
// The first reading that is worse than allowed makes an alert pending. If all readings during `hold` are worse, the
// alert fires, otherwise it is dropped. A firing alert ends when no reading during `keep_firing` was worse.
#pragma once

#include "racing/statistics/stats_window.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::racing {

struct regression_rules {
  std::chrono::milliseconds recent{std::chrono::minutes{15}};
  // A reading is worse than allowed if its ratio is lower than this. The ratio is recent / window for speed, and window
  // / recent for TTFT.
  double allowed_ratio = 0.7;
  std::uint64_t min_samples = 20;  // minimum number of recent samples; for TTFT, only first tokens count
  std::chrono::milliseconds hold{std::chrono::minutes{15}};
  std::chrono::milliseconds keep_firing{std::chrono::minutes{10}};
};

enum class regression { speed, ttft };
constexpr std::string_view to_string(regression kind) { return kind == regression::speed ? "speed" : "ttft"; }

struct regression_reading {
  std::string target;
  regression kind = regression::speed;
  double recent = 0;    // recent median, in tokens per second or in seconds
  double baseline = 0;  // median over 72 hours, in tokens per second or in seconds
  bool is_worse = false;
};

// Compares the recent speed and time to the first token of each target with its usual values. Leaves out targets with
// too few recent samples.
std::vector<regression_reading> read_regressions(const stats_window& window, const regression_rules& rules,
                                                 wall_time now);

struct regression_alert {
  std::string target;
  regression kind = regression::speed;
  double recent = 0;  // recent median in the last reading that was worse than allowed
  double baseline = 0;
  wall_time starts_at;
  std::optional<wall_time> ends_at;  // when the alert ended; empty while it fires
};

class regression_watch {
 public:
  explicit regression_watch(const regression_rules& rules) : rules_(rules) {}

  // Handles new readings. Returns the alerts that have begun to fire or have ended. A target without a reading counts
  // as not slower.
  std::vector<regression_alert> on(const std::vector<regression_reading>& readings, wall_time now);

  std::vector<regression_alert> firing() const;

  // Corrects an error of the clock: moves the starts and ends of all alerts.
  void shift(std::chrono::milliseconds by);

 private:
  struct state {
    wall_time worse_since;
    wall_time last_worse;
    bool is_firing = false;
    regression_alert alert;
  };
  using id = std::pair<std::string, regression>;

  void note(const regression_reading& reading, wall_time now, std::vector<regression_alert>& changes);

  regression_rules rules_;
  std::map<id, state> states_;  // pending and firing alerts
};

}  // namespace photofinish::racing
