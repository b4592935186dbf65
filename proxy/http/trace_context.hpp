// Reads the headers that link the traces of several services (W3C Trace Context). [pure]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// The id of a trace: 128 bits that are not all zero.
struct trace_id {
  std::uint64_t high = 0, low = 0;

  bool operator==(const trace_id&) const = default;
};

using span_id = std::uint64_t;  // the id 0 means that there is no span

// The content of a traceparent header: the trace, the caller's span, and whether the caller records the trace.
struct trace_parent {
  trace_id trace;
  span_id span = 0;
  bool is_sampled = false;
};

// True if the value consists of version, trace id, parent id and flags in lower-case hex, separated by hyphens, and
// neither id is zero. Later versions may append more fields.
bool is_traceparent(std::string_view value);

// Returns nullopt if the value is not a valid traceparent.
std::optional<trace_parent> read_traceparent(std::string_view value);

// Writes version 00.
std::string to_traceparent(const trace_parent& parent);

// True if the value is a list of at most 32 key=value pairs in printable characters, with at most 512 bytes. Every
// service must forward a list of this size.
bool is_tracestate(std::string_view value);

// to_hex() returns 32 lower-case hex digits for a trace id and 16 for a span id.
std::string to_hex(const trace_id& id);
std::string to_hex(span_id id);

}  // namespace photofinish::proxy
