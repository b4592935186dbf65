// The spans of one request as plain values. Workers pass them to the housekeeper. [pure]
#pragma once

#include "metrics/exemplars.hpp"
#include "proxy/http/trace_context.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {

struct span_attribute {
  std::string_view key;  // a string literal
  std::variant<std::string, std::int64_t, double, bool> value;
};

struct span_event {
  std::string_view name;  // a string literal
  std::int64_t at = 0;    // nanoseconds since 1970
  std::vector<span_attribute> attributes = {};
};

enum class span_kind { server = 2, client = 3 };  // the values are the numbers that OTLP defines for span kinds

struct trace_span {
  proxy::span_id id = 0;
  proxy::span_id parent = 0;  // 0: no parent
  span_kind kind = span_kind::server;
  bool has_remote_parent = false;
  std::string name = {};
  std::int64_t begin = 0, end = 0;  // nanoseconds since 1970
  std::vector<span_attribute> attributes = {};
  std::vector<span_event> events = {};
  bool is_error = false;
  std::vector<proxy::trace_parent> links = {};  // links to related spans in the traces of other requests
  std::string error = {};  // one word that names the error; it never comes from a provider
};

// The spans of one request. The first span is for the request itself. It is followed by one span for each attempt.
struct race_trace {
  proxy::trace_id id;
  std::string state;  // the value of the tracestate header
  bool is_sampled = false;
  std::vector<trace_span> spans;
  std::vector<metrics::traced_value> observed = {};  // the values that the request has added to histograms
};

}  // namespace photofinish::gateway
