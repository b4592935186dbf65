// The statistics of the last 72 hours, and their file. Only one thread may use this class.
#pragma once

#include "gateway/housekeeping/stores/housekeeping.hpp"
#include "gateway/housekeeping/stores/stats_file.hpp"
#include "racing/statistics/stats_report.hpp"
#include "racing/statistics/stats_window.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>

namespace photofinish::gateway {

class statistics {
 public:
  using report_pointer = std::shared_ptr<const racing::stats_report>;
  using window_length = std::optional<std::chrono::milliseconds>;

  // Reads the stored statistics. If the file cannot be used, it is renamed and a warning is logged.
  statistics(const housekeeping& how, racing::wall_time now);

  void note(const racing::target_sample& sample, racing::wall_time now);
  // Adds the measurements of another gateway. Reports include these measurements, but the file and the result of
  // window() do not.
  void note_others(const racing::stats_window& figures);
  void expire(racing::wall_time now);
  // Moves all stored times by the given duration. Call this if the clock was wrong and has been corrected.
  void shift(std::chrono::milliseconds by);

  // Returns a report, which may be up to a second old. `since` limits it to the last minutes or hours. If `since` is
  // empty, the report covers all stored statistics.
  report_pointer report(racing::wall_time now, window_length since = {});
  // Returns a report of this gateway's measurements only.
  report_pointer own_report(racing::wall_time now, window_length since);
  report_pointer latest() const { return report_; }  // the last report; null before the first report
  const racing::stats_window& window() const { return window_; }

  void save();   // saves new data without waiting for the disk
  void close();  // saves new data and waits for the disk
  // True if the last write succeeded. False if there is no file.
  bool is_kept() { return file_ && file_->is_written(); }

 private:
  void load(racing::wall_time now);
  void fit_to(racing::wall_time now);

  static report_pointer fresh(report_pointer& made, const racing::stats_window& from, racing::wall_time now,
                              window_length since);
  const racing::stats_window& shown() const { return all_ ? *all_ : window_; }

  racing::stats_window window_;
  // The statistics of this gateway and of other gateways. Empty if other gateways have sent no measurements.
  std::optional<racing::stats_window> all_;
  std::optional<stats_file> file_;
  report_pointer report_;
  // Reports about the last minutes or hours, keyed by the length of this period.
  std::map<std::chrono::milliseconds, report_pointer> parts_;
  // Reports about this gateway only, keyed by the length of the reported period. The key 0 means all stored statistics.
  std::map<std::chrono::milliseconds, report_pointer> own_parts_;
  bool has_news_ = false;
};

}  // namespace photofinish::gateway
