// Which trace a request belongs to, what its spans are called there, and whether they are recorded. [pure]
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
  proxy::span_id parent = 0;  // the caller's; 0: the trace begins here
  proxy::span_id own = 0;     // of the request itself
  std::uint64_t seed = 0;     // of its attempts' ids
  bool is_sampled = false;
  std::string state = {};     // the caller's tracestate, where the trace is the caller's
  bool is_https = false;      // the client calls over TLS, which may end at a trusted proxy

  // Of the attempt with that index in the plan: another for each.
  proxy::span_id attempt(std::size_t index) const;
};

// The caller's trace goes on where its traceparent is valid and trusted: its flag then decides what is recorded. Else a
// new one begins, of which the settings' share is recorded, by its id, so that others that look at the id decide alike.
// `random`: bits for the ids.
request_trace begin_trace(const tracing_settings& settings, std::span<const proxy::header_field> fields,
                          std::array<std::uint64_t, 4> random);

// All values of the fields of that name, which may be a list in several fields.
std::string joined_values(std::span<const proxy::header_field> fields, std::string_view lower_case_name);

}  // namespace photofinish::gateway
