// The facts that advice needs about one raced request: which attempts ran, when, and how they ended. Plain values.
// [pure]
#pragma once

#include "racing/advice/prompt_use.hpp"
#include "racing/forecast/attempt_event.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::racing {

struct raced_attempt {
  std::string target;
  // The last step of the attempt. `dropped` means that it is unknown how the attempt ended.
  attempt_step end = attempt_step::dropped;
  instant started_at{};
  instant at{};          // time at which the attempt had its first token, was cut, or failed
  double in_flight = 1;  // attempts of this gateway at the target when this attempt started, including itself
  bool is_lost_and_paid = false;
  std::optional<double> tokens_per_second;
};

// The prompt of a conversation in a race that follows prompt caches.
struct raced_prompt {
  prompt_cause cause = prompt_cause::found;
  bool is_continued = false;  // the model has answered in this conversation before
  double usd = 0;             // cost of the race's winner in dollars; 0 if its price is unknown
};

struct raced_request {
  std::string route;
  caller_id caller = 0;
  instant begun_at{};
  double input_tokens = 0, output_tokens = 0;  // tokens of the prompt and of the answer; 0 if unknown
  std::optional<double> first_token;           // time of the first token in seconds from the race's start
  // Seconds that the race waited if it had no first token; otherwise empty.
  std::optional<double> at_least;
  std::optional<double> finish;                // end of a whole answer in seconds from the race's start
  std::vector<raced_attempt> attempts;
  std::optional<std::size_t> winner;           // the winner's index in `attempts`
  std::optional<raced_prompt> prompt;
};

}  // namespace photofinish::racing
