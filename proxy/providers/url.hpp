// Parses base URLs strictly. [pure but for inet_pton] A base URL may consist only of scheme, host, port and path.
#pragma once

#include "proxy/providers/base_url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct base_url_result {
  std::optional<base_url> url;
  std::string problem;  // a readable error text if there is no URL; the text never contains a password
};

// Parses a text such as "https://host:port/path". Rejects user names, queries and fragments. An IPv6 address must be in
// brackets. Slashes at the end are dropped.
base_url_result parse_base_url(std::string_view text);

// Returns the URL as text, without the default port.
std::string to_string(const base_url& url);

// Returns the value of a Host header, without the default port, and with an IPv6 address in brackets.
std::string host_field(const base_url& url);

// True for localhost and its subdomains, for ::1, and for 127.0.0.0/8, also if such an address is mapped into IPv6.
// IPv6 addresses must not have brackets.
bool is_loopback(std::string_view host);

// Appends text as a segment of a path or a word of a query. All characters except letters, digits and ._~- are written
// as %XX.
void append_percent_encoded(std::string_view text, std::string& out);
std::string percent_encoded(std::string_view text);

bool is_ip_address(std::string_view host);  // true for IPv4 in dotted form and for IPv6 without brackets
// True if each label consists of letters, digits, - and _, and the last label is not a number.
bool is_host_name(std::string_view host);

}  // namespace photofinish::proxy
