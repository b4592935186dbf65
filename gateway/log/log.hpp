// Sends log lines to stderr from a separate thread, so that no worker waits for a terminal or a full pipe.
#pragma once

#include "gateway/log/log_form.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace spdlog {
class formatter;
}

namespace photofinish::gateway {

class log_session {
 public:
  // `level`: trace, debug, info, warn, error, critical, off.
  log_session(const std::string& level, log_form form);
  log_session(const log_session&) = delete;
  log_session& operator=(const log_session&) = delete;
  ~log_session();  // writes all queued lines
};

// The form of the running session; text if no session runs. A restart changes it.
log_form log_form_in_use();

// True if lines about requests are logged at all.
bool logs_requests();

// Logs a line of log_line in the current form.
void log_event(const std::string& line);

// Logs how many lines about requests were left out.
void log_left_out(std::size_t lines);

// Writes time and level before an event or a message.
std::unique_ptr<spdlog::formatter> make_log_formatter(log_form form);

}  // namespace photofinish::gateway
