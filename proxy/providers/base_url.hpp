// The address of a server, split into scheme, host, port and path: https://host:port/path. [pure]
#pragma once

#include <cstdint>
#include <string>

namespace photofinish::proxy {

// `path` has no slash at its end and may be empty.
struct base_url {
  bool is_tls = true;
  std::string host;  // lower case; an IPv6 address without its brackets
  std::uint16_t port = 443;
  std::string path;

  bool operator==(const base_url&) const = default;
};

}  // namespace photofinish::proxy
