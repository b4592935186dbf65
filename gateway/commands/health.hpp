// `photofinish health`: checks if the gateway on this machine is ready, prints one line and returns an exit code.
// Containers can use it for their health check, because a container's image often has no curl.
#pragma once

#include "gateway/process/environment.hpp"

#include <chrono>
#include <iosfwd>
#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns the probe URL of a gateway with this configuration and environment. As in `serve`, the address is the first
// of these that is set: `admin`, PHOTOFINISH_LISTEN, `listen`. Loopback replaces a wildcard address. Returns an empty
// text if the system chooses the port.
std::string probe_url(const std::optional<std::string>& config_flag, const environment& machine);

struct health_question {
  std::string url;
  std::string path = "/readyz";
  std::chrono::milliseconds patience{3000};
};

// Runs the command. Returns 0 if the probe gets the status 200, otherwise 1. Returns 1 even for an invalid URL, because
// Docker reserves the exit code 2.
int run_health(const health_question& question, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
