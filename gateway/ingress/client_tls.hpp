// TLS of one client's connection, directly on its socket: steps that never wait. Who owns the socket owns this, waits
// for the socket in between, and calls nothing here once the socket is closed but let_go().
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
  // On the connected, non-blocking socket `fd`; null where OpenSSL has no memory for it.
  static std::unique_ptr<client_tls> begin(SSL_CTX* context, int fd);

  client_tls(const client_tls&) = delete;
  client_tls& operator=(const client_tls&) = delete;

  // A step of the handshake: done, or what it waits for; broken with `detail`.
  proxy::io_outcome shake_hands();
  // Behind a broken handshake: the client speaks HTTP without TLS, and can be answered in it.
  bool is_met_by_plain_http() const { return is_met_by_plain_http_; }

  // What the client's certificate says of it, once hands are shaken: the subject as RFC 2253 writes it
  // ("CN=alice,O=Example"), and its other names as "DNS:…", "URI:…" and "email:…". Empty without one.
  const std::vector<std::string>& names() const { return names_; }

  // As much as one turn of the loop may cost: at most 64 records of TLS. done: some bytes; ended, wants_read, broken.
  proxy::io_outcome read(std::span<char> into);
  // A further read() brings something, although the socket may have nothing.
  bool has_more() const { return has_more_; }

  // Of the pieces in order how many bytes were taken, about `most` of them; none: the connection is broken. What was
  // not taken must come first with the next call, in any pieces of at least the same length together.
  std::optional<std::size_t> write(std::span<const std::string_view> pieces, std::size_t most);

  void say_goodbye() noexcept;  // close_notify, as far as the socket takes it now
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
  std::unique_ptr<proxy::io_outcome> afterwards_;  // met behind bytes that had to be handed out first
  std::size_t messages_met_ = 0;  // of TLS itself
  bool has_more_ = false;
  bool is_broken_ = false;
  bool is_met_by_plain_http_ = false;
};

}  // namespace photofinish::gateway
