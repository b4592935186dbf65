#include "gateway/traces/otlp_json.hpp"

#include "gateway/traces/span_names.hpp"
#include "proxy/words/parse_number.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>

namespace photofinish::gateway {
namespace {

using otlp = nlohmann::ordered_json;

// The flag bits of a span. OpenTelemetry adds two bits to W3C's flags. They state whether it is known where the parent
// span runs, and whether it runs in another process.
constexpr unsigned sampled_flag = 0x01, known_remote_flag = 0x100, remote_flag = 0x200;
constexpr int error_status = 2;

// Writes a JSON value as text. Names may come from clients, so invalid UTF-8 is replaced.
std::string text_of(const otlp& node) { return node.dump(-1, ' ', false, otlp::error_handler_t::replace); }

struct attribute_value {
  otlp operator()(const std::string& text) const { return {{"stringValue", text}}; }
  otlp operator()(std::int64_t number) const { return {{"intValue", std::to_string(number)}}; }
  otlp operator()(double number) const { return {{"doubleValue", number}}; }
  otlp operator()(bool truth) const { return {{"boolValue", truth}}; }
};

otlp attributes_of(const std::vector<span_attribute>& attributes) {
  otlp all = otlp::array();
  for (const span_attribute& each : attributes)
    all.push_back({{"key", each.key}, {"value", std::visit(attribute_value{}, each.value)}});
  return all;
}

otlp events_of(const std::vector<span_event>& events) {
  otlp all = otlp::array();
  for (const span_event& each : events) {
    otlp event{{"timeUnixNano", std::to_string(each.at)}, {"name", each.name}};
    if (!each.attributes.empty()) event["attributes"] = attributes_of(each.attributes);
    all.push_back(std::move(event));
  }
  return all;
}

otlp links_of(const std::vector<proxy::trace_parent>& links) {
  otlp all = otlp::array();
  for (const proxy::trace_parent& each : links)
    all.push_back({{"traceId", proxy::to_hex(each.trace)}, {"spanId", proxy::to_hex(each.span)}});
  return all;
}

otlp span_of(const race_trace& trace, const trace_span& each) {
  otlp span{{"traceId", proxy::to_hex(trace.id)}, {"spanId", proxy::to_hex(each.id)}};
  if (!trace.state.empty()) span["traceState"] = trace.state;
  if (each.parent != 0) span["parentSpanId"] = proxy::to_hex(each.parent);
  span["flags"] = known_remote_flag | (trace.is_sampled ? sampled_flag : 0u) |
                  (each.has_remote_parent ? remote_flag : 0u);
  span["name"] = each.name;
  span["kind"] = static_cast<int>(each.kind);
  span["startTimeUnixNano"] = std::to_string(each.begin);
  span["endTimeUnixNano"] = std::to_string(each.end);
  span["attributes"] = attributes_of(each.attributes);
  if (!each.events.empty()) span["events"] = events_of(each.events);
  if (!each.links.empty()) span["links"] = links_of(each.links);
  if (each.is_error) span["status"] = {{"message", each.error}, {"code", error_status}};
  return span;
}

}  // namespace

std::string otlp_spans(const race_trace& trace) {
  std::string all;
  for (const trace_span& each : trace.spans) all.append(all.empty() ? "" : ",").append(text_of(span_of(trace, each)));
  return all;
}

std::map<std::string, std::string> resource_of_gateway(std::map<std::string, std::string> configured,
                                                       std::string_view version, std::string_view instance) {
  configured.emplace(span_names::service_version, version);
  configured.emplace(span_names::service_instance_id, instance);
  return configured;
}

std::string otlp_request(const std::map<std::string, std::string>& resource, std::string_view version,
                         std::span<const std::string> spans) {
  otlp attributes = otlp::array();
  for (const auto& [key, value] : resource) attributes.push_back({{"key", key}, {"value", {{"stringValue", value}}}});
  std::string body = R"({"resourceSpans":[{"resource":{"attributes":)" + text_of(attributes) +
                     R"(},"scopeSpans":[{"scope":)" + text_of(otlp{{"name", "photofinish"}, {"version", version}}) +
                     R"(,"spans":[)";
  for (std::size_t index = 0; index < spans.size(); ++index) body.append(index > 0 ? "," : "").append(spans[index]);
  return body.append(R"(],"schemaUrl":")").append(span_names::schema_url).append(R"("}]}]})");
}

std::uint64_t rejected_spans(std::string_view answer) {
  const otlp said = otlp::parse(answer, nullptr, false);
  if (!said.is_object()) return 0;
  const auto partial = said.find("partialSuccess");
  if (partial == said.end() || !partial->is_object()) return 0;
  const auto count = partial->find("rejectedSpans");
  if (count == partial->end()) return 0;
  if (count->is_number_unsigned()) return count->get<std::uint64_t>();
  if (!count->is_string()) return 0;
  return proxy::parse_leading_number<std::uint64_t>(count->get_ref<const std::string&>()).value_or(0);
}

}  // namespace photofinish::gateway
