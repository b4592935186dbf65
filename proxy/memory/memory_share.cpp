#include "proxy/memory/memory_share.hpp"

#include <string>

namespace photofinish::proxy {

failure no_memory_for(std::string_view what) {
  failure why;
  why.kind = failure_kind::bad_stream;
  why.origin = failure_origin::gateway;
  why.code = "gateway_overloaded";
  why.detail = "max_memory left no room for " + std::string(what);
  return why;
}

}  // namespace photofinish::proxy
