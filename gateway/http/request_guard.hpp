// Checks the head of every request before the request is used. The checks are stricter than those of common HTTP
// parsers. [pure] After a refusal the state of the connection is unknown: the caller must send the refusal and close
// the connection.
#pragma once

#include "gateway/http/refusal.hpp"
#include "proxy/http/http_head.hpp"

#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {

struct guard_limits {
  proxy::head_limits head;
  std::size_t max_body = 32u << 20;  // the limit for content-length; chunked bodies are checked while they are read
};

// The parts of an accepted head. The views stay valid as long as the bytes of the head.
struct guarded_request {
  std::string_view method;
  std::string_view target;  // the path with its query; "*" is allowed only for OPTIONS
  proxy::http_version version = proxy::http_version::v1_1;
  bool keep_alive = true;
  std::string_view host;  // host[:port]; empty if an HTTP/1.0 request has no Host
  proxy::body_framing framing;
  bool expects_continue = false;  // true if the gateway must first send the interim response "100 Continue"
  std::vector<proxy::header_field> fields;
};

// Checks a head. Returns its parts, or a refusal with one of these statuses: 400 (malformed), 413 (body too large), 417
// (unknown expectation), 431 (head too large), 501 (CONNECT or a transfer coding), or 505 (another HTTP version).
std::variant<guarded_request, refusal> guard_request(std::string_view head, const guard_limits& limits = {});

// True if `text` is `host[:port]` with a name, an IPv4 address, or an IPv6 address in brackets.
bool is_authority(std::string_view text);

}  // namespace photofinish::gateway
