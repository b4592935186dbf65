// Says on standard error where a comparison is: on a terminal one line, elsewhere a line for each round.
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
  explicit turn_line(const comparison_plan& plan);  // which outlives it
  ~turn_line() { clear(); }

  void begin(std::size_t round, const turn& next);
  void clear();

 private:
  const comparison_plan& plan_;
  const bool is_terminal_;
  bool is_drawn_ = false;
  std::optional<std::size_t> said_;  // the last round with a line of its own
};

// "round 3 of 20: B, 1,000 tokens in"
std::string turn_text(const comparison_plan& plan, std::size_t round, const turn& next);

// Why an endpoint is not asked again at a size: it refused the first requests for a reason that will not pass, such as
// a prompt that is too long for its model. Empty: it may be asked.
std::string why_give_up(const std::vector<request_record>& records);

}  // namespace photofinish::gateway::bench
