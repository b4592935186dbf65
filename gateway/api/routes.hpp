// Finds the endpoint for a request's method and path. [pure]
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

// The actions on a response that its provider keeps.
enum class stored_response_action { read, remove, cancel, input_items };

// The kind of a listener, which determines the paths that it serves. If `admin` is configured, only the admin listener
// serves metrics and probes.
enum class listener_role { everything, api, admin };

struct routed_request {
  endpoint to;
  std::string model;        // the unescaped model in the path, for the endpoint `model` and for Azure's paths
  const api* by = nullptr;  // the called API, if the endpoint is `answer`
  std::string id = {};      // the unescaped id in the path, for `stored_response` and `race`
  stored_response_action action = stored_response_action::read;  // the action, if the endpoint is `stored_response`
};

// Returns the API with this path, or null if there is none.
const api* api_at(std::string_view path, std::span<const api* const> apis);

// Returns the label of a path in metrics and the log. The label does not depend on the listener or the HTTP method.
metrics::endpoint label_of(std::string_view path, std::span<const api* const> apis);

// Returns the requests that a listener of this kind serves, such as "POST /v1/chat/completions".
std::vector<std::string> served_requests(listener_role role, std::span<const api* const> apis);

// Refuses a WebSocket handshake for an API with the status 426, because clients fall back to HTTP fastest after this
// status. A handshake without the header `upgrade` is recognized by its header sec-websocket-key, because proxies may
// remove `upgrade`. Realtime sessions, which are not offered, also get a 426. Returns nothing for other requests and
// unknown paths.
std::optional<api_error> refuse_websocket(std::string_view method, std::string_view path,
                                          std::span<const proxy::header_field> fields,
                                          std::span<const api* const> apis);

// Finds the endpoint of a path. A /v1 at the front is optional. A double /v1, a double slash next to /v1, and a slash
// at the end are accepted, because clients' base URLs differ. The paths of Azure's clients begin with /openai, or
// contain the model: /openai/deployments/{model}/chat/completions. /v2/rerank is the same as /v1/rerank.
std::variant<routed_request, api_error> route_request(std::string_view method, std::string_view path,
                                                      listener_role role,
                                                      std::span<const api* const> apis);

}  // namespace photofinish::gateway
