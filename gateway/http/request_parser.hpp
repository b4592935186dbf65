// Converts the bytes of a client's connection to requests: first the checked head, then the body. [pure] The result
// does not depend on how the bytes are split into reads. request_reader.hpp waits for the bytes.
#pragma once

#include "gateway/http/request_guard.hpp"
#include "proxy/http/chunked_body.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

class request_head_parser {
 public:
  explicit request_head_parser(const guard_limits& limits) : limits_(limits) {}

  struct unfinished {};
  struct arrived {
    guarded_request request;  // the texts in the request are views into `unread`
    std::size_t bytes = 0;    // the head's length; the head is at the front of `unread`
  };
  // Looks for a complete head. `unread` contains all bytes that have arrived for this request so far. If a head is
  // refused, the state of the connection is unknown. The caller must then send the refusal and close the connection.
  std::variant<unfinished, arrived, refusal> look_at(std::string_view unread);

  // True if a byte of a request has arrived. Empty lines before a request do not count (RFC 9112, section 2.2).
  bool has_begun() const { return has_begun_; }

 private:
  guard_limits limits_;
  bool has_begun_ = false;
  std::size_t searched_ = 0;  // the position at which the search for the end of the head continues
};

enum class body_fault { none, too_large, malformed };

class request_body_parser {
 public:
  request_body_parser(const proxy::body_framing& framing, std::size_t max_bytes);

  // Moves the bytes of the body from the front of `unread` into `body`. Returns the number of moved bytes.
  std::size_t take(std::string_view unread, std::string& body);
  // Drops the bytes of an unneeded body from the front of `unread`. Returns the number of dropped bytes. The body's
  // length must be known.
  std::size_t skip(std::string_view unread);

  bool is_complete() const { return is_complete_; }
  // Returns the error that was found in the body, if any. After an error, no more bytes of the body are read, and the
  // connection cannot be used for further requests.
  body_fault fault() const { return fault_; }

 private:
  std::size_t take_chunks(std::string_view unread, std::string& body);

  proxy::body_framing framing_;
  std::size_t max_bytes_;
  std::uint64_t left_;  // the number of bytes of the body that have not arrived yet, if its length is known
  proxy::chunked_body chunks_;
  bool is_complete_;
  body_fault fault_ = body_fault::none;
};

}  // namespace photofinish::gateway
