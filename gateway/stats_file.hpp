// The file that statistics are kept in: replaced as a whole, so that a crash leaves the old one or the new one.
// Nothing about it is fatal: what goes wrong is said once, and the gateway goes on without.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

namespace photofinish::gateway {

class stats_file {
 public:
  // Makes the folder where it is missing, and holds it against other gateways until destroyed.
  explicit stats_file(std::string folder);
  stats_file(const stats_file&) = delete;
  stats_file& operator=(const stats_file&) = delete;
  ~stats_file();  // waits for the disk

  bool is_usable() const { return lock_ >= 0; }
  const std::string& path() const { return path_; }

  std::optional<std::string> read() const;  // none: there is none yet, or it cannot be read
  void set_aside(const std::string& why);   // renames it to …broken

  // Written by a thread of its own, so that a slow disk holds nobody up. Not while busy.
  void write(std::string bytes);
  bool is_busy() const { return is_busy_.load(std::memory_order_acquire); }
  void finish();  // waits for the last write

 private:
  void replace(const std::string& bytes);

  std::string folder_, path_;
  int lock_ = -1;
  std::thread writer_;
  std::atomic<bool> is_busy_ = false;
  bool has_warned_ = false;  // of the writer's: one at a time
};

}  // namespace photofinish::gateway
