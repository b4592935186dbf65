// Decides which HTTP headers a configuration may name. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

std::string lower_case(std::string_view name);

bool is_header_name(std::string_view name);  // true if the name is a valid `token` by RFC 9110
// True for visible text, which may contain spaces and tabs except at its ends. CR, LF and NUL are not allowed.
bool is_header_value(std::string_view value);

// True if the text is a valid header value without spaces. A key must be valid in this way to be sent in a header.
bool is_sendable_key(std::string_view key);

// True if the header concerns only the connection, or if the gateway sets it itself: host, content-length, connection,
// …
bool is_reserved_header(std::string_view lower_case_name);

// True if the header carries a key or another credential: authorization, cookie, x-api-key, x-provider-key-…
bool is_credential_header(std::string_view lower_case_name);

}  // namespace photofinish::gateway
