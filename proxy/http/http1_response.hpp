// Parses the bytes of a connection into one HTTP/1.1 response: first its head, then spans of its body. The parser is
// strict wherever two parsers could read the same bytes differently; see http_head.hpp and chunked_body.hpp. [pure]
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
  // Parses bytes that were read. The spans of the body are valid until the next call. 64 bytes after the end of `bytes`
  // are readable.
  result<void> feed(std::string_view bytes);
  // Call this function when the connection has ended. The end is abrupt if a TLS peer closed the connection without a
  // close_notify alert.
  enum class ending { proper, abrupt };
  result<void> feed_end(ending how);

  bool has_head() const { return head_.has_value(); }
  // The head of the final response. The heads of 1xx responses are not stored.
  const std::optional<response_head>& head() const { return head_; }
  response_head give_head() { return std::move(*head_); }  // may be called only once, after the head has arrived
  std::optional<std::string_view> next_span();             // returns the next span of the body
  bool has_span() const { return next_span_ < spans_.size(); }
  // Copies the body spans that next_span() has not returned yet, because the next read overwrites their bytes. Returns
  // their total size.
  std::size_t keep_unread();
  // Frees the memory of returned spans, because the next bytes may arrive minutes later.
  void forget_taken();
  bool is_complete() const { return is_complete_; }
  // True if the response is complete and the connection can serve another request.
  bool may_reuse() const { return is_complete_ && !has_bytes_behind_ && keeps_alive_; }

 private:
  result<void> take_head(std::string_view bytes);
  result<void> read_head(std::string_view block);
  result<void> take_body(std::string_view bytes);
  std::string_view take_span(std::string_view& bytes);

  // These members are first in the object because each read needs them. They then share as few cache lines as possible.
  std::vector<std::string_view> spans_;
  std::size_t next_span_ = 0;
  bool is_complete_ = false;
  bool has_bytes_behind_ = false;  // the server sent bytes after the end of the response, so the connection cannot be
                                   // trusted
  bool keeps_alive_ = false;
  body_framing framing_;
  chunked_body chunks_;
  int interim_ = 0;         // number of informational responses so far
  std::uint64_t left_ = 0;  // number of body bytes that have not arrived yet, if the length is known
  std::optional<response_head> head_;
  // The bytes of the body spans, if the read buffer does not contain them. They are either the bytes that were read
  // together with the head, or the bytes that keep_unread() copied.
  std::string carried_;
};

}  // namespace photofinish::proxy
