// A connected socket, plain or TLS, behind one small type. TLS sits directly on the socket (SSL_set_fd): 25
// kB a connection where Asio's ssl::stream holds 97, and nothing waits for a peer's goodbye.
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

// One read and one write may be pending at a time, beside each other. The stream's owner awaits them
// before destroying it: abort() makes them end. Moving the stream does not disturb them. The process ignores
// SIGPIPE: OpenSSL writes to a socket with write(), which always raises it.
class byte_stream {
 public:
  explicit byte_stream(boost::asio::ip::tcp::socket connected);
  byte_stream(byte_stream&& other) noexcept;
  byte_stream& operator=(byte_stream&& other) noexcept;
  ~byte_stream();  // aborts

  // Makes it TLS, with the peer verified to be `host`. A failure (tls, cancelled) leaves the stream aborted.
  boost::asio::awaitable<result<void>> handshake(tls_context& context, std::string host, std::uint16_t port,
                                                 alpn_offer offer = alpn_offer::http1);

  // Waits until try_read() may bring something; it may come for nothing. Never completes in the turn of the loop in
  // which it was asked, however much is here: a stream is read once in a turn (docs/decisions/0011), and behind a large
  // read it waits for its turn among others (0065).
  boost::asio::awaitable<void> readable();
  // Some bytes; 0 is the peer's end; none: nothing is here, or nothing was waited for since the last try. Nothing waits
  // between the reading and the return, so all streams of one thread may read into the same buffer. At most 64 records
  // of TLS. Failures: connect, cancelled.
  std::optional<result<std::size_t>> try_read(std::span<char> into);
  // The two together, until there is something.
  boost::asio::awaitable<result<std::size_t>> read_some(std::span<char> into);

  // All bytes of all pieces, in order. The pieces stay the caller's until this has returned. Failures as
  // above.
  boost::asio::awaitable<result<void>> write(std::span<const std::string_view> pieces);

  // As write(), for a caller who listens meanwhile: where the peer takes no more for now and something can be read,
  // it ends with bytes unwritten. Then try_read(), and write_on() goes on with the rest. The pieces stay the caller's
  // until nothing is unwritten, or the rest is given up. Nothing else may read meanwhile.
  enum class listening { no, yes };
  boost::asio::awaitable<result<void>> write_listening(std::span<const std::string_view> pieces);
  boost::asio::awaitable<result<void>> write_on(listening how);
  bool has_unwritten() const;

  // Of an idle connection: alive, and nothing but session tickets (which it takes in) has come since.
  bool is_quiet();

  // The peer's end came without TLS's close_notify: an answer that ends with the connection may be cut short.
  bool ended_abruptly() const;

  // Closes at once, in any state: no goodbye, no TIME_WAIT. What is pending ends with `cancelled` in a later
  // turn of the loop. Idempotent.
  void abort() noexcept;

  bool is_open() const;
  bool is_tls() const;
  bool is_resumed() const;  // the TLS session began with a ticket
  bool speaks_http2() const;  // as TLS's ALPN agreed
  int native_handle() const;

 private:
  struct state;
  std::unique_ptr<state> state_;  // stays where it is while operations are pending
};

}  // namespace photofinish::proxy
