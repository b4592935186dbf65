// Reads a guardrail service's answer in the format of agentgateway's webhooks: {"action":{"reason"}} passes,
// {"action":{"body":{"messages"}}} masks, {"action":{"body","status_code","reason"}} rejects. [pure]
#pragma once

#include "metrics/outcomes.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

struct verdict {
  metrics::guardrail_verdict said = metrics::guardrail_verdict::error;
  std::vector<std::string> contents = {};  // the new contents of all messages if the verdict is a mask
  int status = 0;                          // the status that a rejection contains; 0 if it contains none
  std::string reason = {};                 // the reason for a rejection as one line, limited in length
  std::string trouble = {};                // the error for the log; it contains no part of the guardrail's answer
};

// Reads a verdict. `body` is the body of an answer with a 2xx status. If the answer is ambiguous, the result is an
// error, so that a request never passes by mistake.
verdict read_verdict(std::string body, proxy::tolerant_parser& parser);

}  // namespace photofinish::gateway
