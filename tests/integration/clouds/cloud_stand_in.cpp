#include "tests/integration/clouds/cloud_stand_in.hpp"

#include "tests/unit/proxy/rules/strict_vendors.hpp"

namespace photofinish::testing {

std::string path_of(const received_request& request) {
  const std::size_t from = request.head.find(' ') + 1;
  return request.head.substr(from, request.head.find(' ', from) - from);
}

std::string cloud_stand_in::fault_of(const received_request& request) const {
  const std::string path = path_of(request);
  if (!request.head.starts_with("POST ")) return "the method is not POST";
  if (path != at_.streamed_path && path != at_.whole_path) return "unknown path " + path;
  if (!request.field("content-type").starts_with("application/json")) return "content-type: application/json is required";
  if (std::string fault = fault_of_key(request); !fault.empty()) return fault;
  const json body = json::parse(request.body, nullptr, false);
  if (!body.is_object()) return "the body is not a JSON object";
  if (std::string fault = fault_of_body(request, body); !fault.empty()) return fault;
  proxy::rules::vendor_request asked{at_.host, path, at_.model, {}, body_for_rules(body)};
  if (const std::string betas = request.field("anthropic-beta"); !betas.empty()) asked.headers["anthropic-beta"] = betas;
  return proxy::rules::refusal_of(asked);
}

// Checks the request's key. Also refuses a key in the header of another
// cloud, because the gateway would have sent this key to the wrong cloud.
std::string cloud_stand_in::fault_of_key(const received_request& request) const {
  for (const char* field : {"authorization", "x-api-key", "api-key", "x-goog-api-key"}) {
    const std::string given = request.field(field);
    if (field == at_.key_field && given != at_.key_prefix + at_.key) return std::string(field) + ": not a valid key";
    if (field != at_.key_field && !given.empty()) return std::string(field) + ": not a header of this cloud";
  }
  return {};
}

bool cloud_stand_in::wants_stream(const received_request& request, const json& body) const {
  return at_.streamed_path == at_.whole_path ? body.value("stream", false) : path_of(request) == at_.streamed_path;
}

}  // namespace photofinish::testing
