// Bounds the lines about requests that came to no race, which clients can cause by the thousand: so many a second, then
// one line that says how many were left out. One for each worker. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <cstddef>
#include <functional>

namespace photofinish::gateway {

class line_budget {
 public:
  // A second's worth of one worker: as much as a person reads, and no flood for a disk.
  static constexpr std::size_t usual_lines_per_second = 20;

  // `left_out` is called with the number of lines that found no room, at the end of their second.
  line_budget(proxy::alarms& alarms, std::function<void(std::size_t)> left_out,
              std::size_t lines_per_second = usual_lines_per_second);

  line_budget(const line_budget&) = delete;
  line_budget& operator=(const line_budget&) = delete;
  ~line_budget() { second_over(); }

  // Whether a line may be logged now; one that may not is counted.
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
