// A service that judges clients' prompts before they are answered, as plain data. [pure]
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
  parallel,  // it judges while the race runs; the answer waits for its verdict
  before,    // no provider is asked before its verdict
};

// The decision if the service gives no verdict.
enum class without_verdict { deny, allow };

struct guardrail_settings {
  std::string name;         // unique; the label in metrics
  proxy::provider service;  // `/request` is appended to the path of its URL
  std::vector<std::pair<std::string, proxy::secret>> headers = {};  // sent with each request to it
  guardrail_mode mode = guardrail_mode::parallel;
  std::chrono::milliseconds timeout{1'000};  // including the time to connect
  without_verdict on_failure = without_verdict::deny;
  std::vector<std::string> routes = {};  // the routes that it judges; empty: every request

  bool operator==(const guardrail_settings&) const = default;

  // `route` is the label in metrics; direct targets share one label.
  bool judges(std::string_view route) const { return routes.empty() || proxy::contains(routes, route); }
};

}  // namespace photofinish::gateway
