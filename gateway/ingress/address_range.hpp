// Ranges of IP addresses as the configuration has them: 10.0.0.0/8, fd00::/8, or one address. [pure but for inet_pton]
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// IPv6, or IPv4 mapped into it (::ffff:10.0.0.1): of both kinds of sockets one address has one form.
using ip_bytes = std::array<unsigned char, 16>;

// An address without brackets or port; none where it is not one.
std::optional<ip_bytes> parse_ip(std::string_view text);

struct address_range {
  ip_bytes first{};
  unsigned bits = 128;  // of `first` that count; of IPv4 96 more than it is written with

  bool operator==(const address_range&) const = default;
  bool holds(const ip_bytes& address) const;
};

// The range, or what is wrong with the text and what to write instead.
struct parsed_range {
  std::optional<address_range> range;
  std::string problem;
};
parsed_range parse_address_range(std::string_view text);

bool holds(std::span<const address_range> ranges, const ip_bytes& address);

}  // namespace photofinish::gateway
