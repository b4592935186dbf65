#include "gateway/config/sections/otel_variables.hpp"

#include "gateway/config/webhook_url.hpp"
#include "gateway/http/header_names.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

namespace photofinish::gateway {
namespace {

constexpr std::string_view traces_path = "/v1/traces";

// Parses "a=1,b=2" with percent-encoded values. Returns nothing if a part of the list is not a pair.
std::optional<std::map<std::string, std::string>> read_pairs(std::string_view list) {
  std::map<std::string, std::string> pairs;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view member = proxy::trim_space(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (member.empty()) continue;
    const std::size_t sign = member.find('=');
    if (sign == 0 || sign == std::string_view::npos) return std::nullopt;
    pairs[proxy::percent_decoded(proxy::trim_space(member.substr(0, sign)))] =
        proxy::percent_decoded(proxy::trim_space(member.substr(sign + 1)));
  }
  return pairs;
}

bool is_off(const environment& machine) {
  const auto disabled = machine.variable("OTEL_SDK_DISABLED");
  return (disabled && lower_case(*disabled) == "true") || machine.variable("OTEL_TRACES_EXPORTER") == "none";
}

// Reads the endpoint for traces from an environment variable. OTEL_EXPORTER_OTLP_TRACES_ENDPOINT contains the whole
// URL, which is used unchanged.
void take_endpoint(const environment& machine, tracing_settings& into, std::vector<std::string>& problems) {
  if (into.is_on() || is_off(machine)) return;
  constexpr const char* own = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  constexpr const char* common = "OTEL_EXPORTER_OTLP_ENDPOINT";
  if (const auto exact = machine.variable(own)) {
    const webhook_url_result read = parse_webhook_url(*exact);
    if (read.url) into.endpoint = *exact;
    else problems.push_back(std::string(own) + " " + read.problem + ", so no traces are sent");
  } else if (const auto base = machine.variable(common)) {
    std::string problem;
    into.endpoint = traces_url(*base, problem);
    if (!problem.empty()) problems.push_back(std::string(common) + " " + problem + ", so no traces are sent");
  }
}

void take_headers(const environment& machine, tracing_settings& into, std::vector<std::string>& problems) {
  if (!into.headers.empty()) return;
  std::string name = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
  auto list = machine.variable(name);
  if (!list) list = machine.variable(name = "OTEL_EXPORTER_OTLP_HEADERS");
  if (!list) return;
  const auto pairs = read_pairs(*list);
  const auto is_fine = [](const auto& each) {
    return is_header_name(lower_case(each.first)) && is_header_value(each.second) &&
           !is_reserved_header(lower_case(each.first));
  };
  if (!pairs || !std::all_of(pairs->begin(), pairs->end(), is_fine))
    return problems.push_back(name + " is ignored, because its value is not a list such as name=value,other=value");
  for (const auto& [header, value] : *pairs) into.headers.emplace_back(header, proxy::secret(value));
}

void take_resource(const environment& machine, tracing_settings& into, std::vector<std::string>& problems) {
  if (const auto service = machine.variable("OTEL_SERVICE_NAME")) into.resource.emplace("service.name", *service);
  if (const auto list = machine.variable("OTEL_RESOURCE_ATTRIBUTES")) {
    const auto pairs = read_pairs(*list);
    if (pairs) into.resource.insert(pairs->begin(), pairs->end());
    else problems.push_back("OTEL_RESOURCE_ATTRIBUTES is ignored, because its value is not a list such as "
                            "name=value,other=value");
  }
  into.resource.emplace("service.name", "photofinish");
}

}  // namespace

std::vector<std::string> take_otel_variables(const environment& machine, tracing_settings& into) {
  std::vector<std::string> problems;
  take_endpoint(machine, into, problems);
  if (!into.is_on()) return problems;
  take_headers(machine, into, problems);
  take_resource(machine, into, problems);
  return problems;
}

std::string traces_url(std::string_view endpoint, std::string& problem) {
  const webhook_url_result read = parse_webhook_url(endpoint);
  if (!read.url) return problem = read.problem, std::string();
  std::string url(endpoint);
  if (url.find('?') != std::string::npos) return url;
  while (url.ends_with('/')) url.pop_back();
  if (!url.ends_with(traces_path)) url += traces_path;
  return url;
}

}  // namespace photofinish::gateway
