#include "gateway/listen_address.hpp"

#include "proxy/url.hpp"

#include <charconv>
#include <system_error>

namespace photofinish::gateway {

std::optional<listen_address> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);

  std::uint16_t port = 0;
  const char* end = digits.data() + digits.size();
  const auto [after, ec] = std::from_chars(digits.data(), end, port);
  if (ec != std::errc{} || after != end) return std::nullopt;

  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  const bool is_v6 = host.find(':') != std::string_view::npos;
  if (is_bracketed != is_v6) return std::nullopt;
  if (!proxy::is_ip_address(host) && (is_v6 || !proxy::is_host_name(host))) return std::nullopt;
  return listen_address{std::string(host), port};
}

std::string to_string(const listen_address& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace photofinish::gateway
