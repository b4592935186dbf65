// One HTTP request of a client, which owns its head, and later its body. [pure]
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

// The head is read first, and the body only if the caller still wants it.
struct client_request {
  std::unique_ptr<char[]> head;  // bytes of the head; the members below are views of them
  std::string_view method;
  std::string_view path;  // raw text without the query
  std::string_view query;  // the raw text after '?'
  std::string_view host;
  std::vector<proxy::header_field> fields;  // names are lower case

  bool is_http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool has_body = false;
  std::optional<std::uint64_t> body_bytes;  // the announced length; empty if the body is chunked
  proxy::instant received_at;  // the time of the head's last byte; later, of the body's last byte
  std::string body;
  proxy::memory_share memory;  // memory that pays for the body

  // The first field of that name, or an empty value.
  std::string_view field(std::string_view lower_case_name) const {
    for (const auto& [name, value] : fields)
      if (name == lower_case_name) return value;
    return {};
  }
};

}  // namespace photofinish::gateway
