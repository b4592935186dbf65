// Reads a guardrail service's answer, which follows agentgateway's contract for webhooks: {"action":{"reason"}} passes,
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
  std::vector<std::string> contents = {};  // a mask's contents for all messages
  int status = 0;                          // the status that a rejection requests; 0: none
  std::string reason = {};                 // a rejection's reason as one line, cut to a maximum length
  std::string trouble = {};                // an error's text for the log, without any part of the answer
};

// Reads a verdict. `body` is the service's body with a 2xx status. If an answer might be another verdict, the result is
// an error, so that no such answer passes by mistake.
verdict read_verdict(std::string body, proxy::tolerant_parser& parser);

}  // namespace photofinish::gateway
