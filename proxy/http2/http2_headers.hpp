// A request's head as HTTP/2's fields, and a response's fields held to the rules of HTTP/1.1's. [pure]
#pragma once

#include "proxy/http/http_message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Whether HPACK may keep it in the table that all requests of a connection share. Whatever could be a key may not.
enum class may_be_indexed { no, yes };

struct http2_field {
  std::string name;  // lower case
  std::string value;
  may_be_indexed indexed = may_be_indexed::no;
};

// Pseudo fields first. What belongs to one connection is left out (RFC 9113, section 8.2.2): the fields that
// Connection names, too.
std::vector<http2_field> http2_request_fields(const request_head& head, std::string_view scheme,
                                              std::size_t body_bytes);

// A response's field (not a pseudo one) that HTTP/1.1's reader would take, with the lengths so far in mind.
class response_field_guard {
 public:
  bool accepts(std::string_view name, std::string_view value);

 private:
  std::size_t bytes_ = 0;
  std::size_t fields_ = 0;
};

// "ENHANCE_YOUR_CALM": RFC 9113, section 7.
std::string_view http2_error_name(unsigned code);

}  // namespace photofinish::proxy
