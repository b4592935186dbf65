// One HTTP request and its response: alone on a connection of HTTP/1.1, or as a stream of an HTTP/2 one.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/http/http_message.hpp"
#include "proxy/loop/alarms.hpp"

#include <cstddef>
#include <boost/asio/awaitable.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace photofinish::proxy {

class exchange {
 public:
  virtual ~exchange() = default;

  // Sends head and body; the body's pieces are sent in order, never copied. The final response's head comes
  // back (1xx are passed over). Called once.
  virtual boost::asio::awaitable<result<response_head>> start(const request_head& head,
                                                              std::span<const std::string_view> body) = 0;

  // Waits until read() may bring something; it may come for nothing.
  virtual boost::asio::awaitable<void> readable() = 0;
  // One read: some body bytes, at least one; empty at the body's proper end; none: nothing is here. The bytes live
  // until the caller next suspends, and 64 bytes behind them may be read.
  virtual std::optional<result<std::string_view>> read() = 0;
  // The two together, until there is something.
  boost::asio::awaitable<result<std::string_view>> next();

  // From now on a read takes 16 kB at most, or as much as there is room for: what brings an answer no further is not
  // worth more in one turn of the loop. HTTP/1.1 only; an HTTP/2 connection is read for all its streams.
  virtual void read_little(bool) noexcept {}

  // The next body bytes that have been read already; empty when there are none. They live as those of next().
  virtual std::string_view poll() = 0;
  virtual bool has_body_here() const = 0;  // whether poll() would give some
  // The body bytes that poll() would give live until they are taken, although others read meanwhile. What poll() and
  // read() gave before does not. Gives how many of them had to be copied for that.
  virtual std::size_t keep_unread() = 0;
  // All of the body has been read and taken: read() would say so, and give the connection back.
  virtual bool is_taken() const = 0;

  virtual connection_used connection() const = 0;            // reused: it was there before the request
  virtual std::optional<instant> first_byte_at() const = 0;  // of the response

  // Closes the connection, or resets the stream, at once, in any state; a pending operation ends with
  // failure_kind::cancelled. Idempotent.
  virtual void cancel() noexcept = 0;
};

}  // namespace photofinish::proxy
