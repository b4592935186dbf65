// Shows the progress of a comparison on standard error. On a terminal, it updates one line. Otherwise it writes a line
// for each round.
#pragma once

#include "gateway/bench/request_record.hpp"
#include "gateway/bench/scorecard/comparison_plan.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

class turn_line {
 public:
  explicit turn_line(const comparison_plan& plan);  // `plan` must outlive this object
  ~turn_line() { clear(); }

  void begin(std::size_t round, const turn& next);
  void clear();

 private:
  const comparison_plan& plan_;
  const bool is_terminal_;
  bool is_drawn_ = false;
  std::optional<std::size_t> said_;  // the last round for which a line was written
};

// Returns a text such as "round 3 of 20: B, 1,000 tokens in".
std::string turn_text(const comparison_plan& plan, std::size_t round, const turn& next);

// Returns the reason why an endpoint gets no more requests at an input size, or an empty text if it gets more requests.
// An endpoint gets no more requests if it has rejected its first requests with permanent errors. For example, the
// prompt may be too long for its model.
std::string why_give_up(const std::vector<request_record>& records);

}  // namespace photofinish::gateway::bench
