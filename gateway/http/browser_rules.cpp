#include "gateway/http/browser_rules.hpp"

#include "proxy/json/character_set.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

using proxy::equals_ignoring_case;
using proxy::find_field;

// The response headers that a web page may read. They are listed one by one, because CORS has no wildcards for
// prefixes.
constexpr std::string_view exposed_headers =
    "x-request-id, x-race-winner, x-race-continued-by, x-race-attempts, x-race-ttft-ms, x-race-skipped, "
    "x-race-dropped, x-race-policy, x-race-id, x-race-deadline, x-race-cost-usd, server-timing, "
    "retry-after, retry-after-ms, x-should-retry, request-id, x-token-count, x-cache, age, "
    "x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, "
    "x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens, "
    "x-photofinish-key-spend-usd, x-photofinish-key-budget-usd, x-photofinish-key-budget-reset";
// The headers that a preflight response allows if the preflight does not list any.
constexpr std::string_view usual_headers = "authorization, content-type";
constexpr std::string_view preflight_max_age_seconds = "7200";  // the maximum time for which Chromium caches a
                                                                // preflight
constexpr std::size_t max_echoed_bytes = 4096;

// True if the text is one of the four numbers of an IPv4 address. Leading zeros are rejected, because some programs
// read such a number as octal.
bool is_octet(std::string_view text) {
  if (text.empty() || text.size() > 3 || !proxy::decimal_digits.holds_all(text)) return false;
  if (text.size() > 1 && text[0] == '0') return false;
  return text.size() < 3 || text <= "255";
}

bool is_loopback_ipv4(std::string_view host) {
  if (!host.starts_with("127.")) return false;
  int count = 0;
  for (std::size_t from = 0; from <= host.size(); ++count) {
    const std::size_t dot = std::min(host.find('.', from), host.size());
    if (!is_octet(host.substr(from, dot - from))) return false;
    from = dot + 1;
  }
  return count == 4;
}

struct authority {
  // a host name or an IP address; an IPv6 address has no brackets
  std::string_view host;
  std::string_view port = {};
  bool is_valid = false;
};

authority split_authority(std::string_view text) {
  std::string_view port;
  authority split;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return {};
    split.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    split.host = text.substr(0, colon);
    port = text.substr(colon);
  }
  split.is_valid = port.empty() || (port[0] == ':' && proxy::decimal_digits.holds_all(port.substr(1)));
  if (!port.empty()) split.port = port.substr(1);
  return split;
}

// Compares a host with one entry of allowed_hosts. An entry without a port matches any port, because clients leave out
// the default port, and a proxy may add its own port.
bool fits_pattern(const authority& asked, std::string_view pattern) {
  if (pattern == "*") return true;
  const bool is_for_names_below = pattern.starts_with("*.");
  // An entry such as "*.example.com" matches every host that ends with ".example.com".
  const authority known = split_authority(pattern.substr(is_for_names_below ? 1 : 0));
  if (!known.port.empty() && known.port != asked.port) return false;
  if (!is_for_names_below) return equals_ignoring_case(asked.host, known.host);
  if (asked.host.size() <= known.host.size()) return false;
  return equals_ignoring_case(asked.host.substr(asked.host.size() - known.host.size()), known.host);
}

bool is_loopback_origin(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_case(origin.substr(0, scheme.size()), scheme)) continue;
    const authority from = split_authority(origin.substr(scheme.size()));
    return from.is_valid && is_loopback_host(from.host);
  }
  return false;
}

// True if the origin belongs to a desktop app instead of a web site.
bool is_desktop_origin(std::string_view origin) {
  for (const std::string_view known : {"tauri://localhost", "http://tauri.localhost", "https://tauri.localhost",
                                       "capacitor://localhost"})
    if (equals_ignoring_case(origin, known)) return true;
  for (const std::string_view scheme : {"app://", "vscode-webview://"}) {
    if (!equals_ignoring_case(origin.substr(0, scheme.size()), scheme)) continue;
    const std::string_view host = origin.substr(scheme.size());
    return host.empty() || proxy::is_token(host);
  }
  return false;
}

std::string echoed_headers(std::string_view requested) {
  std::string echoed;
  for (std::string_view name; echoed.size() < max_echoed_bytes && proxy::next_list_member(requested, name);)
    if (proxy::is_token(name)) echoed.append(echoed.empty() ? "" : ", ").append(name);
  return echoed.empty() ? std::string(usual_headers) : echoed;
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  return equals_ignoring_case(host, "localhost") || host == "::1" || is_loopback_ipv4(host);
}

bool is_origin_allowed(std::string_view origin, const listen_address& listener,
                       std::span<const std::string> cors_origins) {
  return is_loopback_origin(origin) || (is_loopback_host(listener.host) && is_desktop_origin(origin)) ||
         std::any_of(cors_origins.begin(), cors_origins.end(), [origin](const std::string& known) {
           return known == "*" || equals_ignoring_case(known, origin);
         });
}

std::optional<refusal> check_origin(std::span<const proxy::header_field> fields, const listen_address& listener,
                                    std::span<const std::string> cors_origins) {
  const std::size_t count = proxy::count_fields(fields, "origin");
  if (count == 0) return {};
  if (count == 1 && is_origin_allowed(find_field(fields, "origin"), listener, cors_origins)) return {};
  return refusal{403, "this Origin is not allowed: ask the operator to add it to cors_origins",
                 "origin_not_allowed"};
}

bool is_host_allowed(std::string_view host, std::span<const std::string> allowed_hosts) {
  const authority asked = split_authority(host);
  return asked.is_valid && std::any_of(allowed_hosts.begin(), allowed_hosts.end(),
                                       [&](const std::string& known) { return fits_pattern(asked, known); });
}

std::optional<refusal> check_host(std::string_view host, const listen_address& listener,
                                  std::span<const std::string> allowed_hosts) {
  if (host.empty() || !is_loopback_host(listener.host)) return {};
  const authority asked = split_authority(host);
  if (asked.is_valid && (equals_ignoring_case(asked.host, listener.host) || is_loopback_host(asked.host))) return {};
  if (is_host_allowed(host, allowed_hosts)) return {};
  return refusal{403,
                 "this Host is not served on a loopback address: call localhost, 127.0.0.1 or [::1], or ask the "
                 "operator to add this Host to allowed_hosts",
                 "host_not_allowed"};
}

header_list refusal_cors_headers(std::span<const proxy::header_field> fields) {
  if (proxy::count_fields(fields, "origin") != 1) return {};
  return {{"access-control-allow-origin", std::string(find_field(fields, "origin"))}, {"vary", "origin"}};
}

header_list cors_headers(std::span<const proxy::header_field> fields) {
  const std::string origin(find_field(fields, "origin"));
  if (origin.empty()) return {};
  return {{"access-control-allow-origin", origin},
          {"access-control-expose-headers", std::string(exposed_headers)},
          {"timing-allow-origin", origin},  // without this header, scripts of the page cannot read server-timing
          {"vary", "origin"}};
}

bool is_preflight(std::string_view method, std::span<const proxy::header_field> fields) {
  return method == "OPTIONS" && proxy::count_fields(fields, "origin") == 1 &&
         proxy::count_fields(fields, "access-control-request-method") > 0;
}

header_list preflight_headers(std::span<const proxy::header_field> fields) {
  header_list headers{
      {"access-control-allow-origin", std::string(find_field(fields, "origin"))},
      {"access-control-allow-methods", "GET, HEAD, POST, DELETE, OPTIONS"},
      {"access-control-allow-headers", echoed_headers(find_field(fields, "access-control-request-headers"))},
      {"access-control-max-age", std::string(preflight_max_age_seconds)},
      {"vary", "origin, access-control-request-method, access-control-request-headers"}};
  if (equals_ignoring_case(find_field(fields, "access-control-request-private-network"), "true"))
    headers.emplace_back("access-control-allow-private-network", "true");
  return headers;
}

}  // namespace photofinish::gateway
