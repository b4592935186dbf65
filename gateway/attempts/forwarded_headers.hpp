// Selects the client's headers that a provider gets. These are the headers that its dialect forwards, the headers in
// its setting `forward_headers`, and the header by which the provider finds a conversation in its prompt cache. Adds
// trace headers if the provider takes part in a trace. [pure]
#pragma once

#include "gateway/http/client_request.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The trace headers of an attempt.
struct sent_trace {
  std::string parent, state;  // values of the headers traceparent and tracestate; tracestate may be empty
};

// Returns the headers for the provider. `own` is the trace that the gateway itself records. If there is one, it
// replaces the client's trace.
std::vector<std::pair<std::string, std::string>> forwarded_headers(const client_request& request,
                                                                   const proxy::provider& to,
                                                                   std::span<const std::string_view> passed = {},
                                                                   const std::optional<sent_trace>& own = std::nullopt);

}  // namespace photofinish::gateway
