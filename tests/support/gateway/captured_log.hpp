// Captures the log lines of the gateway in this process during the object's life.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

class captured_log {
 public:
  // Creates the process's only logger. Call it before the first thread: spdlog's default logger may not be replaced, nor its sinks changed,
  // while a thread may log. Returns whether this call created it.
  static bool prepare();

  captured_log();
  captured_log(const captured_log&) = delete;
  captured_log& operator=(const captured_log&) = delete;
  ~captured_log();  // threads that still run may continue to log

  std::vector<std::string> lines() const;

  // The lines that contain each of the texts.
  std::vector<std::string> lines_with(std::initializer_list<std::string_view> texts) const;

  // Waits until a line contains each of the texts, because the gateway logs a request after its answer is sent. Returns true if no other
  // line does.
  bool logs_once(std::initializer_list<std::string_view> texts) const;

 private:
  class kept_lines;
  std::shared_ptr<kept_lines> kept_;
};

}  // namespace photofinish::testing
