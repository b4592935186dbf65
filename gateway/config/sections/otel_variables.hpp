// Reads settings of traces from OpenTelemetry's environment variables, as all its SDKs do. The configuration has
// priority over the variables. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Fills in the traces' endpoint, headers and resource attributes if the configuration lacks them. Ignores invalid
// variables, and returns a text "NAME …" for each invalid variable.
std::vector<std::string> take_otel_variables(const environment& machine, tracing_settings& into);

// Returns the URL to which traces are posted: the endpoint with /v1/traces appended to its path. If the endpoint is not
// a valid URL, returns an empty text and writes the reason to `problem`.
std::string traces_url(std::string_view endpoint, std::string& problem);

}  // namespace photofinish::gateway
