#include "gateway/attempts/forwarded_headers.hpp"

#include "proxy/http/trace_context.hpp"

namespace photofinish::gateway {
namespace {

// A list may come in several fields of one name.
std::string all_values(const client_request& request, std::string_view name) {
  std::string all;
  for (const auto& [each, value] : request.fields)
    if (each == name) all.append(all.empty() ? "" : ", ").append(value);
  return all;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> forwarded_headers(const client_request& request,
                                                                   const proxy::provider& to,
                                                                   std::span<const std::string_view> passed) {
  std::vector<std::pair<std::string, std::string>> forwarded;
  for (const std::string_view name : passed)
    if (std::string value = all_values(request, name); !value.empty()) forwarded.emplace_back(name, std::move(value));
  for (const std::string& name : to.forward_headers)
    if (const auto value = request.field(name); !value.empty()) forwarded.emplace_back(name, std::string(value));
  const auto parent = request.field("traceparent");
  if (!to.trace_context || !proxy::is_traceparent(parent)) return forwarded;
  forwarded.emplace_back("traceparent", std::string(parent));
  const auto state = request.field("tracestate");
  if (proxy::is_tracestate(state)) forwarded.emplace_back("tracestate", std::string(state));
  return forwarded;
}

}  // namespace photofinish::gateway
