// Parses the bytes of a connection into one HTTP/1.1 response: its head, then spans of its body. [pure]
// It is strict wherever two parsers could differ, see http_head.hpp and chunked_body.hpp.
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
  // Parses bytes that were read. The spans of the body live until the next feed. 64 bytes past `bytes` are readable.
  result<void> feed(std::string_view bytes);
  // The connection has ended. `abrupt`: a TLS peer closed it without a close_notify alert.
  enum class ending { proper, abrupt };
  result<void> feed_end(ending how);

  bool has_head() const { return head_.has_value(); }
  const std::optional<response_head>& head() const { return head_; }  // head of the final response, not of a 1xx
  response_head give_head() { return std::move(*head_); }             // call it once, if there is a head
  std::optional<std::string_view> next_span();                        // next span of the body
  bool has_span() const { return next_span_ < spans_.size(); }
  // Keeps the remaining spans alive until they are taken, even if the fed bytes are overwritten. Returns their size.
  std::size_t keep_unread();
  // Ends the life of the spans that were taken, because the next bytes may arrive minutes later.
  void forget_taken();
  bool is_complete() const { return is_complete_; }
  // True if the response is complete and the connection can serve another request.
  bool may_reuse() const { return is_complete_ && !has_bytes_behind_ && keeps_alive_; }

 private:
  result<void> take_head(std::string_view bytes);
  result<void> read_head(std::string_view block);
  result<void> take_body(std::string_view bytes);
  std::string_view take_span(std::string_view& bytes);

  // The members that each read needs come first, so that they share as few cache lines as possible.
  std::vector<std::string_view> spans_;
  std::size_t next_span_ = 0;
  bool is_complete_ = false;
  bool has_bytes_behind_ = false;  // bytes followed the response, so the connection cannot be trusted
  bool keeps_alive_ = false;
  body_framing framing_;
  chunked_body chunks_;
  int interim_ = 0;         // number of informational responses so far
  std::uint64_t left_ = 0;  // remaining bytes of a body with a length
  std::optional<response_head> head_;
  // Kept while its spans live: the head so far and the bytes that were read with it, or the bytes that keep_unread()
  // stored.
  std::string carried_;
};

}  // namespace photofinish::proxy
