// Which endpoint a request asks for. [pure]
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

// What is asked of a response that its provider keeps.
enum class stored_response_action { read, remove, cancel, input_items };

// What a listener serves: with `admin` configured, metrics and probes are on the admin listener alone.
enum class listener_role { everything, api, admin };

struct routed_request {
  endpoint to;
  std::string model;        // that the path names, unescaped: with endpoint::model, and where Azure's clients ask
  const api* by = nullptr;  // with endpoint::answer: the API that was called
  std::string id = {};      // with endpoint::stored_response and endpoint::race, unescaped
  stored_response_action action = stored_response_action::read;  // with endpoint::stored_response
};

// The API whose path it is; null where it is none's.
const api* api_at(std::string_view path, std::span<const api* const> apis);

// What a path names in metrics and the log, on any listener and by whatever method.
metrics::endpoint label_of(std::string_view path, std::span<const api* const> apis);

// "POST /v1/chat/completions" and the like, as a listener of that role serves them.
std::vector<std::string> served_requests(listener_role role, std::span<const api* const> apis);

// Refuses a client that wants to speak an API over a WebSocket with 426, because the client then falls back to HTTP
// most quickly. A proxy may have removed the upgrade header: sec-websocket-key is then enough. Returns nothing if the
// client does not ask for a WebSocket, or no API has that path. Realtime sessions, which are not offered, get the same.
std::optional<api_error> refuse_websocket(std::string_view method, std::string_view path,
                                          std::span<const proxy::header_field> fields,
                                          std::span<const api* const> apis);

// `/v1` in front is optional, and a doubled one, a doubled slash around it or a slash at the end is forgiven, because
// clients' base URLs differ. Azure's clients have /openai before it, or name the model in the path:
// /openai/deployments/{model}/chat/completions.
// /v2/rerank is /v1/rerank.
std::variant<routed_request, api_error> route_request(std::string_view method, std::string_view path,
                                                      listener_role role,
                                                      std::span<const api* const> apis);

}  // namespace photofinish::gateway
