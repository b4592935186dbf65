// One request over HTTP/2. The request waits for a connection, then for its answer. The stream buffers the answer until
// its reader has taken it. The connection and the stream refer to each other. When one of them ends, it notifies the
// other.
#pragma once

#include "proxy/http/http_message.hpp"
#include "proxy/http2/http2_session.hpp"
#include "proxy/loop/wakeup.hpp"
#include "proxy/pool/connection_pool.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

class http2_stream;

// The functions that a stream calls on its connection.
class http2_carrier {
 public:
  virtual void send(http2_stream& stream, const request_head& head, std::span<const std::string_view> body) = 0;
  virtual bool is_uploaded(const http2_stream& stream) const = 0;
  virtual void stop_upload(http2_stream& stream) = 0;
  virtual void taken(http2_stream& stream, std::size_t bytes) = 0;
  virtual void release(http2_stream& stream) noexcept = 0;  // ends the stream; resets it if its request is still
                                                            // running

 protected:
  ~http2_carrier() = default;
};

// The queue in which a stream waits for a connection.
class http2_queue {
 public:
  virtual void withdraw(http2_stream& stream) noexcept = 0;

 protected:
  ~http2_queue() = default;
};

// Describes how a stream waits for a connection.
struct http2_wait {
  http2_queue* queue = nullptr;  // the pointer is null if the stream is not waiting
  instant since{};
  freshness wanted = freshness::any;
};

// Describes why a stream broke, and how its request may be sent again.
struct http2_break {
  bool may_repeat = false;   // true if the provider has not started to process the request
  bool was_lost = false;     // true if the whole connection was lost
  bool needs_http1 = false;  // true if the provider sent HTTP_1_1_REQUIRED
  maybe_failure why;
};

class http2_stream {
 public:
  explicit http2_stream(boost::asio::io_context& loop) : wakeup_(loop) {}
  http2_stream(const http2_stream&) = delete;
  http2_stream& operator=(const http2_stream&) = delete;
  ~http2_stream() { cancel(); }

  // The result of waiting for a connection.
  enum class claim { http2, http1 };
  boost::asio::awaitable<result<claim>> claimed();
  // Returns the connection to use if the result of the wait is claim::http1. This connection was opened with an offer
  // of HTTP/2, but the provider chose HTTP/1.1.
  std::optional<lease> take_http1_lease() { return std::exchange(http1_lease_, std::nullopt); }
  connection_used connection() const { return used_; }

  // Sends the request and returns the head of its answer. `head` and `body` must stay valid until start() has returned.
  boost::asio::awaitable<result<response_head>> start(const request_head& head,
                                                      std::span<const std::string_view> body);
  // True if the request may be sent again. Meaningful only after the stream broke.
  bool may_repeat() const { return break_.may_repeat; }
  bool was_lost() const { return break_.was_lost; }
  bool needs_http1() const { return break_.needs_http1; }

  // These functions do the same as the functions of class exchange with the same names. The returned bytes are valid
  // until the next call. 64 bytes after their end are readable.
  boost::asio::awaitable<void> readable();
  std::optional<result<std::string_view>> read();
  std::string_view poll();
  bool has_body_here() const { return !incoming_.empty(); }
  bool is_complete() const { return has_ended_ && incoming_.empty(); }
  std::optional<instant> first_byte_at() const { return first_byte_at_; }

  // Resets the running request in this turn of the event loop. Repeated calls have no effect.
  void cancel() noexcept;

 private:
  friend class http2_connection;
  friend class http2_origin;
  friend class http2_pool;

  void break_off(failure why) {
    break_.why = std::move(why);
    wakeup_.wake();
  }

  wakeup wakeup_;
  http2_wait wait_;
  // result of waiting for a connection
  std::optional<claim> claim_;
  std::optional<lease> http1_lease_;
  connection_used used_ = connection_used::none;
  http2_carrier* connection_ = nullptr;  // the connection, as long as the stream is open
  stream_id id_ = 0;                     // the id is set after the connection has accepted the request
  bool is_settled_ = false;              // true after the answer's body has begun; then no reset is reserved
  bool is_cancelled_ = false;
  bool awaits_upload_ = false;
  bool has_ended_ = false;
  // The answer.
  std::optional<instant> first_byte_at_;
  std::optional<response_head> head_;
  std::string incoming_;
  std::string given_;
  http2_break break_;
};

}  // namespace photofinish::proxy
