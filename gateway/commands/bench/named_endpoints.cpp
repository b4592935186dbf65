#include "gateway/commands/bench/named_endpoints.hpp"

#include "gateway/bench/scorecard/comparison_plan.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace photofinish::gateway {

using namespace bench;

namespace {

bool is_one_host(const std::vector<named_target>& targets) {
  const proxy::base_url& first = targets.front().to.provider.url;
  return std::all_of(targets.begin(), targets.end(), [&](const named_target& each) {
    const proxy::base_url& url = each.to.provider.url;
    return url.host == first.host && url.port == first.port && url.is_tls == first.is_tls;
  });
}

// Reports an error if a secret would be sent to several endpoints, because a secret for one endpoint must not reach
// another endpoint.
std::string shared_secret(const bench_flags& flags, const std::vector<named_target>& targets) {
  if (targets.size() < 2 || is_one_host(targets)) return {};
  if (!flags.options.api_key.empty())
    return "--api-key: would send one key to several hosts; give --api-key-env a variable for each URL";
  if (flags.key_variables.size() == 1)
    return "--api-key-env: would send one key to several hosts; give one variable for each URL, or - for a URL's "
           "default";
  if (!flags.options.headers.empty()) return "--header: would send the same header to several hosts";
  return {};
}

// Returns the name of the environment variable with the endpoint's key. An empty name means the endpoint's default
// variable.
std::string variable_of(const bench_flags& flags, std::size_t number) {
  if (flags.key_variables.empty()) return {};
  const std::string& name = flags.key_variables.size() == 1 ? flags.key_variables.front() : flags.key_variables[number];
  return name == "-" ? "" : name;
}

std::variant<named_target, std::string> find_one(const bench_flags& flags, std::size_t number,
                                                 const environment& machine) {
  const named_endpoint named = split_endpoint(flags.urls[number]);
  const std::string variable = variable_of(flags, number);
  std::string key = flags.options.api_key;
  if (!variable.empty()) {
    const auto value = machine.variable(variable);
    if (!value) return "--api-key-env: the variable " + variable + " is not set";
    key = *value;
  }
  auto found = find_endpoint(named.url, key, machine);
  if (auto* problem = std::get_if<std::string>(&found)) return std::move(*problem);
  named_target target{std::get<endpoint>(std::move(found)), named.model.empty() ? flags.options.model : named.model};
  if (!variable.empty()) target.to.key_origin = variable;
  return target;
}

}  // namespace

std::variant<std::vector<named_target>, std::string> find_targets(const bench_flags& flags,
                                                                  const environment& machine) {
  const std::size_t keys = flags.key_variables.size();
  const std::string wrong = keys == 1 ? "" : wrong_count("--api-key-env", keys, flags.urls.size());
  if (!wrong.empty()) return wrong;
  std::vector<named_target> targets;
  for (std::size_t i = 0; i < flags.urls.size(); ++i) {
    auto found = find_one(flags, i, machine);
    if (auto* problem = std::get_if<std::string>(&found)) return std::move(*problem);
    targets.push_back(std::get<named_target>(std::move(found)));
  }
  std::string secret = shared_secret(flags, targets);
  if (!secret.empty()) return secret;
  return targets;
}

void warn_of_open_key(const endpoint& to) {
  if (!to.key.empty() && !to.provider.url.is_tls && !proxy::is_loopback(to.provider.url.host))
    std::cerr << "warning: the key is sent to " << to.provider.url.host << " over plain http\n";
}

}  // namespace photofinish::gateway
