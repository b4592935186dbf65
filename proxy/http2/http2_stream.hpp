// One request over HTTP/2. It waits for a connection, then for its answer, which is buffered here until its reader
// takes it. The connection and the stream refer to each other. The first of the two that ends notifies the other.
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
  virtual void release(http2_stream& stream) noexcept = 0;  // resets the running request

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

// The state of a stream's wait for a connection.
struct http2_wait {
  http2_queue* queue = nullptr;  // null if the stream does not wait
  instant since{};
  freshness wanted = freshness::any;
};

// The reason why a stream broke, and the ways in which its request may be sent again.
struct http2_break {
  bool may_repeat = false;   // the provider has not started to process the request
  bool was_lost = false;     // the whole connection was lost
  bool needs_http1 = false;  // the provider sent HTTP_1_1_REQUIRED
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
  // Returns a connection that supports only HTTP/1.1 although its dial offered HTTP/2. It is set with claim::http1.
  std::optional<lease> take_http1_lease() { return std::exchange(http1_lease_, std::nullopt); }
  connection_used connection() const { return used_; }

  // Sends the request and returns the head of its answer. Head and body are borrowed until start() has returned.
  boost::asio::awaitable<result<response_head>> start(const request_head& head,
                                                      std::span<const std::string_view> body);
  // True if the request may be sent again. The value has a meaning only after the stream broke.
  bool may_repeat() const { return break_.may_repeat; }
  bool was_lost() const { return break_.was_lost; }
  bool needs_http1() const { return break_.needs_http1; }

  // These functions work as the functions of the same names in exchange. The bytes are valid until the next call, and
  // 64 bytes past their end are readable.
  boost::asio::awaitable<void> readable();
  std::optional<result<std::string_view>> read();
  std::string_view poll();
  bool has_body_here() const { return !incoming_.empty(); }
  bool is_complete() const { return has_ended_ && incoming_.empty(); }
  std::optional<instant> first_byte_at() const { return first_byte_at_; }

  // Resets the running request in this turn of the loop. Idempotent.
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
  // The result of waiting for a connection.
  std::optional<claim> claim_;
  std::optional<lease> http1_lease_;
  connection_used used_ = connection_used::none;
  http2_carrier* connection_ = nullptr;  // set until the stream ends
  stream_id id_ = 0;                     // set after the stream has passed its request to the connection
  bool is_settled_ = false;              // true after the body of its answer has begun; see reset_budget
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
