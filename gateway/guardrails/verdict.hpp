// What a guardrail's service answers, by agentgateway's contract for webhooks: {"action":{"reason"}} passes,
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
  std::vector<std::string> contents = {};  // of a mask: of all messages
  int status = 0;                          // of a rejection, as the service wants it; 0: it does not say
  std::string reason = {};                 // of a rejection: one line, cut
  std::string trouble = {};                // of an error: for the log. It repeats nothing of the answer
};

// `body` is whatever the service sent with a status of 2xx. What might be a verdict of another kind is an error: it
// never passes by mistake.
verdict read_verdict(std::string body, proxy::tolerant_parser& parser);

}  // namespace photofinish::gateway
