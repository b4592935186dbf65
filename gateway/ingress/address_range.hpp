// Ranges of IP addresses in the configuration: 10.0.0.0/8, fd00::/8, or a single address. [pure but for inet_pton]
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The bytes of an IPv6 address. An IPv4 address is mapped to IPv6 (::ffff:10.0.0.1). Therefore a client's address is
// the same on IPv4 and IPv6 sockets.
using ip_bytes = std::array<unsigned char, 16>;

// Reads an address without brackets or port. Returns nothing if the text is not an address.
std::optional<ip_bytes> parse_ip(std::string_view text);

struct address_range {
  ip_bytes first{};
  unsigned bits = 128;  // the number of fixed bits in `first`; for an IPv4 range, it is 96 more than the prefix length
                        // in the text

  bool operator==(const address_range&) const = default;
  bool holds(const ip_bytes& address) const;
};

// An address range, or an error text that suggests a correction.
struct parsed_range {
  std::optional<address_range> range;
  std::string problem;
};
parsed_range parse_address_range(std::string_view text);

bool holds(std::span<const address_range> ranges, const ip_bytes& address);

}  // namespace photofinish::gateway
