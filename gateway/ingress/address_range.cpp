#include "gateway/ingress/address_range.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace photofinish::gateway {
namespace {

constexpr unsigned mapped_bits = 96;  // the length of the prefix ::ffff:0:0/96, which maps IPv4 addresses to IPv6

bool is_v4(std::string_view text) { return text.find(':') == std::string_view::npos; }

ip_bytes masked(ip_bytes address, unsigned bits) {
  for (unsigned at = 0; at < address.size(); ++at) {
    const unsigned counted = std::min(8u, bits - std::min(bits, at * 8));
    address[at] = static_cast<unsigned char>(address[at] & (0xFF00u >> counted));
  }
  return address;
}

std::string written(const ip_bytes& address, bool as_v4) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = as_v4 ? AF_INET : AF_INET6;
  ::inet_ntop(family, address.data() + (as_v4 ? 12 : 0), text.data(), text.size());
  return text.data();
}

}  // namespace

std::optional<ip_bytes> parse_ip(std::string_view text) {
  const std::string terminated(text);
  if (terminated.size() != terminated.find('\0') && terminated.find('\0') != std::string::npos) return std::nullopt;
  ip_bytes address{};
  if (is_v4(text)) {
    address[10] = address[11] = 0xFF;
    if (::inet_pton(AF_INET, terminated.c_str(), address.data() + 12) != 1) return std::nullopt;
  } else if (::inet_pton(AF_INET6, terminated.c_str(), address.data()) != 1) {
    return std::nullopt;
  }
  return address;
}

bool address_range::holds(const ip_bytes& address) const { return masked(address, bits) == first; }

parsed_range parse_address_range(std::string_view text) {
  const std::string quoted = "'" + std::string(text) + "' ";
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view host = text.substr(0, slash);
  const auto address = parse_ip(host);
  if (!address) return {std::nullopt, quoted + "is not a range of addresses, as in 10.0.0.0/8, fd00::/8 or 192.0.2.7"};
  const unsigned extra = is_v4(host) ? mapped_bits : 0;
  unsigned bits = 128 - extra;
  if (slash < text.size()) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (ec != std::errc{} || end != digits.data() + digits.size() || bits > 128 - extra)
      return {std::nullopt, quoted + "must have at most " + std::to_string(128 - extra) + " bits after the slash"};
  }
  const ip_bytes first = masked(*address, bits + extra);
  if (first != *address)
    return {std::nullopt, quoted + "has bits after its prefix: write " + written(first, extra > 0) + "/" +
                              std::to_string(bits)};
  return {address_range{first, bits + extra}, {}};
}

bool holds(std::span<const address_range> ranges, const ip_bytes& address) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const address_range& each) { return each.holds(address); });
}

}  // namespace photofinish::gateway
