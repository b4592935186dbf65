// Detects whether the client wants the request's cost in the answer's usage. As in OpenRouter's API, such a request
// contains `usage: {include: true}`. [pure]
#pragma once

#include "metrics/outcomes.hpp"
#include "proxy/json/client_body.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

struct cost_request {
  bool is_wanted = false;  // false if the client sent `usage: {include: false}`
  std::string body;        // the request without the member `usage`, which providers would reject
};

// Reads the request's member `usage`. Returns nothing if the body has no such member, or if `usage` has another meaning
// in the called API.
std::optional<cost_request> read_cost_request(const proxy::client_body& body, metrics::endpoint called);

}  // namespace photofinish::gateway
