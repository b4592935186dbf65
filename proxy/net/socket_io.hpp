// Reads and writes that never wait, on a plain socket or by TLS: what one attempt came to. Part of
// byte_stream.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class io_progress { done, wants_read, wants_write, ended, broken };

struct io_outcome {
  io_progress what = io_progress::done;
  std::size_t bytes = 0;
  std::string detail;  // when broken
};

// Where the writing of some pieces has got to.
struct write_position {
  std::span<const std::string_view> pieces;
  std::size_t offset = 0;  // in the first of them

  void advance(std::size_t bytes);  // past empty pieces, too
  std::string_view front() const { return pieces.front().substr(offset); }
};

io_outcome plain_read(int fd, std::span<char> into);
io_outcome plain_peek(int fd);  // takes nothing out
io_outcome plain_write(int fd, const write_position& at);

// What SSL_read, SSL_write or SSL_peek meant when it moved no byte; errno was zero before the call. OpenSSL's
// error queue belongs to the thread: it is empty before each call, and left empty. An end without
// close_notify is an end that also sets `is_goodbye_missing`.
io_outcome tls_outcome(SSL* ssl, int returned, bool& is_goodbye_missing);

io_outcome broken_by(int system_error);

}  // namespace photofinish::proxy
