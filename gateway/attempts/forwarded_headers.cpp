#include "gateway/attempts/forwarded_headers.hpp"

#include "proxy/http/trace_context.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

// Joins the values of all header fields with this name, because a list may be spread over several fields.
std::string all_values(const client_request& request, std::string_view name) {
  std::string all;
  for (const auto& [each, value] : request.fields)
    if (each == name) all.append(all.empty() ? "" : ", ").append(value);
  return all;
}

sent_trace callers_trace(const client_request& request) {
  const auto parent = request.field("traceparent");
  if (!proxy::is_traceparent(parent)) return {};
  const std::string state = all_values(request, "tracestate");
  return {std::string(parent), proxy::is_tracestate(state) ? state : std::string()};
}

using header_pairs = std::vector<std::pair<std::string, std::string>>;

// Forwards the client's hint that identifies the conversation for prompt caches. The client must have sent the hint in
// the header that this provider uses.
void forward_hint(const client_request& request, const std::string& field, header_pairs& forwarded) {
  if (!proxy::is_header_hint(field)) return;
  const auto is_it = [&field](const auto& each) { return each.first == field; };
  if (std::any_of(forwarded.begin(), forwarded.end(), is_it)) return;
  if (const auto value = request.field(field); !value.empty()) forwarded.emplace_back(field, std::string(value));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> forwarded_headers(const client_request& request,
                                                                   const proxy::provider& to,
                                                                   std::span<const std::string_view> passed,
                                                                   const std::optional<sent_trace>& own) {
  std::vector<std::pair<std::string, std::string>> forwarded;
  for (const std::string_view name : passed)
    if (std::string value = all_values(request, name); !value.empty()) forwarded.emplace_back(name, std::move(value));
  for (const std::string& name : to.forwarding.headers)
    if (const auto value = request.field(name); !value.empty()) forwarded.emplace_back(name, std::string(value));
  forward_hint(request, to.behaves.prompt_cache.hint.chat, forwarded);
  forward_hint(request, to.behaves.prompt_cache.hint.responses, forwarded);
  if (!to.forwarding.trace_context) return forwarded;
  const sent_trace trace = own ? *own : callers_trace(request);
  if (trace.parent.empty()) return forwarded;
  std::erase_if(forwarded, [](const auto& each) { return each.first == "traceparent" || each.first == "tracestate"; });
  forwarded.emplace_back("traceparent", trace.parent);
  if (!trace.state.empty()) forwarded.emplace_back("tracestate", trace.state);
  return forwarded;
}

}  // namespace photofinish::gateway
