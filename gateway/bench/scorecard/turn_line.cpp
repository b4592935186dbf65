#include "gateway/bench/scorecard/turn_line.hpp"

#include "gateway/bench/scorecard/scorecard.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace photofinish::gateway::bench {

turn_line::turn_line(const comparison_plan& plan) : plan_(plan), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

void turn_line::begin(std::size_t round, const turn& next) {
  if (is_terminal_) {
    clear();
    std::fprintf(stderr, "%s", turn_text(plan_, round, next).c_str());
    std::fflush(stderr);
    is_drawn_ = true;
  } else if (said_ != round) {
    said_ = round;
    std::fprintf(stderr, "round %zu of %zu\n", round + 1, plan_.rounds);
  }
}

void turn_line::clear() {
  if (!is_drawn_) return;
  std::fprintf(stderr, "\r\x1b[2K");
  std::fflush(stderr);
  is_drawn_ = false;
}

std::string turn_text(const comparison_plan& plan, std::size_t round, const turn& next) {
  return "round " + std::to_string(round + 1) + " of " + std::to_string(plan.rounds) + ": " + letter_of(next.endpoint) +
         ", " + size_name(plan.input_tokens[next.size]);
}

std::string why_give_up(const std::vector<request_record>& records) {
  constexpr std::size_t refusals = 2;
  if (records.size() < refusals) return {};
  const bool is_vain = std::all_of(records.begin(), records.end(), [](const request_record& each) {
    using kind = proxy::failure_kind;
    if (!each.error) return false;
    return each.error->kind == kind::bad_request || each.error->kind == kind::auth || each.error->kind == kind::quota;
  });
  return is_vain ? "refused " + requests_text(records.size()) + " of " + std::to_string(records.size()) : "";
}

}  // namespace photofinish::gateway::bench
