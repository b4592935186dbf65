// TLS for one client's connection, in steps that never wait. It works directly on the connection's socket. The owner of
// the socket also owns this object, and waits for the socket between the steps. After the socket is closed, the owner
// may call only let_go().
#pragma once

#include "proxy/net/socket_io.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class client_tls {
 public:
  // Starts TLS on the connected, non-blocking socket `fd`. Returns null if OpenSSL cannot allocate memory.
  static std::unique_ptr<client_tls> begin(SSL_CTX* context, int fd);

  client_tls(const client_tls&) = delete;
  client_tls& operator=(const client_tls&) = delete;

  // Performs one step of the handshake. Returns done, the event to wait for, or broken with an error text in `detail`.
  proxy::io_outcome shake_hands();
  // True if a handshake failed because the client uses plain HTTP. The client can then get a plain HTTP response.
  bool is_met_by_plain_http() const { return is_met_by_plain_http_; }

  // Returns the names in the client's certificate after the handshake: the subject as in RFC 2253
  // ("CN=alice,O=Example"), and the alternative names as "DNS:…", "URI:…" and "email:…". The list is empty if the
  // client sent no certificate.
  const std::vector<std::string>& names() const { return names_; }

  // Reads at most 64 TLS records, to limit the duration of one turn of the event loop. Returns done (some bytes were
  // read), ended, wants_read or broken.
  proxy::io_outcome read(std::span<char> into);
  // True if read() can return more bytes before new data arrives on the socket.
  bool has_more() const { return has_more_; }

  // Writes up to about `most` bytes of the pieces. Returns the number of bytes that OpenSSL accepted, or nothing if the
  // connection is broken. If OpenSSL did not accept all bytes, the next call must pass all remaining bytes again, and
  // may add more.
  std::optional<std::size_t> write(std::span<const std::string_view> pieces, std::size_t most);

  void say_goodbye() noexcept;  // sends close_notify if the socket can accept it without waiting
  void let_go() noexcept { ssl_.reset(); }

 private:
  struct freeing {
    void operator()(SSL* held) const noexcept { SSL_free(held); }
  };
  using ssl_pointer = std::unique_ptr<SSL, freeing>;

  explicit client_tls(ssl_pointer made) : ssl_(std::move(made)) {}
  static void note_message(int is_sent, int version, int content_type, const void* bytes, std::size_t size,
                           SSL* connection, void* unused);
  void read_ahead();
  void read_names();

  ssl_pointer ssl_;
  std::vector<std::string> names_;
  // The end or error that read() met after the bytes that it returned. The next call of read() returns this result.
  std::unique_ptr<proxy::io_outcome> afterwards_;
  std::size_t messages_met_ = 0;  // the number of received TLS messages without data
  bool has_more_ = false;
  bool is_broken_ = false;
  bool is_met_by_plain_http_ = false;
};

}  // namespace photofinish::gateway
