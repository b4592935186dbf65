// Base URLs, read strictly: what is not plainly scheme, host, port and path is refused. [pure but for inet_pton]
#pragma once

#include "proxy/providers/base_url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct base_url_result {
  std::optional<base_url> url;
  std::string problem;  // why there is none, for a person; never repeats a password
};

// "https://host:port/path". No user, query or fragment; IPv6 in brackets; slashes at the end are dropped.
base_url_result parse_base_url(std::string_view text);

// The URL as text, without a port that goes without saying.
std::string to_string(const base_url& url);

// Its host and port, as a Host header has them: likewise, and IPv6 in brackets.
std::string host_field(const base_url& url);

// localhost and names below it, 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped into IPv6. Without brackets.
bool is_loopback(std::string_view host);

// All but letters, digits and ._~- as %XX: a segment of a path, a word of a query.
void append_percent_encoded(std::string_view text, std::string& out);
std::string percent_encoded(std::string_view text);

bool is_ip_address(std::string_view host);  // dotted IPv4, or IPv6 without brackets
bool is_host_name(std::string_view host);   // letters, digits, - _ in labels; no name that ends in a number

}  // namespace photofinish::proxy
