// Settings of traces from OpenTelemetry's variables, read as in all its SDKs, if the configuration does not set them.
// [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Fills in missing settings: endpoint and headers, and missing entries of `resource`. Returns a text "NAME …" for
// each invalid variable, which is ignored.
std::vector<std::string> take_otel_variables(const environment& machine, tracing_settings& into);

// The URL to which traces are posted at that endpoint: /v1/traces is appended to its path. Empty: it is not a URL;
// `problem` has the reason.
std::string traces_url(std::string_view endpoint, std::string& problem);

}  // namespace photofinish::gateway
