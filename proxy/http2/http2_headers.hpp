// Converts a request's head to HTTP/2 fields, and applies HTTP/1.1's rules to a response's fields. [pure]
#pragma once

#include "proxy/http/http_message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Says if HPACK may store a field in the table that all requests of a connection share. A field that could be a
// key must not be stored.
enum class may_be_indexed { no, yes };

struct http2_field {
  std::string name;  // the name in lower case
  std::string value;
  may_be_indexed indexed = may_be_indexed::no;
};

// Converts a request's head to fields, with the pseudo fields first. Fields that belong to one connection are left out
// (RFC 9113, section 8.2.2), and also the fields that the Connection field names.
std::vector<http2_field> http2_request_fields(const request_head& head, std::string_view scheme,
                                              std::size_t body_bytes);

// Checks that the HTTP/1.1 reader would accept a response's fields, except the pseudo fields. It adds up their lengths.
class response_field_guard {
 public:
  bool accepts(std::string_view name, std::string_view value);

 private:
  std::size_t bytes_ = 0;
  std::size_t fields_ = 0;
};

// Returns an error code's name, such as "ENHANCE_YOUR_CALM" (RFC 9113, section 7).
std::string_view http2_error_name(unsigned code);

}  // namespace photofinish::proxy
