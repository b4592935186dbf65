#include "gateway/store/redis_url.hpp"

#include "proxy/json/character_set.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <cstddef>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_host = 253, longest_part = 1024;
constexpr unsigned most_databases = 16'384;

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const auto number = proxy::parse_number<Number>(text);
  if (number) into = *number;
  return number.has_value();
}

std::optional<std::string> decoded(std::string_view text) {
  if (text.size() > longest_part) return std::nullopt;
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      made += text[at];
      continue;
    }
    const int high = at + 2 < text.size() ? proxy::hex_digit(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? proxy::hex_digit(text[at + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    made += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return made;
}

bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= longest_host && proxy::consists_of_letters(host, "-._:");
}

bool read_user(std::string_view text, redis_place& into) {
  const std::size_t colon = text.find(':');
  const auto user = decoded(text.substr(0, colon));
  const auto password = decoded(colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1));
  if (!user || !password) return false;
  into.user = *user;
  into.password = proxy::secret(*password);
  return into.user.empty() || !into.password.empty();
}

bool read_host(std::string_view text, redis_place& into) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    into.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    into.host = text.substr(0, colon);
    port = text.substr(colon);
  }
  if (!is_host(into.host)) return false;
  if (port.empty()) return true;
  return port.starts_with(':') && read_number(port.substr(1), into.port) && into.port != 0;
}

}  // namespace

std::string redis_place::shown() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return name + ":" + std::to_string(port);
}

std::optional<redis_place> parse_sentinel_address(std::string_view text) {
  redis_place made;
  made.port = 26379;
  if (!read_host(text, made)) return std::nullopt;
  const bool is_bare_ipv6 = !text.starts_with('[') && made.host.find(':') != std::string::npos;
  return is_bare_ipv6 ? std::nullopt : std::optional(made);
}

std::optional<redis_place> read_redis_place(std::string_view host, std::string_view port) {
  redis_place made;
  if (!is_host(host) || !read_number(port, made.port) || made.port == 0) return std::nullopt;
  made.host = host;
  return made;
}

redis_url_result parse_redis_url(std::string_view text) {
  redis_place made;
  constexpr std::string_view plain = "redis://", tls = "rediss://";
  made.is_tls = text.starts_with(tls);
  if (!made.is_tls && !text.starts_with(plain))
    return {std::nullopt, "must be a URL like redis://user:password@host:6379/0, or rediss:// for TLS"};
  text.remove_prefix(made.is_tls ? tls.size() : plain.size());
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view path = text.substr(slash);
  std::string_view authority = text.substr(0, slash);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    if (!read_user(authority.substr(0, at), made))
      return {std::nullopt, "must have credentials as user:password or :password, with %40 for @ and %2F for /"};
    authority.remove_prefix(at + 1);
  }
  if (!read_host(authority, made)) return {std::nullopt, "must name a host; a port must be from 1 to 65535"};
  if (path.size() > 1 && (!read_number(path.substr(1), made.database) || made.database >= most_databases))
    return {std::nullopt, "may have no path except the number of a database, such as /0"};
  return {std::move(made), {}};
}

}  // namespace photofinish::gateway
