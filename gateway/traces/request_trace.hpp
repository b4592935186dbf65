// Chooses the trace that a request belongs to, the ids of its spans, and whether the spans are recorded. [pure]
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
  proxy::span_id parent = 0;  // the caller's span; 0: the trace begins here
  proxy::span_id own = 0;     // the span of the request itself
  std::uint64_t seed = 0;     // the span ids of the attempts derive from it
  bool is_sampled = false;
  std::string state = {};     // the caller's tracestate if the request continues the caller's trace
  bool is_https = false;      // true if the client uses TLS, which may end at a trusted proxy

  // The span id of the attempt with that index in the plan. Each attempt has a different one.
  proxy::span_id attempt(std::size_t index) const;
};

// Continues the caller's trace if its traceparent is valid and trusted; its flag then decides what is recorded.
// Otherwise begins a new trace. The settings' share of new traces is recorded; the trace id decides, so that other
// systems with this rule decide alike.
// `random`: bits for the ids.
request_trace begin_trace(const tracing_settings& settings, std::span<const proxy::header_field> fields,
                          std::array<std::uint64_t, 4> random);

// Joins all values of the header fields with that name, because a list may be split into several fields.
std::string joined_values(std::span<const proxy::header_field> fields, std::string_view lower_case_name);

}  // namespace photofinish::gateway
