// Reads base URLs strictly: accepts only a plain scheme, host, port and path. [pure but for inet_pton]
#pragma once

#include "proxy/providers/base_url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct base_url_result {
  std::optional<base_url> url;
  std::string problem;  // the reason if there is no URL, for people; never contains a password
};

// Reads a text such as "https://host:port/path". Rejects a user, a query and a fragment. An IPv6 address must be in
// brackets. Slashes at the end are dropped.
base_url_result parse_base_url(std::string_view text);

// Returns the URL as text, without the default port.
std::string to_string(const base_url& url);

// Returns the value of a Host header, without the default port, and with an IPv6 address in brackets.
std::string host_field(const base_url& url);

// True for localhost and names below it, 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped into IPv6, all without brackets.
bool is_loopback(std::string_view host);

// Appends the text for a segment of a path or a word of a query. Writes all characters except letters,
// digits and ._~- as %XX.
void append_percent_encoded(std::string_view text, std::string& out);
std::string percent_encoded(std::string_view text);

bool is_ip_address(std::string_view host);  // true for dotted IPv4, or IPv6 without brackets
bool is_host_name(std::string_view host);   // true for labels of letters, digits, - and _ whose last is not a number

}  // namespace photofinish::proxy
