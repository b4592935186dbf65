// Reads arbitrary traceparent and tracestate headers of a caller. Accepted values are stored unchanged, and the forwarded headers are
// valid. The exported spans are valid JSON, whatever bytes their names contain. Each line of the input is a header field: traceparent if it
// begins with 'p', otherwise tracestate.
#include "gateway/traces/otlp_json.hpp"
#include "gateway/traces/request_trace.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace photofinish;
using fuzz::require;

namespace {

std::vector<proxy::header_field> fields_in(std::string_view text) {
  std::vector<proxy::header_field> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty()) fields.emplace_back(line[0] == 'p' ? "traceparent" : "tracestate", line.substr(1));
  }
  return fields;
}

void look_at(std::string_view value) {
  const auto read = proxy::read_traceparent(value);
  require(read.has_value() == proxy::is_traceparent(value), "what is valid is read, and nothing else");
  if (!read) return;
  require(read->span != 0 && read->trace != proxy::trace_id{}, "no id is zero");
  const std::string written = proxy::to_traceparent(*read);
  require(written.substr(3, 49) == value.substr(3, 49), "the ids are those that came");
  require(proxy::is_traceparent(written), "what is written is valid");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact_bytes held(fuzz::as_text(data, size));
  const std::vector<proxy::header_field> fields = fields_in(held.view());
  for (const auto& [name, value] : fields)
    if (name == "traceparent") look_at(value);
  const gateway::request_trace trace = gateway::begin_trace({}, fields, {1, 2, 3, 4});
  require(trace.state.empty() || proxy::is_tracestate(trace.state), "a state that goes on is valid");
  require(trace.parent != 0 || trace.id == proxy::trace_id{1, 2}, "a trace is the caller's or a new one");
  require(proxy::is_traceparent(proxy::to_traceparent({trace.id, trace.attempt(0), true})), "a provider gets a valid one");
  gateway::race_trace spans{.id = trace.id, .state = trace.state, .spans = {{.id = 1, .name = std::string(held.view())}}};
  spans.spans[0].attributes = {{"photofinish.route", std::string(held.view())}};
  const std::vector<std::string> traces{gateway::otlp_spans(spans)};
  require(nlohmann::json::accept(gateway::otlp_request({}, "0", traces)), "spans are valid JSON");
  (void)gateway::rejected_spans(held.view());
  return 0;
}
