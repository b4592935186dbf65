// Which of a client's headers a provider gets: those that its dialect passes, that its `forward_headers` names, the
// header by which it finds a conversation's prompt cache, and a trace where it takes part in one. [pure]
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

// What a provider gets of the trace of an attempt.
struct sent_trace {
  std::string parent, state;  // traceparent and tracestate; the latter may be empty
};

// `own`: with tracing, in place of the caller's.
std::vector<std::pair<std::string, std::string>> forwarded_headers(const client_request& request,
                                                                   const proxy::provider& to,
                                                                   std::span<const std::string_view> passed = {},
                                                                   const std::optional<sent_trace>& own = std::nullopt);

}  // namespace photofinish::gateway
