// Which HTTP headers a configuration may name. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

std::string lower_case(std::string_view name);

bool is_header_name(std::string_view name);    // RFC 9110 token
bool is_header_value(std::string_view value);  // visible text, spaces and tabs within: no CR, LF, NUL

// A header value without any space: what a key must be to travel in one.
bool is_sendable_key(std::string_view key);

// Belongs to the connection, or is set by the gateway itself: host, content-length, connection, …
bool is_reserved_header(std::string_view lower_case_name);

// Carries a key: authorization, cookie, x-api-key, x-provider-key-…
bool is_credential_header(std::string_view lower_case_name);

}  // namespace photofinish::gateway
