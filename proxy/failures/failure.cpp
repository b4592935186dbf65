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

}  // namespace photofinish::proxy
