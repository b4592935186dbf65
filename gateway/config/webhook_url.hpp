// The URL to which alerts are posted: any path and query, because services keep their secrets there. [pure]
#pragma once

#include "proxy/providers/provider.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct webhook_url {
  proxy::base_url origin;  // the URL without its path
  std::string path;        // path and query as written; at least "/"
};

struct webhook_url_result {
  std::optional<webhook_url> url;
  std::string problem;  // the reason why there is no URL, for people; it contains nothing of the URL
};

// Parses an http or https URL without user and fragment.
webhook_url_result parse_webhook_url(std::string_view text);

}  // namespace photofinish::gateway
