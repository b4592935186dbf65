// The facts about one raced request for advice: which attempts ran, when, and how they ended. Plain values. [pure]
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
  attempt_step end = attempt_step::dropped;  // spoke, cut or failed; dropped means no information
  instant started_at{};
  instant at{};          // time of that end
  double in_flight = 1;  // our attempts there when it started, including itself
  bool is_lost_and_paid = false;
  std::optional<double> tokens_per_second;
};

// The prompt of a conversation, of a race that follows prompt caches.
struct raced_prompt {
  prompt_cause cause = prompt_cause::found;
  bool is_continued = false;  // the model has answered in it before
  double usd = 0;             // cost of its winner; 0: its price is not known
};

struct raced_request {
  std::string route;
  caller_id caller = 0;
  instant begun_at{};
  double input_tokens = 0, output_tokens = 0;  // tokens of the answer; 0: unknown
  std::optional<double> first_token;           // seconds from the race's start
  std::optional<double> at_least;              // set for a race without a first token: seconds that it waited
  std::optional<double> finish;                // set for a whole answer: seconds from the race's start
  std::vector<raced_attempt> attempts;
  std::optional<std::size_t> winner;           // index in `attempts`
  std::optional<raced_prompt> prompt;
};

}  // namespace photofinish::racing
