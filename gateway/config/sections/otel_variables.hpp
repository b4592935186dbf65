// What OpenTelemetry's variables say of traces, as all its SDKs read them, where the configuration is silent. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Fills in what is not set: endpoint and headers, and of `resource` what is missing. What was wrong with a variable,
// which then counts for nothing: "NAME …".
std::vector<std::string> take_otel_variables(const environment& machine, tracing_settings& into);

// Where traces are posted below that endpoint: /v1/traces behind its path. Empty: it is not a URL; `problem` says why.
std::string traces_url(std::string_view endpoint, std::string& problem);

}  // namespace photofinish::gateway
