// The URL that alerts are posted to: any path and query, since services keep their secrets there. [pure]
#pragma once

#include "proxy/providers/provider.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct webhook_url {
  proxy::base_url origin;  // without a path
  std::string path;        // with its query, as written; at least "/"
};

struct webhook_url_result {
  std::optional<webhook_url> url;
  std::string problem;  // why there is none, for a person; it repeats nothing of the URL
};

// http or https, without user and fragment.
webhook_url_result parse_webhook_url(std::string_view text);

}  // namespace photofinish::gateway
