// The window of statistics of the last 72 hours, and its file. Used by one thread.
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

  // Reads the stored window. If the file cannot be used, it is set aside with a warning.
  statistics(const housekeeping& how, racing::wall_time now);

  void note(const racing::target_sample& sample, racing::wall_time now);
  // Adds the measurements of another gateway. Reports include them. The file and window() do not.
  void note_others(const racing::stats_window& figures);
  void expire(racing::wall_time now);
  void shift(std::chrono::milliseconds by);  // moves all stored times by this difference, after the clock was wrong

  // Returns a report that is at most a second old. `since` limits the report to the given time before now. An empty
  // `since` means the whole window.
  report_pointer report(racing::wall_time now, window_length since = {});
  // Returns a report of this gateway's measurements only.
  report_pointer own_report(racing::wall_time now, window_length since);
  report_pointer latest() const { return report_; }  // the last report; null before the first one
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
  std::optional<racing::stats_window> all_;  // the window with the measurements of other gateways
  std::optional<stats_file> file_;
  report_pointer report_;
  std::map<std::chrono::milliseconds, report_pointer> parts_;  // reports of parts of the window, keyed by their lengths
  // Reports of this gateway only, keyed by their lengths; 0 means the whole window.
  std::map<std::chrono::milliseconds, report_pointer> own_parts_;
  bool has_news_ = false;
};

}  // namespace photofinish::gateway
