// A connected socket, with or without TLS, as one small type. TLS works directly on the socket (SSL_set_fd). A
// connection takes 25 kB, instead of 97 kB with Asio's ssl::stream. Nothing ever waits for a peer's close_notify.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/net/tls_context.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// At most one read and one write may be pending at the same time. The stream's owner awaits them before it destroys the
// stream, and abort() makes them end. Pending operations continue if the stream is moved. The process must ignore
// SIGPIPE: OpenSSL calls write(), which raises SIGPIPE on a closed socket.
class byte_stream {
 public:
  explicit byte_stream(boost::asio::ip::tcp::socket connected);
  byte_stream(byte_stream&& other) noexcept;
  byte_stream& operator=(byte_stream&& other) noexcept;
  ~byte_stream();  // aborts

  // Starts TLS and verifies that the certificate is valid for `host`. After a failure (tls, cancelled), the stream is
  // closed.
  boost::asio::awaitable<result<void>> handshake(tls_context& context, std::string host, std::uint16_t port,
                                                 alpn_offer offer = alpn_offer::http1);

  // Waits until try_read() may return something. Sometimes completes although nothing has arrived. Never completes in
  // the same turn of the event loop, because a stream is read at most once per turn (docs/decisions/0011). After a
  // large read, other large reads have their turns first (docs/decisions/0065).
  boost::asio::awaitable<void> readable();
  // Returns the number of bytes read, or 0 if the peer has ended the connection. Returns nullopt if no bytes have
  // arrived, or if readable() was not awaited since the last attempt. It never suspends, so all streams of a thread may
  // read into the same buffer. It reads at most 64 TLS records. Failures: connect, cancelled.
  std::optional<result<std::size_t>> try_read(std::span<char> into);
  // Repeats readable() and try_read() until try_read() returns a result.
  boost::asio::awaitable<result<std::size_t>> read_some(std::span<char> into);

  // Writes all bytes of `pieces` in order. The caller keeps the bytes alive until the coroutine has returned. Failures:
  // connect, cancelled.
  boost::asio::awaitable<result<void>> write(std::span<const std::string_view> pieces);

  // Writes like write(), but also waits for bytes to read. If bytes arrive while the peer accepts no more bytes, the
  // function returns early. The caller then calls try_read(), and continues the write with write_on(). The caller keeps
  // the bytes in memory until all of them are written, or until it gives up the write. No other coroutine may read
  // during this time.
  enum class listening { no, yes };
  boost::asio::awaitable<result<void>> write_listening(std::span<const std::string_view> pieces);
  boost::asio::awaitable<result<void>> write_on(listening how);
  bool has_unwritten() const;

  // True if an idle connection is alive and has received nothing except session tickets. Reads these tickets.
  bool is_quiet();

  // True if the peer ended the connection without TLS's close_notify. If the end of the connection marks the end of an
  // answer, the answer may then be incomplete.
  bool ended_abruptly() const;

  // Closes the connection immediately, in any state, without close_notify and without TIME_WAIT. Pending operations end
  // with `cancelled` in a later turn of the event loop. Repeated calls have no effect.
  void abort() noexcept;

  bool is_open() const;
  bool is_tls() const;
  bool is_resumed() const;    // true if a ticket resumed an earlier TLS session
  bool speaks_http2() const;  // true if the peer chose HTTP/2 (ALPN)
  int native_handle() const;

 private:
  struct state;
  std::unique_ptr<state> state_;  // the state is on the heap, because pending operations store its address
};

}  // namespace photofinish::proxy
