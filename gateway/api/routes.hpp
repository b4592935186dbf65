// Finds the endpoint that a request asks for. [pure]
#pragma once

#include "gateway/api/api.hpp"
#include "gateway/api/api_error.hpp"
#include "metrics/outcomes.hpp"
#include "proxy/http/http_head.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {

enum class endpoint {
  answer, count_tokens, stored_response, models, model, provider_stats, advice, usage, race, races, feed, metrics, live,
  ready, root
};

// The action on a response that its provider keeps.
enum class stored_response_action { read, remove, cancel, input_items };

// The paths that a listener serves: with `admin` configured, only the admin listener serves metrics and probes.
enum class listener_role { everything, api, admin };

struct routed_request {
  endpoint to;
  std::string model;        // the model in the path, unescaped: for endpoint::model, and in Azure's paths
  const api* by = nullptr;  // the called API, for endpoint::answer
  std::string id = {};      // unescaped; set for endpoint::stored_response and endpoint::race
  stored_response_action action = stored_response_action::read;  // set for endpoint::stored_response
};

// Returns the API with this path, or null.
const api* api_at(std::string_view path, std::span<const api* const> apis);

// Returns the name of a path in metrics and the log, on any listener and for any method.
metrics::endpoint label_of(std::string_view path, std::span<const api* const> apis);

// Returns "POST /v1/chat/completions" and the other requests that a listener of this role serves.
std::vector<std::string> served_requests(listener_role role, std::span<const api* const> apis);

// Refuses a client that wants to speak an API over a WebSocket with 426, because after this status the client falls
// back to HTTP fastest. A proxy may have removed the upgrade header: sec-websocket-key is then enough. Returns nothing
// if the client does not ask for a WebSocket, or no API has that path. Realtime sessions, which are not offered, also
// get a 426.
std::optional<api_error> refuse_websocket(std::string_view method, std::string_view path,
                                          std::span<const proxy::header_field> fields,
                                          std::span<const api* const> apis);

// `/v1` in front is optional. A double /v1, a double slash around it or a slash at the end is accepted, because
// clients' base URLs differ. Azure's clients send /openai before it, or name the model in the path:
// /openai/deployments/{model}/chat/completions.
// /v2/rerank is the same as /v1/rerank.
std::variant<routed_request, api_error> route_request(std::string_view method, std::string_view path,
                                                      listener_role role,
                                                      std::span<const api* const> apis);

}  // namespace photofinish::gateway
