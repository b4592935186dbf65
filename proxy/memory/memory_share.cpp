#include "proxy/memory/memory_share.hpp"

#include <string>

namespace photofinish::proxy {

failure no_memory_for(std::string_view what) {
  return {.kind = failure_kind::bad_stream,
          .origin = failure_origin::gateway,
          .detail = "max_memory left no room for " + std::string(what),
          .code = "gateway_overloaded"};
}

}  // namespace photofinish::proxy
