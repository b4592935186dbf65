// The address of a server, split into scheme, host, port and path: https://host:port/path. [pure]
#pragma once

#include <cstdint>
#include <string>

namespace photofinish::proxy {

// The parts of a base URL. `path` has no slash at its end and may be empty.
struct base_url {
  bool is_tls = true;
  std::string host;  // the host in lower case; an IPv6 address has no brackets
  std::uint16_t port = 443;
  std::string path;

  bool operator==(const base_url&) const = default;
};

}  // namespace photofinish::proxy
