// Where log lines go: stderr, from a thread of their own, so that no worker waits for a terminal or a full pipe.
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
  ~log_session();  // writes what is queued
};

// Of the session that runs; text when none does. A restart changes it.
log_form log_form_in_use();

// Whether lines about requests are logged at all.
bool logs_requests();

// Logs what log_line made, in the form in use.
void log_event(const std::string& line);

// The line that says how many lines about requests were left out.
void log_left_out(std::size_t lines);

// Puts time and level in front of an event or of a message.
std::unique_ptr<spdlog::formatter> make_log_formatter(log_form form);

}  // namespace photofinish::gateway
