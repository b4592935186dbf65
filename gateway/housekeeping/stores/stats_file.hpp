// A file for statistics or similar data. It is replaced as a whole, so that after a crash it has either the old or the
// new content. No problem with the file is fatal: the gateway logs the problem once and continues without the file.
#pragma once

#include "gateway/process/environment.hpp"
#include "gateway/threads/leavable_thread.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

// A long pause between two runs. After it, the gateway was down for long or the clock is wrong, so old data is not
// deleted immediately.
inline constexpr std::chrono::hours long_pause{12};

class stats_file {
 public:
  // Creates the folder if it is missing, and locks it against other gateways until the destructor runs. `name` is the
  // file's name. `what` describes its content for the log.
  explicit stats_file(std::string folder, const std::string& name = "stats", std::string what = "statistics");
  ~stats_file();  // waits for the last write, as finish() does

  bool is_usable() const { return lock_ >= 0; }
  const std::string& path() const { return path_; }

  std::optional<file_content> read() const;  // reads the file; returns nothing if it does not exist yet
  void set_aside(const std::string& why);    // renames the file, so that its name ends in .broken
  void keep_old() const;                     // before the file is replaced, copies it to a name that ends in .old

  // Starts a thread that writes the file, so that a slow disk does not delay the caller. Do not call this while
  // is_busy() is true.
  void write(std::string bytes);
  bool is_busy() const { return writer_.is_running(); }
  // Logs the last write if it failed, or if it is the first successful write after a failure. Do not call this while
  // is_busy() is true.
  void report();
  // Reports the last write if it has ended. Returns false if the file cannot be used or the last write failed.
  bool is_written();
  void finish();  // waits for the last write, up to a time limit, because a disk may hang

 private:
  std::string folder_, path_, what_;
  int lock_ = -1;
  leavable_thread writer_;
  // The writing thread owns the text while it runs; empty if the file was written.
  std::shared_ptr<std::string> problem_;
  bool has_warned_ = false;
};

}  // namespace photofinish::gateway
