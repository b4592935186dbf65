// Which endpoint a request asks for. [pure]
#pragma once

#include "gateway/api_error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

enum class endpoint { chat_completions, models, model, provider_stats, metrics, live, ready };

// What a listener serves: with `admin` configured, metrics and probes are on the admin listener alone.
enum class listener_role { everything, api, admin };

struct routed_request {
  endpoint to;
  std::string model;  // with endpoint::model: its id, unescaped
};

// What a path names on any listener, by whatever method; none where nothing is served.
std::optional<endpoint> endpoint_of(std::string_view path);

// `/v1` in front is optional, and a doubled one is forgiven: clients' base URLs differ.
std::variant<routed_request, api_error> route_request(std::string_view method, std::string_view path,
                                                      listener_role role);

}  // namespace photofinish::gateway
