// The facts about one raced request from which route advice is computed: which attempts ran, when, and how they ended.
// All types are plain values. [pure]
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
  // The last event of the attempt. `dropped` means that the end of the attempt is not known.
  attempt_step end = attempt_step::dropped;
  instant started_at{};
  instant at{};          // time when the attempt had its first token, was cancelled, or failed
  // The number of attempts that this gateway was running at the target when this attempt started, including this
  // attempt.
  double in_flight = 1;
  bool is_lost_and_paid = false;
  std::optional<double> tokens_per_second;
};

// The prompt of a request, in a race that prefers targets with a cached prompt.
struct raced_prompt {
  prompt_cause cause = prompt_cause::found;
  bool is_continued = false;  // true if the conversation already contains an answer of the model
  double usd = 0;             // the winner's cost in dollars; 0 if its price is unknown
};

struct raced_request {
  std::string route;
  caller_id caller = 0;
  instant begun_at{};
  double input_tokens = 0, output_tokens = 0;  // tokens of the prompt and of the answer; 0 if not known
  std::optional<double> first_token;           // seconds from the race's start to the first token
  // If the race had no first token, the number of seconds that it waited for one.
  std::optional<double> at_least;
  std::optional<double> finish;                // seconds from the race's start to the end of a complete answer
  std::vector<raced_attempt> attempts;
  std::optional<std::size_t> winner;           // index of the winner in `attempts`
  std::optional<raced_prompt> prompt;
};

}  // namespace photofinish::racing
