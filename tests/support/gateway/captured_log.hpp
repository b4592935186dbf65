// What the gateway in this process logs, line by line, while this lives.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

class captured_log {
 public:
  // Makes the process's one logger. Call it before the first thread: spdlog's default logger may not be replaced, nor
  // its sinks changed, while a thread may log. Returns whether it was made by this call.
  static bool prepare();

  captured_log();
  captured_log(const captured_log&) = delete;
  captured_log& operator=(const captured_log&) = delete;
  ~captured_log();  // whatever still runs may go on logging

  std::vector<std::string> lines() const;

  // Those that hold each of the texts.
  std::vector<std::string> lines_with(std::initializer_list<std::string_view> texts) const;

  // Waits until a line holds each of the texts, because the gateway logs a request after its answer is sent. Returns
  // whether it is then the only such line.
  bool logs_once(std::initializer_list<std::string_view> texts) const;

 private:
  class kept_lines;
  std::shared_ptr<kept_lines> kept_;
};

}  // namespace photofinish::testing
