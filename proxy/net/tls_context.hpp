// The state that the TLS connections of one worker share: settings, trusted certificate authorities, and tickets for
// quick resumption. Each worker has its own SSL_CTX, because OpenSSL's locks scale badly. All workers share the parsed
// authorities of the system.
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

// The protocols that a TLS connection offers (ALPN, RFC 7301). The preferred protocol comes first.
enum class alpn_offer { http1, http2_or_http1, http2 };

// A context must outlive all SSL objects that it has created.
class tls_context {
 public:
  // Creates a context that trusts the system's certificate authorities, and also the authorities in the PEM file
  // `ca_file`, unless this name is empty. Fails if the file cannot be read.
  static result<std::unique_ptr<tls_context>> make(const std::string& ca_file);

  // Creates the client side of TLS on the connected, non-blocking socket `fd`. Sends SNI, verifies the host (a name or
  // an address, IPv6 without brackets), and uses a ticket if there is one.
  result<ssl_ptr> start(const std::string& host, std::uint16_t port, int fd, alpn_offer offer = alpn_offer::http1);

  // Lets OpenSSL read ahead. Call this function after the handshake. A read of the socket then returns whole records
  // instead of a record's first 5 bytes. A single call of OpenSSL processes all TLS messages (tickets, key updates)
  // that it has read ahead. It would therefore continue for as long as a peer sends such messages. To prevent this,
  // reading ahead ends at the first message, until this function is called again.
  static void read_ahead(SSL* connection) { SSL_set_read_ahead(connection, 1); }
  // Returns how many TLS messages other than data were received, in total for all connections to this host.
  static std::size_t messages_met(const SSL* connection);

  std::size_t ticket_count(const std::string& host, std::uint16_t port) const;

 private:
  struct ticket_list {
    std::vector<ssl_session_ptr> kept;
    std::size_t messages_met = 0;  // number of TLS messages on all connections to the host
  };

  explicit tls_context(ssl_ctx_ptr made) : context_(std::move(made)) {}
  static int keep_ticket(SSL* connection, SSL_SESSION* ticket);
  static void note_message(int is_sent, int version, int content_type, const void* bytes, std::size_t size,
                           SSL* connection, void* unused);
  static void use_ticket(SSL* connection, ticket_list& tickets);

  ssl_ctx_ptr context_;
  // This is a map, because connections store the addresses of its nodes, and the nodes never move.
  std::map<std::pair<std::string, std::uint16_t>, ticket_list> tickets_;
};

// Stores one context for each ca_file of the worker's providers. The empty name means the system's authorities only.
class tls_contexts {
 public:
  result<tls_context*> for_ca_file(const std::string& ca_file);

 private:
  std::map<std::string, std::unique_ptr<tls_context>> contexts_;
};

// Returns a failure with a readable reason why a handshake failed. Reads and clears OpenSSL's error queue.
failure tls_failure(SSL* connection);

}  // namespace photofinish::proxy
