// A service that judges what clients ask before it is answered, as plain data. [pure]
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

// Where it gives no verdict.
enum class without_verdict { deny, allow };

struct guardrail_settings {
  std::string name;         // unique; the metrics' label
  proxy::provider service;  // where it is; its URL has the path that `/request` is put behind
  std::vector<std::pair<std::string, proxy::secret>> headers = {};  // of each request to it
  guardrail_mode mode = guardrail_mode::parallel;
  std::chrono::milliseconds timeout{1'000};  // connecting included
  without_verdict on_failure = without_verdict::deny;
  std::vector<std::string> routes = {};  // that it judges; none: every request

  bool operator==(const guardrail_settings&) const = default;

  // `route` is the metrics' label, which direct targets have none of their own.
  bool judges(std::string_view route) const { return routes.empty() || proxy::contains(routes, route); }
};

}  // namespace photofinish::gateway
