// Chooses the trace of a request and the ids of its spans. Also decides whether the spans are recorded. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/http/trace_context.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace photofinish::gateway {

struct request_trace {
  proxy::trace_id id;
  proxy::span_id parent = 0;  // the caller's span; 0 if the trace begins in this gateway
  proxy::span_id own = 0;     // the span id of the request itself
  std::uint64_t seed = 0;     // the seed for the span ids of attempts
  bool is_sampled = false;
  std::string state = {};     // the caller's tracestate; empty if the request does not continue the caller's trace
  bool is_https = false;      // true if the client uses TLS, either to this gateway or to a trusted proxy

  // Returns the span id of the attempt with the given index in the plan. All attempts have different ids.
  proxy::span_id attempt(std::size_t index) const;
};

// Begins the trace of a request. If the caller's traceparent is valid and trusted, the request continues the caller's
// trace, and the caller's flag decides whether spans are recorded. Otherwise a new trace begins. Its trace id decides
// whether it belongs to the configured share. Other systems with the same rule make the same decision. `random`
// provides the bits for the ids.
request_trace begin_trace(const tracing_settings& settings, std::span<const proxy::header_field> fields,
                          std::array<std::uint64_t, 4> random);

// Joins the values of all header fields with the name `lower_case_name`, because a list may be spread over several
// fields.
std::string joined_values(std::span<const proxy::header_field> fields, std::string_view lower_case_name);

}  // namespace photofinish::gateway
