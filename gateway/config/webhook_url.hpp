// The URL to which alerts are posted. It may have any path and query, because services have their secrets there. [pure]
#pragma once

#include "proxy/providers/provider.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct webhook_url {
  proxy::base_url origin;  // the scheme, host and port of the URL
  std::string path;        // the path and query as they are written in the URL; at least "/"
};

struct webhook_url_result {
  std::optional<webhook_url> url;
  std::string problem;  // the reason why the URL is invalid; contains no part of the URL
};

// Parses an http or https URL. The URL must have no user and no fragment.
webhook_url_result parse_webhook_url(std::string_view text);

}  // namespace photofinish::gateway
