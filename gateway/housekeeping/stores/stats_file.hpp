// A file for statistics or similar data. Each write replaces the whole file, so that it contains either the old or the
// new content after a crash. No problem with the file is fatal: the gateway logs the problem once and continues without
// the file.
#pragma once

#include "gateway/process/environment.hpp"
#include "gateway/threads/leavable_thread.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

// If the newest data in a file is older than this, the gateway was down for a long time or the clock is wrong. In this
// case old data is not deleted immediately.
inline constexpr std::chrono::hours long_pause{12};

class stats_file {
 public:
  // Creates the folder if it is missing, and locks it against other gateways until the destructor runs. `name` is the
  // file's name. `what` describes the file's content in log lines.
  explicit stats_file(std::string folder, const std::string& name = "stats", std::string what = "statistics");
  ~stats_file();  // waits for the last write, up to the same time limit as finish()

  bool is_usable() const { return lock_ >= 0; }
  const std::string& path() const { return path_; }

  std::optional<file_content> read() const;  // reads the file; returns nothing if it does not exist yet
  void set_aside(const std::string& why);    // renames the file, so that its name ends in .broken
  // Copies the file to a name that ends in .old, because its content will soon be replaced.
  void keep_old() const;

  // Starts a thread that writes the file, so that a slow disk does not delay the caller. Do not call this while
  // is_busy() is true.
  void write(std::string bytes);
  bool is_busy() const { return writer_.is_running(); }
  // Logs the last write if it failed, or if it is the first successful write after a failure. Do not call this while
  // is_busy() is true.
  void report();
  // Logs the result of the last write if it has ended. Returns false if the file cannot be used, or if the last
  // finished write failed.
  bool is_written();
  void finish();  // waits for the last write, but only up to a time limit, because a disk may hang

 private:
  std::string folder_, path_, what_;
  int lock_ = -1;
  leavable_thread writer_;
  // The text that is being written. Only the writing thread uses it while this thread runs. Empty after the text was
  // written.
  std::shared_ptr<std::string> problem_;
  bool has_warned_ = false;
};

}  // namespace photofinish::gateway
