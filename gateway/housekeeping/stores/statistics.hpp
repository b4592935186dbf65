// The window of statistics and its file. Used by one thread.
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

  // Reads the stored window. A file that cannot be used is set aside with a warning.
  statistics(const housekeeping& how, racing::wall_time now);

  void note(const racing::target_sample& sample, racing::wall_time now);
  // Adds the measurements of another gateway. Reports include them; the file and window() do not.
  void note_others(const racing::stats_window& figures);
  void expire(racing::wall_time now);
  void shift(std::chrono::milliseconds by);  // corrects the clock's error

  // A report at most a second old. Without `since` it covers the whole window; `since` limits it to that time before
  // now.
  report_pointer report(racing::wall_time now, window_length since = {});
  // The measurements of this gateway only.
  report_pointer own_report(racing::wall_time now, window_length since);
  report_pointer latest() const { return report_; }  // null before the first report
  const racing::stats_window& window() const { return window_; }

  void save();   // saves new data; does not wait for the disk
  void close();  // saves new data and waits
  // True if the last write succeeded; false if there is no file.
  bool is_kept() { return file_ && file_->is_written(); }

 private:
  void load(racing::wall_time now);
  void fit_to(racing::wall_time now);

  static report_pointer fresh(report_pointer& made, const racing::stats_window& from, racing::wall_time now,
                              window_length since);
  const racing::stats_window& shown() const { return all_ ? *all_ : window_; }

  racing::stats_window window_;
  std::optional<racing::stats_window> all_;  // the window with other gateways' measurements
  std::optional<stats_file> file_;
  report_pointer report_;
  std::map<std::chrono::milliseconds, report_pointer> parts_;  // the key is the window's length
  std::map<std::chrono::milliseconds, report_pointer> own_parts_;  // 0 means the whole window
  bool has_news_ = false;
};

}  // namespace photofinish::gateway
