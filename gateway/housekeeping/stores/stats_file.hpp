// A file for statistics or similar data: replaced as a whole, so that after a crash it is either the old or the new
// file. No problem with it is fatal: the problem is logged once, and the gateway goes on without the file.
#pragma once

#include "gateway/process/environment.hpp"
#include "gateway/threads/leavable_thread.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

// After such a pause, the gateway was down or the clock is wrong: data that looks too old is not deleted immediately.
inline constexpr std::chrono::hours long_pause{12};

class stats_file {
 public:
  // Creates the folder if it is missing, and locks it against other gateways until destroyed. `name`: the file's name.
  // `what`: a description of its content.
  explicit stats_file(std::string folder, const std::string& name = "stats", std::string what = "statistics");
  ~stats_file();  // does the same as finish()

  bool is_usable() const { return lock_ >= 0; }
  const std::string& path() const { return path_; }

  std::optional<file_content> read() const;  // returns nothing if there is no file yet
  void set_aside(const std::string& why);    // renames the file to …broken
  void keep_old() const;                     // copies the file to a second name, …old, before it is replaced

  // A separate thread writes the file, so that a slow disk does not delay the caller. Do not call this while busy.
  void write(std::string bytes);
  bool is_busy() const { return writer_.is_running(); }
  // Logs the last write if it failed, or if it is the first to succeed again; do not call this while busy.
  void report();
  // Reports the last write if it has ended. False: the file cannot be used, or the last write failed.
  bool is_written();
  void finish();  // waits for the last write, but not forever, because a disk may hang

 private:
  std::string folder_, path_, what_;
  int lock_ = -1;
  leavable_thread writer_;
  std::shared_ptr<std::string> problem_;  // belongs to the writer while it runs; empty: the file was written
  bool has_warned_ = false;
};

}  // namespace photofinish::gateway
