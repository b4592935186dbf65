// Captures the gateway's log lines in this process while the object exists.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

class captured_log {
 public:
  // Creates the process's only logger. Returns true if this call created it. Call this function before the first thread starts, because
  // spdlog's default logger and its sinks must not change while a thread may log.
  static bool prepare();

  captured_log();
  captured_log(const captured_log&) = delete;
  captured_log& operator=(const captured_log&) = delete;
  ~captured_log();  // restores the log to the terminal; threads may continue to log

  std::vector<std::string> lines() const;

  // Returns the lines that contain all of these texts.
  std::vector<std::string> lines_with(std::initializer_list<std::string_view> texts) const;

  // Waits until a line contains all of the texts. The gateway logs a request after it sends the answer, so the line may be late. Returns
  // true if exactly one line contains the texts.
  bool logs_once(std::initializer_list<std::string_view> texts) const;

 private:
  class kept_lines;
  std::shared_ptr<kept_lines> kept_;
};

}  // namespace photofinish::testing
