// Converts a provider's error answer to a failure.
#pragma once

#include "proxy/failures/error_shapes.hpp"
#include "proxy/http/http_message.hpp"

#include <chrono>
#include <string_view>

namespace photofinish::proxy {

// Returns the failure for an error answer. `body` is the part of the answer's body that was read. It is empty if the
// body is compressed.
inline failure read_refusal(const response_head& head, std::string_view body) {
  const error_response response{.status = head.status,
                                .content_type = head.field("content-type"),
                                .type = head.field("x-amzn-errortype"),
                                .retry_after = head.field("retry-after"),
                                .retry_after_ms = head.field("retry-after-ms"),
                                .body = body};
  return read_error(response, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

}  // namespace photofinish::proxy
