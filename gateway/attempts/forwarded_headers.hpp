// Selects the client's headers that a provider gets: headers that its dialect passes, headers in its setting
// `forward_headers`, and the header that leads to a conversation's prompt cache. Adds a trace if the provider takes
// part in one. [pure]
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
  std::string parent, state;  // values of traceparent and tracestate; tracestate may be empty
};

// `own`: the trace that tracing uses instead of the caller's.
std::vector<std::pair<std::string, std::string>> forwarded_headers(const client_request& request,
                                                                   const proxy::provider& to,
                                                                   std::span<const std::string_view> passed = {},
                                                                   const std::optional<sent_trace>& own = std::nullopt);

}  // namespace photofinish::gateway
