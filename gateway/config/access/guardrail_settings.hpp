// The settings of a service that judges clients' prompts before they are answered, as plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"
#include "proxy/providers/provider.hpp"
#include "proxy/words/contains.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

enum class guardrail_mode {
  parallel,  // the service judges a prompt while the race runs, and the answer waits for the verdict
  before,    // no provider receives the request before the service's verdict
};

// The gateway's decision about a request if the service gives no verdict.
enum class without_verdict { deny, allow };

struct guardrail_settings {
  std::string name;         // the unique name of the guardrail, which is also its label in metrics
  proxy::provider service;  // the URL of the service; the gateway appends `/request` to its path
  std::vector<std::pair<std::string, proxy::secret>> headers = {};  // the headers of each request to the service
  guardrail_mode mode = guardrail_mode::parallel;
  std::chrono::milliseconds timeout{1'000};  // the time limit of a call to the service, including the time to connect
  without_verdict on_failure = without_verdict::deny;
  // The routes whose requests the service judges; if empty, it judges every request.
  std::vector<std::string> routes = {};

  bool operator==(const guardrail_settings&) const = default;

  // True if this guardrail judges requests of the route. `route` is the label in metrics. All targets that clients call
  // directly share one label.
  bool judges(std::string_view route) const { return routes.empty() || proxy::contains(routes, route); }
};

}  // namespace photofinish::gateway
