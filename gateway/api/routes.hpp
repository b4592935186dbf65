// Which endpoint a request asks for. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {

enum class endpoint { chat_completions, models, model, provider_stats, metrics, live, ready, root };

// What a listener serves: with `admin` configured, metrics and probes are on the admin listener alone.
enum class listener_role { everything, api, admin };

struct routed_request {
  endpoint to;
  std::string model;  // with endpoint::model: its id, unescaped
};

// What a path names on any listener, by whatever method; none where nothing is served.
std::optional<endpoint> endpoint_of(std::string_view path);

// "POST /v1/chat/completions" and the like, as a listener of that role serves them.
std::vector<std::string> served_requests(listener_role role);

// `/v1` in front is optional, and a doubled one or a slash at the end is forgiven: clients' base URLs differ.
std::variant<routed_request, api_error> route_request(std::string_view method, std::string_view path,
                                                      listener_role role);

}  // namespace photofinish::gateway
