// A file that statistics, or the like, are kept in: replaced as a whole, so that a crash leaves the old or the new one.
// Nothing about it is fatal: what goes wrong is said once, and the gateway goes on without.
#pragma once

#include "gateway/process/environment.hpp"
#include "gateway/threads/leavable_thread.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

// A gateway that was down so long, or a clock that is wrong: what is too old by it is not thrown away at once.
inline constexpr std::chrono::hours long_pause{12};

class stats_file {
 public:
  // Makes the folder where it is missing, and holds it against other gateways until destroyed.
  // `name`: the file's. `what` is kept in it, in words.
  explicit stats_file(std::string folder, const std::string& name = "stats", std::string what = "statistics");
  ~stats_file();  // as finish()

  bool is_usable() const { return lock_ >= 0; }
  const std::string& path() const { return path_; }

  std::optional<file_content> read() const;  // none: there is none yet
  void set_aside(const std::string& why);    // renames it to …broken
  void keep_old() const;                     // under a second name, …old, before it is replaced

  // Written by a thread of its own, so that a slow disk does not hold up the caller. Not while busy.
  void write(std::string bytes);
  bool is_busy() const { return writer_.is_running(); }
  void report();  // what became of the last write, if it failed or is the first to succeed again; not while busy
  // Reports the last write, if it has ended. False: the file cannot be used, or the last write failed.
  bool is_written();
  void finish();  // waits for the last write, but only so long: a disk may hang

 private:
  std::string folder_, path_, what_;
  int lock_ = -1;
  leavable_thread writer_;
  std::shared_ptr<std::string> problem_;  // the writer's, while it runs; empty: it was written
  bool has_warned_ = false;
};

}  // namespace photofinish::gateway
