// `photofinish health`: is the gateway on this machine ready? One line and an exit code, for health checks of
// containers, which have no curl.
#pragma once

#include "gateway/process/environment.hpp"

#include <chrono>
#include <iosfwd>
#include <optional>
#include <string>

namespace photofinish::gateway {

// Where the probes of a gateway with this configuration and environment are, as `serve` would choose: on `admin`, else
// where PHOTOFINISH_LISTEN says, else on `listen`. An address that means "everywhere" is asked on loopback. Empty when
// the port is left to the system.
std::string probe_url(const std::optional<std::string>& config_flag, const environment& machine);

struct health_question {
  std::string url;
  std::string path = "/readyz";
  std::chrono::milliseconds patience{3000};
};

// 0: the probe answers 200. Everything else is 1, a URL that cannot be read as well: Docker keeps 2 for itself.
int run_health(const health_question& question, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
