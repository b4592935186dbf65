// A gateway with scripted targets that are named a, b and so on, and belong to one route. Each target serves the API under test.
#pragma once

#include "tests/support/gateway/gateway_fixture.hpp"

#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {

using proxy::served_api;

class served_fixture : public gateway_fixture {
 protected:
  explicit served_fixture(proxy::served_apis usual) : usual_(usual) {}

  // Adds the next target to the route "r".
  proxy::provider& serve(scripted_provider::script play) { return serve(std::move(play), usual_); }
  proxy::provider& serve(scripted_provider::script play, proxy::served_apis apis) {
    const std::string name(1, static_cast<char>('a' + providers_.size()));
    auto& target = add(name, providers_.emplace_back(std::move(play)));
    target.apis = apis;
    targets_.push_back({name, "m"});
    return target;
  }

  void run(racing::race_policy policy = racing::race_policy::all) {
    gateway::route& route = add_route("r", {}, policy);
    route.targets = targets_;
    route.race.hedge_delay = milliseconds(30);
    start();
  }

  scripted_provider& provider(std::size_t index) { return *std::next(providers_.begin(), static_cast<std::ptrdiff_t>(index)); }

  http_response post_to(const std::string& path, const std::string& body) {
    test_client client = connect();
    client.post(body, "", path);
    return client.read();
  }

  const proxy::served_apis usual_;
  std::list<scripted_provider> providers_;
  std::vector<gateway::target_name> targets_;
};

}  // namespace photofinish::testing
