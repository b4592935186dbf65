// Limits the log lines about requests that started no race, because clients can send thousands of such requests. In
// each second, a limited number of lines is logged, followed by one line with the number of omitted lines. Each worker
// has its own limit. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <cstddef>
#include <functional>

namespace photofinish::gateway {

class line_budget {
 public:
  // The number of lines that one worker may log in one second. It is low enough for people to read the lines, and for a
  // disk to store them.
  static constexpr std::size_t usual_lines_per_second = 20;

  // Makes a budget. After a second in which lines were omitted, the budget calls `left_out` with their number.
  line_budget(proxy::alarms& alarms, std::function<void(std::size_t)> left_out,
              std::size_t lines_per_second = usual_lines_per_second);

  line_budget(const line_budget&) = delete;
  line_budget& operator=(const line_budget&) = delete;
  ~line_budget() { second_over(); }

  // Returns true if a line may be logged now. Otherwise counts the line as omitted.
  bool take();

 private:
  void second_over();

  proxy::alarms& alarms_;
  std::function<void(std::size_t)> left_out_;
  const std::size_t most_;
  proxy::instant second_ends_{};
  std::size_t taken_ = 0;
  std::size_t refused_ = 0;
  proxy::alarm over_;
};

}  // namespace photofinish::gateway
