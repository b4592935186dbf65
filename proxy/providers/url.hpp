// Reads base URLs strictly: accepts only a plain scheme, host, port and path. [pure but for inet_pton]
#pragma once

#include "proxy/providers/base_url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct base_url_result {
  std::optional<base_url> url;
  std::string problem;  // if there is no URL: the reason, for people; never contains a password
};

// "https://host:port/path". No user, query or fragment; IPv6 in brackets; slashes at the end are dropped.
base_url_result parse_base_url(std::string_view text);

// Returns the URL as text, without the default port.
std::string to_string(const base_url& url);

// Returns the value of a Host header: no default port, and IPv6 in brackets.
std::string host_field(const base_url& url);

// True for localhost and names below it, 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped into IPv6, all without brackets.
bool is_loopback(std::string_view host);

// Writes all characters but letters, digits and ._~- as %XX, for a segment of a path or a word of a query.
void append_percent_encoded(std::string_view text, std::string& out);
std::string percent_encoded(std::string_view text);

bool is_ip_address(std::string_view host);  // dotted IPv4, or IPv6 without brackets
bool is_host_name(std::string_view host);   // labels of letters, digits, - and _; the name does not end in a number

}  // namespace photofinish::proxy
