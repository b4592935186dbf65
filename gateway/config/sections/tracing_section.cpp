// Reads the settings of traces.
#include "gateway/config/sections/otel_variables.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/webhook_url.hpp"
#include "gateway/http/header_names.hpp"
#include "proxy/words/contains.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

constexpr std::uint16_t grpc_port = 4317;

void read_endpoint(const section_reader& tracing, tracing_settings& into) {
  std::string text, problem;
  if (!tracing.read("endpoint", text)) return;
  into.endpoint = traces_url(text, problem);
  if (!problem.empty()) tracing.error("endpoint", problem);
}

void read_keep(const section_reader& tracing, tracing_settings& into) {
  std::vector<std::string> kinds;
  if (!tracing.read("keep", kinds)) return;
  const auto has = [&kinds](const char* kind) { return proxy::contains(kinds, kind); };
  if (has("none") && kinds.size() > 1) return tracing.error("keep", "must be either `none` or a list of other values");
  into.keeps_errors = has("error");
  into.keeps_slow = has("slow");
}

}  // namespace

void read_sent_headers(const section_reader& from, std::vector<std::pair<std::string, proxy::secret>>& into) {
  std::map<std::string, std::string> headers;
  if (!from.read("headers", headers)) return;
  for (const auto& [name, value] : headers) {
    const std::string lower = lower_case(name);
    if (!is_header_name(lower) || !is_header_value(value))
      from.error("headers", "'" + name + "' is not a valid header: its name or value contains a character that is "
                                         "not allowed");
    else if (is_reserved_header(lower))
      from.error("headers", name + " cannot be configured, because the gateway sets this header");
    else
      into.emplace_back(name, proxy::secret(value));
  }
}

void read_tracing(const section_reader& top, tracing_settings& into) {
  const auto take_variables = [&](text_position at) {
    for (std::string& each : take_otel_variables(top.shared().machine, into)) top.shared().warn(at, std::move(each));
    if (const auto read = parse_webhook_url(into.endpoint); read.url && read.url->origin.port == grpc_port)
      top.shared().warn(at, "tracing: port 4317 is for OTLP over gRPC, but this gateway uses OTLP over HTTP, usually "
                            "at port 4318");
  };
  const yaml_node* node = top.find("tracing");
  if (!node) return take_variables(top.at());
  const section_reader tracing(top.shared(), *node, section::tracing);
  read_endpoint(tracing, into);
  read_sent_headers(tracing, into.headers);
  tracing.read_members(into);
  read_keep(tracing, into);
  take_variables(tracing.at());
  const bool says_something = node->kind == yaml_kind::map && !node->members.empty();
  if (says_something && !into.is_on() && !tracing.find("endpoint"))
    tracing.warn("endpoint", "is missing, and OTEL_EXPORTER_OTLP_ENDPOINT is not set, so no traces are sent");
}

}  // namespace photofinish::gateway
