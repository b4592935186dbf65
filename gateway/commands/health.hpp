// `photofinish health`: checks whether the gateway on this machine is ready. It prints one line and returns an exit
// code, for health checks of containers, which have no curl.
#pragma once

#include "gateway/process/environment.hpp"

#include <chrono>
#include <iosfwd>
#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns the probe URL of a gateway with this configuration and environment. As in `serve`, the address comes from
// `admin`, otherwise from PHOTOFINISH_LISTEN, otherwise from `listen`. A wildcard address is replaced by loopback.
// Returns an empty text if the system chooses the port.
std::string probe_url(const std::optional<std::string>& config_flag, const environment& machine);

struct health_question {
  std::string url;
  std::string path = "/readyz";
  std::chrono::milliseconds patience{3000};
};

// Returns 0 if the probe answers 200, otherwise 1, also for an invalid URL, because Docker reserves 2.
int run_health(const health_question& question, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
