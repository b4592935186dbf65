// Checks the size limit of an answer that the gateway buffers completely. [pure]
#pragma once

#include "proxy/failures/failure.hpp"
#include "proxy/failures/result.hpp"

#include <cstddef>
#include <string>

namespace photofinish::gateway {

constexpr std::size_t max_kept_answer = 64u << 20;  // in bytes

inline proxy::result<void> check_kept(std::size_t bytes) {
  if (bytes <= max_kept_answer) return {};
  return proxy::failure{.kind = proxy::failure_kind::bad_stream,
                        .origin = proxy::failure_origin::gateway,
                        .detail = "the answer is longer than " + std::to_string(max_kept_answer) + " bytes"};
}

}  // namespace photofinish::gateway
