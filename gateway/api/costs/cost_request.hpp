// A client that wants to read in an answer's usage what the answer cost: `usage: {include: true}`, as at OpenRouter.
// [pure]
#pragma once

#include "metrics/outcomes.hpp"
#include "proxy/json/client_body.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

struct cost_request {
  bool is_wanted = false;  // false: the client said `include: false`
  std::string body;        // the request without the member, which providers refuse
};

// Nothing if the body does not have such a member, or its API has a `usage` of another meaning.
std::optional<cost_request> read_cost_request(const proxy::client_body& body, metrics::endpoint called);

}  // namespace photofinish::gateway
