#include "gateway/ingress/forwarded_for.hpp"

#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <cstdint>

namespace photofinish::gateway {

std::optional<proxied_peer> parse_forwarded(std::string_view entry) {
  entry = proxy::trim_space(entry);
  std::string_view host = entry, port;
  if (entry.starts_with('[')) {
    const std::size_t end = entry.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = entry.substr(1, end - 1);
    port = entry.substr(end + 1);
    if (host.find(':') == std::string_view::npos || (!port.empty() && port.front() != ':')) return std::nullopt;
  } else if (std::count(entry.begin(), entry.end(), ':') == 1) {
    host = entry.substr(0, entry.find(':'));
    port = entry.substr(host.size());
  }
  const std::optional<ip_bytes> address = parse_ip(host);
  const auto number = port.empty() ? std::uint16_t{0} : proxy::parse_number<std::uint16_t>(port.substr(1));
  if (!address || !number) return std::nullopt;
  return proxied_peer{*address, *number};
}

std::optional<proxied_peer> forwarded_peer(const ip_bytes& peer, std::span<const proxy::header_field> fields,
                                           std::span<const address_range> trusted) {
  if (!holds(trusted, peer)) return std::nullopt;
  std::optional<proxied_peer> found;
  std::size_t looked_at = 0;
  for (std::size_t at = fields.size(); at > 0; --at) {
    const auto& [name, value] = fields[at - 1];
    if (!proxy::equals_ignoring_case(name, "x-forwarded-for")) continue;
    for (std::string_view rest = value;; rest = rest.substr(0, rest.rfind(','))) {
      found = parse_forwarded(rest.substr(rest.rfind(',') + 1));
      if (!found || !holds(trusted, found->address) || ++looked_at == most_forwarded) return found;
      if (rest.find(',') == std::string_view::npos) break;
    }
  }
  return found;
}

bool is_forwarded_https(const ip_bytes& peer, std::span<const proxy::header_field> fields,
                        std::span<const address_range> trusted) {
  if (!holds(trusted, peer)) return false;
  std::string_view last;
  for (const auto& [name, value] : fields)
    if (proxy::equals_ignoring_case(name, "x-forwarded-proto")) last = value;
  return proxy::equals_ignoring_case(proxy::trim_space(last.substr(last.rfind(',') + 1)), "https");
}

}  // namespace photofinish::gateway
