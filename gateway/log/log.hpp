// Writes log lines to stderr on a separate thread, so that no worker waits for a terminal or a full pipe.
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
  // Starts the log. `level` is trace, debug, info, warn, error, critical or off.
  log_session(const std::string& level, log_form form);
  log_session(const log_session&) = delete;
  log_session& operator=(const log_session&) = delete;
  ~log_session();  // writes all lines that are still in the queue
};

// Returns the format of the log, or text if the log was not started. The format changes only after a restart.
log_form log_form_in_use();

// True if the log level includes lines about requests.
bool logs_requests();

// Logs a line that log_line has made, in the current format.
void log_event(const std::string& line);

// Logs how many lines about requests were omitted.
void log_left_out(std::size_t lines);

// Makes the formatter that adds the time and the level to an event or a message.
std::unique_ptr<spdlog::formatter> make_log_formatter(log_form form);

}  // namespace photofinish::gateway
