// Runs the gateway's binary as a child process, with its own limits, environment, signals, log and exit code.
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
  std::string config;                              // the configuration in YAML; the object adds `listen`
  std::map<std::string, std::string> environment;  // environment variables, in addition to PATH
  unsigned max_descriptors = 0;                    // value for RLIMIT_NOFILE; 0 leaves the limit unchanged
  bool is_log_stuck = false;                       // true if standard error is a full pipe that the test never reads
  std::vector<int> handed{};                       // listening sockets; the child process gets them in the same way as from systemd
};

class gateway_process {
 public:
  explicit gateway_process(const process_options& options);  // starts the process; throws if the process does not begin to listen
  ~gateway_process();                                        // kills the process
  gateway_process(const gateway_process&) = delete;

  std::uint16_t port() const { return port_; }
  std::uint16_t admin_port() const { return admin_port_; }  // port of the admin listener; 0 if the configuration has no `admin`
  const std::string& config_file() const { return config_file_; }
  void write_config(const std::string& config) const;

  void signal(int number) const;  // sends a signal; does nothing after the process has ended
  // Limits the address space of the process. It may grow by at most this number of bytes from now on.
  void limit_memory(std::size_t further_bytes) const;
  bool has_ended() const { return pid_ <= 0; }
  // Waits until the process has ended, and returns its exit code. Returns nothing if the process does not end in time, or if a signal ends
  // it.
  std::optional<int> exit_code(std::chrono::milliseconds time = patience);

  std::string output() const;  // the process's standard output and standard error so far
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
