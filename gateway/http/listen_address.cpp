#include "gateway/http/listen_address.hpp"

#include "proxy/providers/url.hpp"
#include "proxy/words/parse_number.hpp"

namespace photofinish::gateway {

std::optional<listen_address> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const auto port = proxy::parse_number<std::uint16_t>(text.substr(colon + 1));
  if (!port) return std::nullopt;
  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  const bool is_v6 = host.find(':') != std::string_view::npos;
  if (is_bracketed != is_v6) return std::nullopt;
  if (!proxy::is_ip_address(host) && (is_v6 || !proxy::is_host_name(host))) return std::nullopt;
  return listen_address{std::string(host), *port};
}

std::string to_string(const listen_address& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

std::string listen_address_problem(std::string_view text) {
  const std::string form = "must be host:port";
  const std::string_view digits = text.substr(text.rfind(':') == std::string_view::npos ? 0 : text.rfind(':') + 1);
  const std::string_view host = text.substr(0, text.size() - digits.size());
  const bool has_port = parse_listen_address("localhost:" + std::string(digits)).has_value() && !digits.empty();
  if (has_port && (host.empty() || host == ":" || host == "*:"))
    return form + ": write 127.0.0.1:" + std::string(digits) + " (this machine alone) or 0.0.0.0:" +
           std::string(digits) + " (all of its addresses)";
  const std::string bare(text);
  if (proxy::is_ip_address(bare)) {
    const std::string meant = to_string({bare, 7777});
    return form + ": the port is missing, as in " + (meant.starts_with('[') ? "'" + meant + "'" : meant);
  }
  if (has_port && host.find(':') + 1 < host.size() && proxy::is_ip_address(host.substr(0, host.size() - 1)))
    return form + ": write '[" + std::string(host.substr(0, host.size() - 1)) + "]:" + std::string(digits) + "'";
  return form + ", as in 127.0.0.1:7777 or '[::1]:7777'";
}

}  // namespace photofinish::gateway
