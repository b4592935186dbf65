// Parses the bytes of a connection into one HTTP/1.1 response: its head, then spans of its body. [pure] It is strict
// wherever two parsers could differ; see http_head.hpp and chunked_body.hpp.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/http/chunked_body.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/http/http_message.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

class http1_response {
 public:
  // Parses bytes that were read. The spans of the body are valid until the next feed. 64 bytes
  // past `bytes` are readable.
  result<void> feed(std::string_view bytes);
  // Reports that the connection has ended. It ended abruptly if a TLS peer closed it without a close_notify alert.
  enum class ending { proper, abrupt };
  result<void> feed_end(ending how);

  bool has_head() const { return head_.has_value(); }
  // The final response's head, not the head of a 1xx response.
  const std::optional<response_head>& head() const { return head_; }
  response_head give_head() { return std::move(*head_); }  // callable once, and only if there is a head
  std::optional<std::string_view> next_span();             // returns the next span of the body
  bool has_span() const { return next_span_ < spans_.size(); }
  // Copies the remaining spans, so that they are valid until they are taken, even if the fed bytes are
  // overwritten. Returns their size.
  std::size_t keep_unread();
  // Frees the spans that were taken, because the next bytes may arrive minutes later.
  void forget_taken();
  bool is_complete() const { return is_complete_; }
  // True if the response is complete and the connection can serve another request.
  bool may_reuse() const { return is_complete_ && !has_bytes_behind_ && keeps_alive_; }

 private:
  result<void> take_head(std::string_view bytes);
  result<void> read_head(std::string_view block);
  result<void> take_body(std::string_view bytes);
  std::string_view take_span(std::string_view& bytes);

  // Members that each read needs. They are first in the object, so that they share as few cache lines as possible.
  std::vector<std::string_view> spans_;
  std::size_t next_span_ = 0;
  bool is_complete_ = false;
  bool has_bytes_behind_ = false;  // bytes followed the response, so the connection cannot be trusted
  bool keeps_alive_ = false;
  body_framing framing_;
  chunked_body chunks_;
  int interim_ = 0;         // number of informational responses so far
  std::uint64_t left_ = 0;  // bytes of a body with a length that have not arrived yet
  std::optional<response_head> head_;
  // Bytes that are kept because spans refer to them: the head so far and the bytes that were read with it, or the bytes
  // that keep_unread() stored.
  std::string carried_;
};

}  // namespace photofinish::proxy
