// Runs the binary as a child process, with its own limits, environment, signals, log and exit code.
#pragma once

#include "tests/support/patience.hpp"

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::testing {

struct process_options {
  std::string config;                              // YAML; `listen` is added
  std::map<std::string, std::string> environment;  // variables in addition to PATH
  unsigned max_descriptors = 0;                    // RLIMIT_NOFILE; 0: unchanged
  bool is_log_stuck = false;                       // standard error is a full pipe that is not read
  std::vector<int> handed{};                       // listening sockets, passed as systemd passes them
};

class gateway_process {
 public:
  explicit gateway_process(const process_options& options);  // throws unless it listens
  ~gateway_process();                                        // kills the process
  gateway_process(const gateway_process&) = delete;

  std::uint16_t port() const { return port_; }
  std::uint16_t admin_port() const { return admin_port_; }  // 0 if `admin` is not set
  const std::string& config_file() const { return config_file_; }
  void write_config(const std::string& config) const;

  void signal(int number) const;  // does nothing after the process has ended
  // From now on its address space may grow by at most this number of bytes.
  void limit_memory(std::size_t further_bytes) const;
  bool has_ended() const { return pid_ <= 0; }
  // The exit code after the process has ended by itself; none if it has not ended in time or was killed.
  std::optional<int> exit_code(std::chrono::milliseconds time = patience);

  std::string output() const;  // standard output and error so far
  double cpu_seconds() const;

 private:
  void wait_for_banner();
  void fill_pipe();

  std::array<int, 2> stuck_log_{-1, -1};
  std::string folder_, config_file_, output_file_;
  pid_t pid_ = -1;
  std::uint16_t port_ = 0, admin_port_ = 0;
};

}  // namespace photofinish::testing
