// Converts the bytes of a client's connection to requests, one after another: the guarded head, then the body. [pure]
// Any split of the bytes gives the same requests. request_reader.hpp waits for the bytes.
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
    guarded_request request;  // the texts of the request refer to `unread`
    std::size_t bytes = 0;    // the head's length, at the front of `unread`
  };
  // Looks for a whole head. `unread` contains all bytes that have arrived for this request so far. A refused head
  // leaves the connection in an unknown state: the caller must answer, then close it.
  std::variant<unfinished, arrived, refusal> look_at(std::string_view unread);

  // True if a byte of a request has arrived. Empty lines before the request do not count (RFC 9112, section 2.2).
  bool has_begun() const { return has_begun_; }

 private:
  guard_limits limits_;
  bool has_begun_ = false;
  std::size_t searched_ = 0;  // the position before which the head does not end
};

enum class body_fault { none, too_large, malformed };

class request_body_parser {
 public:
  request_body_parser(const proxy::body_framing& framing, std::size_t max_bytes);

  // Moves the bytes of the body from the front of `unread` into `body`. Returns their number.
  std::size_t take(std::string_view unread, std::string& body);
  // Reads an unwanted body with a known length in the same way, but drops the bytes.
  std::size_t skip(std::string_view unread);

  bool is_complete() const { return is_complete_; }
  // The body's fault; after it the body takes no bytes, and the connection is unusable.
  body_fault fault() const { return fault_; }

 private:
  std::size_t take_chunks(std::string_view unread, std::string& body);

  proxy::body_framing framing_;
  std::size_t max_bytes_;
  std::uint64_t left_;  // bytes of a body with a known length that have not arrived yet
  proxy::chunked_body chunks_;
  bool is_complete_;
  body_fault fault_ = body_fault::none;
};

}  // namespace photofinish::gateway
