#include "proxy/failures/failure.hpp"

#include <utility>

namespace photofinish::proxy {

failure bad_stream(std::string detail) { return {.kind = failure_kind::bad_stream, .detail = std::move(detail)}; }

bool failure::is_retryable() const {
  switch (kind) {
    case failure_kind::auth:
    case failure_kind::bad_request:
    case failure_kind::quota:
    case failure_kind::cancelled:
      return false;
    default:
      return true;
  }
}

std::string_view to_string(failure_kind kind) {
  switch (kind) {
    case failure_kind::dns: return "dns";
    case failure_kind::connect: return "connect";
    case failure_kind::tls: return "tls";
    case failure_kind::timeout: return "timeout";
    case failure_kind::rate_limited: return "rate_limited";
    case failure_kind::quota: return "quota";
    case failure_kind::auth: return "auth";
    case failure_kind::bad_request: return "bad_request";
    case failure_kind::server_error: return "server_error";
    case failure_kind::bad_stream: return "bad_stream";
    case failure_kind::stall: return "stall";
    case failure_kind::crawl: return "crawl";
    case failure_kind::cancelled: return "cancelled";
    case failure_kind::busy: return "busy";
  }
  return "unknown";
}

}  // namespace photofinish::proxy
