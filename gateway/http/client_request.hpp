// One HTTP request of a client: its head, and later its body, owned. [pure]
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

// The head is read first; the body only if the caller still wants it.
struct client_request {
  std::unique_ptr<char[]> head;  // its bytes, of which these are views
  std::string_view method;
  std::string_view path;  // raw, without the query
  std::string_view query;  // behind the '?', raw
  std::string_view host;
  std::vector<proxy::header_field> fields;  // names lower case

  bool is_http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool has_body = false;
  std::optional<std::uint64_t> body_bytes;  // as announced; none when chunked
  proxy::instant received_at;  // its last header byte; later its last body byte
  std::string body;
  proxy::memory_share memory;  // that the body takes

  // The first field of that name; empty when there is none.
  std::string_view field(std::string_view lower_case_name) const {
    for (const auto& [name, value] : fields)
      if (name == lower_case_name) return value;
    return {};
  }
};

}  // namespace photofinish::gateway
