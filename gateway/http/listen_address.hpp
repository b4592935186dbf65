// Reads "host:port" or "[v6]:port" from the configuration, from PHOTOFINISH_LISTEN or from --listen. [pure]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct listen_address {
  std::string host;  // a host name, or an IP address without brackets
  std::uint16_t port = 7777;

  bool operator==(const listen_address&) const = default;
};

// Reads an address. The host is required, and is an IP address or a name. If the port is 0, the system chooses a free
// port.
std::optional<listen_address> parse_listen_address(std::string_view text);
std::string to_string(const listen_address& address);

// Returns an error that explains why the text is not an address, and suggests the complete corrected value: "must be
// host:port: write 127.0.0.1:8080 (this machine alone) or 0.0.0.0:8080 (all of its addresses)".
std::string listen_address_problem(std::string_view text);

}  // namespace photofinish::gateway
