// A connected socket, plain or TLS, as one small type. TLS works directly on the socket (SSL_set_fd). A connection
// takes 25 kB, instead of the 97 kB of Asio's ssl::stream, and nothing waits for a peer's close_notify.
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

// One read and one write may be pending at the same time. The stream's owner awaits them before it destroys the stream;
// abort() makes them end. Pending operations survive a move of the stream. The process must ignore SIGPIPE, because
// OpenSSL writes to a socket with write(), which always raises it.
class byte_stream {
 public:
  explicit byte_stream(boost::asio::ip::tcp::socket connected);
  byte_stream(byte_stream&& other) noexcept;
  byte_stream& operator=(byte_stream&& other) noexcept;
  ~byte_stream();  // aborts

  // Starts TLS and verifies that the peer is `host`. A failure (tls, cancelled) leaves the stream aborted.
  boost::asio::awaitable<result<void>> handshake(tls_context& context, std::string host, std::uint16_t port,
                                                 alpn_offer offer = alpn_offer::http1);

  // Waits until try_read() may return something. It may also complete without a reason. It never completes in the same
  // turn of the loop, even if bytes have arrived, because a stream is read once per turn (docs/decisions/0011). After a
  // large read it waits until other large reads have had their turns (docs/decisions/0065).
  boost::asio::awaitable<void> readable();
  // Returns the number of bytes read, or 0 at the peer's end. Returns nullopt if no bytes have arrived, or if no
  // coroutine has waited since the last attempt. It never suspends, so all streams of one thread may read into the same
  // buffer. It reads at most 64 TLS records. Failures: connect, cancelled.
  std::optional<result<std::size_t>> try_read(std::span<char> into);
  // Calls readable() and try_read() until there is a result.
  boost::asio::awaitable<result<std::size_t>> read_some(std::span<char> into);

  // Writes all bytes of all pieces in order. The caller keeps the pieces alive until the coroutine has returned.
  // Failures: connect, cancelled.
  boost::asio::awaitable<result<void>> write(std::span<const std::string_view> pieces);

  // Writes like write(), for a caller that also reads answers. If the peer accepts no more bytes for now and
  // something is readable, it returns with bytes unwritten. The caller then calls try_read(), and write_on()
  // continues with the rest. The caller keeps the pieces alive until nothing is unwritten or the rest is given up.
  // Nothing else may read meanwhile.
  enum class listening { no, yes };
  boost::asio::awaitable<result<void>> write_listening(std::span<const std::string_view> pieces);
  boost::asio::awaitable<result<void>> write_on(listening how);
  bool has_unwritten() const;

  // True if an idle connection is alive and has received nothing but session tickets. This call reads the tickets.
  bool is_quiet();

  // True if the peer ended without TLS's close_notify. An answer that ends with the connection may be cut short.
  bool ended_abruptly() const;

  // Closes immediately, in any state, without close_notify and without TIME_WAIT. Pending operations end with
  // `cancelled` in a later turn of the loop. Idempotent.
  void abort() noexcept;

  bool is_open() const;
  bool is_tls() const;
  bool is_resumed() const;    // true if the TLS session was resumed with a ticket
  bool speaks_http2() const;  // true if TLS's ALPN chose HTTP/2
  int native_handle() const;

 private:
  struct state;
  std::unique_ptr<state> state_;  // on the heap, because pending operations use its address
};

}  // namespace photofinish::proxy
