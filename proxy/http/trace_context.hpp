// The headers by which traces of several services find each other (W3C Trace Context). [pure]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// 128 bits, of which at least one is set.
struct trace_id {
  std::uint64_t high = 0, low = 0;

  bool operator==(const trace_id&) const = default;
};

using span_id = std::uint64_t;  // 0: none

// What a traceparent says: the trace, which of its spans the caller is, and whether the caller records it.
struct trace_parent {
  trace_id trace;
  span_id span = 0;
  bool is_sampled = false;
};

// version-traceid-parentid-flags, in lower-case hex, none of the ids zero; later versions may say more behind it.
bool is_traceparent(std::string_view value);

// None where it is not such.
std::optional<trace_parent> read_traceparent(std::string_view value);

// As version 00 has it.
std::string to_traceparent(const trace_parent& parent);

// A list of key=value: at most 512 bytes, which every service must let through, and 32 members, of printable letters.
bool is_tracestate(std::string_view value);

// 32 and 16 lower-case digits.
std::string to_hex(const trace_id& id);
std::string to_hex(span_id id);

}  // namespace photofinish::proxy
