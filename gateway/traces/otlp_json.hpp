// Writes spans in the JSON format of OpenTelemetry's protocol (OTLP 1.9): ids in hex, 64-bit numbers as text. [pure]
#pragma once

#include "gateway/traces/race_trace.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Writes the spans of one trace, separated by commas, for otlp_request().
std::string otlp_spans(const race_trace& trace);

// Returns the attributes that describe this gateway: the configured attributes, service.version and
// service.instance.id. Configured values have priority.
std::map<std::string, std::string> resource_of_gateway(std::map<std::string, std::string> configured,
                                                       std::string_view version, std::string_view instance);

// Returns the body of an ExportTraceServiceRequest. `resource` contains the attributes that describe this gateway.
std::string otlp_request(const std::map<std::string, std::string>& resource, std::string_view version,
                         std::span<const std::string> spans);

// Returns the number of spans that a collector has rejected. It may reject spans although its answer has status 200.
std::uint64_t rejected_spans(std::string_view answer);

}  // namespace photofinish::gateway
