// One HTTP request of a client. The request owns the bytes of its head, and later the bytes of its body. [pure]
#pragma once

#include "proxy/http/http_head.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// A request. The head is read first, and the body only if the gateway still needs it.
struct client_request {
  std::unique_ptr<char[]> head;  // the bytes of the head; the views below refer to them
  std::string_view method;
  std::string_view path;   // the raw text of the request target before '?'
  std::string_view query;  // the raw text of the request target after '?'
  std::string_view host;
  std::vector<proxy::header_field> fields;  // the header fields, with names in lower case

  bool is_http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool has_body = false;
  std::optional<std::uint64_t> body_bytes;  // the body length from content-length; not set if the body is chunked
  proxy::instant received_at;               // the time when the newest byte of the head or the body arrived
  std::string body;
  proxy::memory_share memory;  // the memory reservation for the body

  // Returns the value of the first field with that name. Returns an empty text if there is none.
  std::string_view field(std::string_view lower_case_name) const {
    for (const auto& [name, value] : fields)
      if (name == lower_case_name) return value;
    return {};
  }
};

}  // namespace photofinish::gateway
