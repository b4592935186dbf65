// What the TLS connections of one worker share: rules, trusted authorities, and tickets for quick resumption.
// OpenSSL's locks scale badly: every worker has its own SSL_CTX; the parsed system authorities are shared.
#pragma once

#include "proxy/failures/result.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {

template <auto release>
struct releaser {
  template <class T>
  void operator()(T* held) const noexcept {
    release(held);
  }
};
using ssl_ptr = std::unique_ptr<SSL, releaser<SSL_free>>;
using ssl_ctx_ptr = std::unique_ptr<SSL_CTX, releaser<SSL_CTX_free>>;
using ssl_session_ptr = std::unique_ptr<SSL_SESSION, releaser<SSL_SESSION_free>>;

// What a TLS connection offers to speak (ALPN, RFC 7301), the preferred first.
enum class alpn_offer { http1, http2_or_http1, http2 };

// Must outlive every SSL it made.
class tls_context {
 public:
  // Trusts the system's authorities, and those in the PEM file `ca_file` when it is not empty. Fails when
  // that cannot be read.
  static result<std::unique_ptr<tls_context>> make(const std::string& ca_file);

  // A client's TLS on the connected, non-blocking socket `fd`: SNI, the host (name or address, IPv6 without
  // brackets) verified, a ticket taken where one is left.
  result<ssl_ptr> start(const std::string& host, std::uint16_t port, int fd, alpn_offer offer = alpn_offer::http1);

  // For the time behind the handshake: a read of the socket brings whole records, and not first 5 bytes of a header. A
  // call of OpenSSL takes in every message of TLS itself (a ticket, a change of keys) that it has read ahead, and would
  // go on for as long as a peer sends them: the first that it meets ends the reading ahead, until this is called again.
  static void read_ahead(SSL* connection) { SSL_set_read_ahead(connection, 1); }
  // How many such messages the connections to this one's host have ever brought.
  static std::size_t messages_met(const SSL* connection);

  std::size_t ticket_count(const std::string& host, std::uint16_t port) const;

 private:
  struct ticket_list {
    std::vector<ssl_session_ptr> kept;
    std::size_t messages_met = 0;  // on all connections to its host
  };

  explicit tls_context(ssl_ctx_ptr made) : context_(std::move(made)) {}
  static int keep_ticket(SSL* connection, SSL_SESSION* ticket);
  static void note_message(int is_sent, int version, int content_type, const void* bytes, std::size_t size,
                           SSL* connection, void* unused);
  static void use_ticket(SSL* connection, ticket_list& tickets);

  ssl_ctx_ptr context_;
  std::map<std::pair<std::string, std::uint16_t>, ticket_list> tickets_;  // nodes stay where they are
};

// One context for each ca_file of the worker's providers; the empty one is the system's.
class tls_contexts {
 public:
  result<tls_context*> for_ca_file(const std::string& ca_file);

 private:
  std::map<std::string, std::unique_ptr<tls_context>> contexts_;
};

// Why a handshake failed, in words for people. Reads and clears OpenSSL's error queue.
failure tls_failure(SSL* connection);

}  // namespace photofinish::proxy
