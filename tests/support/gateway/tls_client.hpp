// A blocking HTTP client that uses OpenSSL for TLS, optionally with a client certificate.
#pragma once

#include "tests/support/network/certificates.hpp"

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::testing {

struct tls_client_options {
  std::string ca_file{};                      // trusted authorities; if there are none, the client accepts any certificate
  std::optional<identity> who{};              // the client's certificate
  std::string alpn = "\x08http/1.1";          // the offered ALPN protocols; if there are none, the client does not use ALPN
  int version = 0;                            // TLS1_2_VERSION or TLS1_3_VERSION to permit only that version; 0 permits both
  std::string preamble{};                     // bytes that the client sends before the TLS handshake
};

class tls_client {
 public:
  explicit tls_client(std::uint16_t port, const tls_client_options& options = {});
  ~tls_client();
  tls_client(const tls_client&) = delete;

  bool is_up() const { return is_up_; }  // true if the TLS handshake is complete
  std::string protocol() const;          // the protocol that ALPN chose; empty if no protocol was chosen
  long serial() const;                   // the serial number of the server's certificate

  bool send(std::string_view bytes);
  bool post(std::string_view text, std::string_view fields = "");
  bool get(std::string_view path, std::string_view fields = "");
  // Reads one response, up to its announced length or its last chunk. If the response is incomplete, returns the bytes that arrived.
  std::string read();
  bool was_whole() const { return was_whole_; }
  void change_keys();  // sends a KeyUpdate of TLS 1.3

 private:
  bool read_some();

  int fd_;
  std::shared_ptr<SSL_CTX> context_;
  SSL* ssl_ = nullptr;
  bool is_up_ = false, was_whole_ = false;
  std::string pending_;
};

// Opens a connection, sends the bytes, and returns all bytes that arrive until the connection ends.
std::string sent_and_read(std::uint16_t port, std::string_view bytes);

}  // namespace photofinish::testing
