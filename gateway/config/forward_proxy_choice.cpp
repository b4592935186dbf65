#include "gateway/config/forward_proxy_choice.hpp"

#include "proxy/http/http_head.hpp"
#include "proxy/json/base64.hpp"
#include "proxy/providers/url.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/parse_number.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::base_url;

// Returns an address as 16 bytes. IPv4 addresses are mapped into IPv6, so that both kinds can be
// compared in the same way.
std::optional<std::array<std::uint8_t, 16>> bytes_of(std::string_view text) {
  const std::string address(text);
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return bytes;
  bytes = {};
  bytes[10] = bytes[11] = 0xFF;
  if (::inet_pton(AF_INET, address.c_str(), bytes.data() + 12) == 1) return bytes;
  return std::nullopt;
}

bool is_in_range(std::string_view range, std::string_view host) {
  const std::size_t slash = range.find('/');
  const auto network = bytes_of(range.substr(0, slash)), address = bytes_of(host);
  if (!network || !address) return false;
  unsigned bits = 128;
  if (slash != std::string_view::npos) {
    const auto size = proxy::parse_number<unsigned>(range.substr(slash + 1));
    if (!size) return false;
    bits = *size;
    // An IPv4 address is mapped to the last 32 of the 128 bits of an IPv6 address.
    if (range.find(':') == std::string_view::npos) bits += 96;
  }
  for (unsigned bit = 0; bit < std::min(bits, 128u); ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80 >> (bit % 8));
    if (((*network)[bit / 8] & mask) != ((*address)[bit / 8] & mask)) return false;
  }
  return bits <= 128;
}

// True for the host `name` itself, and for all names below it.
bool is_below(std::string_view host, std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  if (name.empty() || !host.ends_with(name)) return false;
  return host.size() == name.size() || host[host.size() - name.size() - 1] == '.';
}

bool names(std::string_view entry, const base_url& url) {
  if (entry == "*") return true;
  const std::string lower = proxy::lower_case(entry);
  std::string_view name = lower;
  const bool is_ipv6 = !name.starts_with('[') && std::count(name.begin(), name.end(), ':') > 1;
  const std::size_t colon = name.rfind(':');
  if (!is_ipv6 && colon != std::string_view::npos && name.find(']', colon) == std::string_view::npos) {
    if (name.substr(colon + 1) != std::to_string(url.port)) return false;
    name = name.substr(0, colon);
  }
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return proxy::is_ip_address(url.host) ? is_in_range(name, url.host) : is_below(url.host, name);
}

struct found_variable {
  std::string name, value;
};

// Reads a variable by either of its names. curl reads HTTP_PROXY only in lower case, because the client of a CGI script
// can set the upper-case name. This program is not a CGI script.
std::optional<found_variable> either(const environment& machine, const char* upper, const char* lower) {
  for (const char* name : {upper, lower})
    if (auto value = machine.variable(name)) return found_variable{name, std::move(*value)};
  return std::nullopt;
}

bool is_exempt_by(const environment& machine, const base_url& url) {
  const auto exempted = either(machine, "NO_PROXY", "no_proxy");
  return exempted && is_exempt(exempted->value, url);
}

forward_proxy_result of_the_environment(const found_variable& from) {
  forward_proxy_result read = parse_forward_proxy(from.value);
  if (read.problem.empty()) return read;
  return {std::nullopt, {}, "is reached without a proxy, because " + from.name + " is not usable: " + read.problem +
                                "; correct the proxy's URL, or name the provider's host in NO_PROXY"};
}

}  // namespace

forward_proxy_result parse_forward_proxy(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  if (scheme_end != std::string_view::npos) {
    if (proxy::lower_case(text.substr(0, scheme_end)) != "http")
      return {std::nullopt, "must begin with http://; https:// and socks proxies are not supported"};
    text.remove_prefix(scheme_end + 3);
  }
  std::string credentials;
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    credentials = proxy::base64_encoded(proxy::percent_decoded(text.substr(0, at)), proxy::base64_padding::wanted);
    text.remove_prefix(at + 1);
  }
  const proxy::base_url_result read = proxy::parse_base_url("http://" + std::string(text));
  if (!read.url) return {std::nullopt, read.problem};
  if (!read.url->path.empty()) return {std::nullopt, "must be a URL without a path"};
  return {proxy::forward_proxy{read.url->host, read.url->port, proxy::secret(std::move(credentials))}, {}};
}

bool is_exempt(std::string_view no_proxy, const base_url& url) {
  while (!no_proxy.empty()) {
    const std::size_t end = std::min(no_proxy.find_first_of(", \t"), no_proxy.size());
    if (end > 0 && names(no_proxy.substr(0, end), url)) return true;
    no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
  }
  return false;
}

forward_proxy_result forward_proxy_for(const base_url& url, const std::string& configured, const environment& machine) {
  if (configured == "none" || proxy::is_loopback(url.host)) return {};
  if (is_exempt_by(machine, url)) return {};
  if (!configured.empty()) {
    forward_proxy_result read = parse_forward_proxy(configured);
    if (!read.problem.empty()) read.problem = "proxy: " + read.problem;
    return read;
  }
  const auto found = url.is_tls ? either(machine, "HTTPS_PROXY", "https_proxy")
                                : either(machine, "HTTP_PROXY", "http_proxy");
  return found ? of_the_environment(*found) : forward_proxy_result{};
}

}  // namespace photofinish::gateway
