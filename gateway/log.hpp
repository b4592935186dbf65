// Where log lines go: stderr, from a thread of their own, so that no worker waits for a terminal or a full pipe.
#pragma once

#include <string>

namespace photofinish::gateway {

class log_session {
 public:
  // `level`: trace, debug, info, warn, error, critical, off.
  explicit log_session(const std::string& level);
  log_session(const log_session&) = delete;
  log_session& operator=(const log_session&) = delete;
  ~log_session();  // writes what is queued
};

}  // namespace photofinish::gateway
