// One HTTP request and its response, on an HTTP/1.1 connection or in a stream of an HTTP/2 connection.
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

  // Sends the head and the body. The parts of the body are sent in order and never copied. Returns the final response's
  // head. Ignores 1xx responses. Call this function once.
  virtual boost::asio::awaitable<result<response_head>> start(const request_head& head,
                                                              std::span<const std::string_view> body) = 0;

  // Waits until read() may return something. Sometimes returns although there is nothing to read.
  virtual boost::asio::awaitable<void> readable() = 0;
  // Reads once. Returns at least one byte of the body, or an empty view at the regular end of the body. If no bytes
  // have arrived, returns nullopt. The bytes are valid until the caller next suspends. 64 bytes after their end are
  // readable.
  virtual std::optional<result<std::string_view>> read() = 0;
  // Calls readable() and read() until read() returns a result.
  boost::asio::awaitable<result<std::string_view>> next();

  // If the argument is true, each read returns at most 16 kB, or less if the buffer has less space. Use this for reads
  // whose bytes do not complete an event, so that they occupy the event loop only briefly. Only HTTP/1.1 limits its
  // reads, because an HTTP/2 connection reads for all its streams.
  virtual void read_little(bool) noexcept {}

  // Returns the body bytes that have already been read but not yet returned, or an empty view. Like the bytes that
  // next() returns, they are valid until the caller next suspends.
  virtual std::string_view poll() = 0;
  virtual bool has_body_here() const = 0;  // true if poll() would return bytes
  // Copies the body bytes that poll() would return, because other exchanges read into the same buffer. Returns how many
  // bytes were copied. Bytes that poll() or read() has already returned are not copied.
  virtual std::size_t keep_unread() = 0;
  // True if the whole body has been read and returned to the caller. The next read() then reports the end and gives the
  // connection back to its pool.
  virtual bool is_taken() const = 0;

  // Returns `reused` if the connection was opened before this request, otherwise `fresh`, or `none` if there is no
  // connection yet.
  virtual connection_used connection() const = 0;
  virtual std::optional<instant> first_byte_at() const = 0;  // the time when the first byte of the response arrived

  // Closes the connection or resets the stream immediately, in any state. A pending operation ends with
  // failure_kind::cancelled. Repeated calls have no effect.
  virtual void cancel() noexcept = 0;
};

}  // namespace photofinish::proxy
