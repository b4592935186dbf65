// Bytes of a connection in, one HTTP/1.1 response out: its head, then spans of its body. [pure]
// Strict where two parsers could differ: http_head.hpp, chunked_body.hpp.
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
  // Takes what was read. The spans of the body live until the next feed; 64 bytes behind `bytes` may be read.
  result<void> feed(std::string_view bytes);
  // The connection has ended. `abrupt`: a TLS peer left without saying so.
  enum class ending { proper, abrupt };
  result<void> feed_end(ending how);

  bool has_head() const { return head_.has_value(); }
  const std::optional<response_head>& head() const { return head_; }  // of the final response, not a 1xx
  response_head give_head() { return std::move(*head_); }             // once, when there is one
  std::optional<std::string_view> next_span();                        // of the body
  bool has_span() const { return next_span_ < spans_.size(); }
  // The spans that are left live until they are taken, whatever becomes of the fed bytes. Gives how many they are.
  std::size_t keep_unread();
  // Ends the life of the spans that were taken: the next bytes may come in minutes.
  void forget_taken();
  bool is_complete() const { return is_complete_; }
  // Complete, and the connection may serve another request.
  bool may_reuse() const { return is_complete_ && !has_bytes_behind_ && keeps_alive_; }

 private:
  result<void> take_head(std::string_view bytes);
  result<void> read_head(std::string_view block);
  result<void> take_body(std::string_view bytes);
  std::string_view take_span(std::string_view& bytes);

  // What each read needs is first, and so in as few cache lines as can be.
  std::vector<std::string_view> spans_;
  std::size_t next_span_ = 0;
  bool is_complete_ = false;
  bool has_bytes_behind_ = false;  // more came than the response: the connection is not to be trusted
  bool keeps_alive_ = false;
  body_framing framing_;
  chunked_body chunks_;
  int interim_ = 0;         // informational responses so far
  std::uint64_t left_ = 0;  // of a body with a length
  std::optional<response_head> head_;
  std::string carried_;  // kept while its spans live: the head so far and the bytes that were read with it, or the
                         // bytes that keep_unread() has kept
};

}  // namespace photofinish::proxy
