// Spans as OpenTelemetry's protocol writes them in JSON (OTLP 1.9): ids in hex, 64-bit numbers as text. [pure]
#pragma once

#include "gateway/traces/race_trace.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Writes one trace's spans with commas between them, as input of otlp_request().
std::string otlp_spans(const race_trace& trace);

// Attributes of this gateway: the attributes of the settings, and service.version and service.instance.id unless they
// are set.
std::map<std::string, std::string> resource_of_gateway(std::map<std::string, std::string> configured,
                                                       std::string_view version, std::string_view instance);

// The body of an ExportTraceServiceRequest. `resource`: attributes of this gateway.
std::string otlp_request(const std::map<std::string, std::string>& resource, std::string_view version,
                         std::span<const std::string> spans);

// The number of spans that a collector reports as rejected, although it answered 200.
std::uint64_t rejected_spans(std::string_view answer);

}  // namespace photofinish::gateway
