// Reads and writes that never wait, on a plain socket or with TLS, and the outcome of each
// attempt. Part of byte_stream.
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
  std::string detail;  // set if the connection broke
};

// The position up to which a list of pieces has been written.
struct write_position {
  std::span<const std::string_view> pieces;
  std::size_t offset = 0;  // the position in the first unwritten piece

  void advance(std::size_t bytes);  // moves the position; also skips empty pieces
  std::string_view front() const { return pieces.front().substr(offset); }
};

io_outcome plain_read(int fd, std::span<char> into);
io_outcome plain_peek(int fd);  // reads bytes that stay in the socket
io_outcome plain_write(int fd, const write_position& at);

// Explains why SSL_read, SSL_write or SSL_peek moved no byte. errno must be zero before the call. OpenSSL's error queue
// belongs to the thread. It is empty before each call and left empty. An end without close_notify counts as an end and
// also sets `is_goodbye_missing`.
io_outcome tls_outcome(SSL* ssl, int returned, bool& is_goodbye_missing);

io_outcome broken_by(int system_error);

}  // namespace photofinish::proxy
