// "host:port" and "[v6]:port", as in the configuration, PHOTOFINISH_LISTEN and --listen. [pure]
#pragma once

#include "gateway/config.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The host is an IP address or a name and never left out; port 0 asks the system for a free one.
std::optional<listen_address> parse_listen_address(std::string_view text);
std::string to_string(const listen_address& address);

}  // namespace photofinish::gateway
