#include "proxy/providers/url.hpp"

#include "proxy/json/character_set.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/parse_number.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace photofinish::proxy {
namespace {

bool is_ipv4(std::string_view host) {
  in_addr address{};
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

std::optional<in6_addr> ipv6(std::string_view host) {
  in6_addr address{};
  if (inet_pton(AF_INET6, std::string(host).c_str(), &address) != 1) return std::nullopt;
  return address;
}

bool is_path_letter(char letter) {
  return is_letter(letter) || is_digit(letter) ||
         std::string_view("/-._~!$&'()*+,;=:@%").find(letter) != std::string_view::npos;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const auto port = parse_number<std::uint16_t>(text);
  return port == 0 ? std::nullopt : port;
}

base_url_result refused(std::string why) { return {std::nullopt, std::move(why)}; }

// Splits "host:port" or "[v6]:port" into the members of `url`. Returns an error text, or an empty string on success.
std::string read_authority(std::string_view authority, base_url& url) {
  if (authority.find('@') != std::string_view::npos)
    return "must not contain a user or password: put the key in api_key";
  std::string_view after_host;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos || !ipv6(authority.substr(1, close - 1)))
      return "has no valid IPv6 address in its brackets";
    url.host = ascii_lower(authority.substr(1, close - 1));
    after_host = authority.substr(close + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    const std::string_view host = authority.substr(0, colon);
    if (host.empty()) return "has no host";
    if (!is_ipv4(host) && !is_host_name(host)) return "has no valid host";
    url.host = ascii_lower(host);
    after_host = authority.substr(colon);
  }
  if (after_host.empty()) return {};
  const auto port = after_host.front() == ':' ? parse_port(after_host.substr(1)) : std::nullopt;
  if (!port) return "has no valid port (1 to 65535)";
  url.port = *port;
  return {};
}

}  // namespace

base_url_result parse_base_url(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  const std::string scheme = ascii_lower(text.substr(0, std::min(scheme_end, text.size())));
  if (scheme_end == std::string_view::npos || (scheme != "http" && scheme != "https"))
    return refused("must begin with https:// or http://");

  base_url url;
  url.is_tls = scheme == "https";
  url.port = url.is_tls ? 443 : 80;
  const std::string_view rest = text.substr(scheme_end + 3);
  const std::size_t authority_end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string problem = read_authority(rest.substr(0, authority_end), url);
  if (!problem.empty()) return refused(std::move(problem));

  std::string_view path = rest.substr(authority_end);
  if (path.find_first_of("?#") != std::string_view::npos) return refused("must not contain a query or fragment");
  if (!std::all_of(path.begin(), path.end(), is_path_letter))
    return refused("has a path with a character that is not allowed in URLs");
  while (path.ends_with('/')) path.remove_suffix(1);
  url.path = path;
  return {std::move(url), {}};
}

std::string to_string(const base_url& url) {
  return (url.is_tls ? "https://" : "http://") + host_field(url) + url.path;
}

std::string host_field(const base_url& url) {
  const bool is_ipv6 = url.host.find(':') != std::string::npos;
  std::string host = is_ipv6 ? "[" + url.host + "]" : url.host;
  const bool is_default_port = url.port == (url.is_tls ? 443 : 80);
  if (!is_default_port) host.append(":").append(std::to_string(url.port));
  return host;
}

bool is_loopback(std::string_view host_text) {
  const std::string host = ascii_lower(host_text);
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  if (is_ipv4(host)) return host.starts_with("127.");
  const auto address = ipv6(host);
  if (!address) return false;
  if (IN6_IS_ADDR_LOOPBACK(&*address)) return true;
  return IN6_IS_ADDR_V4MAPPED(&*address) && address->s6_addr[12] == 127;
}

void append_percent_encoded(std::string_view text, std::string& out) {
  constexpr character_set unreserved{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-"};
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char each : text) {
    if (unreserved.holds(each)) out += each;
    else out.append("%").append(1, digits[static_cast<unsigned char>(each) >> 4]).append(1, digits[each & 15]);
  }
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  append_percent_encoded(text, out);
  return out;
}

bool is_ip_address(std::string_view host) { return is_ipv4(host) || ipv6(host).has_value(); }

bool is_host_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty() || host.size() > 253) return false;
  std::string_view label;
  while (!host.empty()) {
    const std::size_t dot = std::min(host.find('.'), host.size());
    label = host.substr(0, dot);
    const auto is_allowed = [](char each) {
      return is_letter(each) || is_digit(each) || each == '-' || each == '_';
    };
    if (label.empty() || label.size() > 63 || !std::all_of(label.begin(), label.end(), is_allowed))
      return false;
    if (label.front() == '-' || label.back() == '-') return false;
    if (dot + 1 == host.size()) return false;  // a host name must not end in two dots
    host.remove_prefix(std::min(dot + 1, host.size()));
  }
  // Rejects host names such as 1.2.3 and 127.1, because some resolvers would read them as addresses.
  return !std::all_of(label.begin(), label.end(), is_digit);
}

}  // namespace photofinish::proxy
