// Bytes of a connection in, one HTTP/1.1 response out: its head, then spans of its body. [pure but for Beast]
// Strict where two parsers could differ (http_head.hpp); Beast takes the chunks apart.
#pragma once

#include "proxy/http_message.hpp"
#include "proxy/result.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class http1_response {
 public:
  http1_response();
  http1_response(http1_response&&) noexcept;
  http1_response& operator=(http1_response&&) noexcept;
  ~http1_response();

  // Takes what was read. The spans of the body live until the next feed; 64 bytes behind `bytes` may be read.
  result<void> feed(std::string_view bytes);
  // The connection has ended. `was_abrupt`: a TLS peer left without saying so.
  enum class ending { proper, abrupt };
  result<void> feed_end(ending how);

  const std::optional<response_head>& head() const { return head_; }  // of the final response, not a 1xx
  std::optional<std::string_view> next_span();                        // of the body
  bool has_span() const { return next_span_ < spans_.size(); }
  bool is_complete() const;
  // Complete, and the connection may serve another request.
  bool may_reuse() const;

 private:
  struct body_parser;

  result<void> take_head(std::string_view bytes);
  result<void> take_body(std::string_view bytes);

  std::string carried_;  // an unfinished head, or the unfinished head of a chunk
  std::size_t parsed_ = 0;  // of carried_: kept until the next feed, for spans point into it
  std::optional<response_head> head_;
  std::unique_ptr<body_parser> parser_;
  std::vector<std::string_view> spans_;
  std::size_t next_span_ = 0;
  bool has_bytes_behind_ = false;  // more came than the response: the connection is not to be trusted
};

}  // namespace photofinish::proxy
