// What one raced request leaves for advice: who ran, when, and what came of it. Plain values. [pure]
#pragma once

#include "racing/forecast/attempt_event.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::racing {

struct raced_attempt {
  std::string target;
  attempt_step end = attempt_step::dropped;  // spoke, cut or failed; dropped: it says nothing
  instant started_at{};
  instant at{};          // of that end
  double in_flight = 1;  // attempts of ours there when it started, itself among them
  bool is_lost_and_paid = false;
  std::optional<double> tokens_per_second;
};

struct raced_request {
  std::string route;
  caller_id caller = 0;
  instant begun_at{};
  double input_tokens = 0, output_tokens = 0;  // of the answer; 0: not known
  std::optional<double> first_token;           // seconds from its beginning
  std::optional<double> at_least;              // of one that ended without: so long it waited
  std::optional<double> finish;                // of one that was answered whole
  std::vector<raced_attempt> attempts;
  std::optional<std::size_t> winner;           // of attempts
};

}  // namespace photofinish::racing
