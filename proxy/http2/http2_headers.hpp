// Converts a request's head to HTTP/2 fields, and applies the rules of HTTP/1.1 to a response's fields. [pure]
#pragma once

#include "proxy/http/http_message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Defines whether HPACK may store a field in the table that all requests of a connection share. A field that might
// contain a key must not be stored.
enum class may_be_indexed { no, yes };

struct http2_field {
  std::string name;  // the name is in lower case
  std::string value;
  may_be_indexed indexed = may_be_indexed::no;
};

// Converts a request's head to fields. The pseudo-header fields are first. Fields that concern a single connection are
// omitted (RFC 9113, section 8.2.2), and so are the fields that the Connection field names.
std::vector<http2_field> http2_request_fields(const request_head& head, std::string_view scheme,
                                              std::size_t body_bytes);

// Rejects response fields that the HTTP/1.1 reader would also reject, and limits the total size of all fields.
// Pseudo-header fields are not checked.
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
