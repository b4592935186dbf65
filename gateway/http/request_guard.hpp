// Rejects requests that HTTP parsers accept but this gateway does not. It checks the head of every request first.
// [pure] A refused head leaves the connection in an unknown state: the caller must answer, then close it.
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
  std::size_t max_body = 32u << 20;  // a chunked body's size is known only while it is read
};

// The parts of an accepted head. The views are valid as long as the guarded bytes.
struct guarded_request {
  std::string_view method;
  std::string_view target;  // the origin-form with its query, or "*" with OPTIONS only
  proxy::http_version version = proxy::http_version::v1_1;
  bool keep_alive = true;
  std::string_view host;  // host[:port]; empty if an HTTP/1.0 request has no Host
  proxy::body_framing framing;
  bool expects_continue = false;  // true if the gateway must send 100 before it reads the body
  std::vector<proxy::header_field> fields;
};

// Accepts a head or refuses it. The status of a refusal is 400 (malformed), 413 (body too large), 417 (unknown
// expectation), 431 (head too large), 501 (CONNECT or a transfer coding), or 505 (another HTTP version).
std::variant<guarded_request, refusal> guard_request(std::string_view head, const guard_limits& limits = {});

// True if `text` is `host[:port]` with a name, an IPv4 address, or an IPv6 address in brackets.
bool is_authority(std::string_view text);

}  // namespace photofinish::gateway
