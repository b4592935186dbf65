// Runs the whole gateway in this process, on its own port, against scripted providers.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/housekeeping/stores/housekeeping.hpp"
#include "gateway/requests/worker/protocols.hpp"
#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/gateway/test_client.hpp"
#include "tests/support/patience.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::testing {

// The sanitizers slow everything down, so tests do less work under them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int slowness = 10;
#else
constexpr int slowness = 1;
#endif

class running_gateway {
 public:
  // Starts the gateway. Throws if the gateway cannot listen.
  explicit running_gateway(const gateway::config& settings, gateway::housekeeping keeping = {},
                           gateway::protocols speaks = {});
  ~running_gateway();  // closes the gateway's connections, and waits until the gateway has stopped

  std::uint16_t port() const;
  std::uint16_t admin_port() const;
  void reload(const gateway::config& settings);
  void leave();
  void drain();
  void cut();
  bool is_drained();  // waits until the gateway is drained; returns false if draining takes too long

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// Creates a provider that needs no key and listens on a port of this machine.
proxy::provider local_provider(const std::string& name, std::uint16_t port);

class gateway_fixture : public ::testing::Test {
 protected:
  gateway_fixture();

  // Change these settings only before start() is called.
  gateway::config settings;
  gateway::housekeeping keeping;
  gateway::protocols speaks;
  proxy::provider& add(const std::string& name, const scripted_provider& at);
  gateway::route& add_route(const std::string& name, std::initializer_list<std::string_view> targets,
                            racing::race_policy policy = racing::race_policy::all);

  void start() { gateway = std::make_unique<running_gateway>(settings, keeping, speaks); }
  test_client connect() { return test_client(gateway->port()); }
  // Sends one request on a new connection.
  http_response post(std::string_view body, std::string_view fields = "");
  http_response get(std::string_view path, std::string_view fields = "");

  // Returns the sum of all samples whose line begins with `name` and contains each of the labels, such as `outcome="won"`.
  double metric(std::string_view name, std::initializer_list<std::string_view> labels = {});
  // Waits until the metric has this value. The gateway updates metrics only after it has sent the answer.
  void expect_metric(double value, std::string_view name, std::initializer_list<std::string_view> labels = {});

  std::unique_ptr<running_gateway> gateway;
};

// Builds the request {"model":…,"messages":[…],"stream":…}. `more` adds members, such as `,"n":2`.
std::string streamed(std::string_view model, std::string_view more = "");
std::string whole(std::string_view model, std::string_view more = "");

double milliseconds_between(test_clock::time_point from, test_clock::time_point to);
double quantile(std::vector<double> values, double share);  // returns a quantile, such as the median if `share` is 0.5
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace photofinish::testing
