// Limits log lines about requests that started no race, because clients can cause thousands of them. Each second has a
// limited number of lines, and then one line with the count of omitted lines. Each worker has its own budget. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <cstddef>
#include <functional>

namespace photofinish::gateway {

class line_budget {
 public:
  // The number of lines of one worker in one second: as many as a person can read, and few enough for a disk.
  static constexpr std::size_t usual_lines_per_second = 20;

  // Makes a budget. At the end of a second the budget calls `left_out` with the number of lines beyond the limit.
  line_budget(proxy::alarms& alarms, std::function<void(std::size_t)> left_out,
              std::size_t lines_per_second = usual_lines_per_second);

  line_budget(const line_budget&) = delete;
  line_budget& operator=(const line_budget&) = delete;
  ~line_budget() { second_over(); }

  // Returns true if a line may be logged now. Otherwise it counts the line as left out.
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
