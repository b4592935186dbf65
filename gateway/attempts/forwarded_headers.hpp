// Selects the headers that a provider gets. The gateway forwards the client's headers that the provider's dialect or
// the setting `forward_headers` allows. It also sends the header that identifies the conversation for the provider's
// prompt cache. Providers that take part in tracing also get trace headers. [pure]
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

// Returns the headers for the provider. `own` is the trace that the gateway records. If the gateway records a trace, it
// replaces the client's trace.
std::vector<std::pair<std::string, std::string>> forwarded_headers(const client_request& request,
                                                                   const proxy::provider& to,
                                                                   std::span<const std::string_view> passed = {},
                                                                   const std::optional<sent_trace>& own = std::nullopt);

}  // namespace photofinish::gateway
