// Reads and writes on a socket with or without TLS. These functions never block, and they return the outcome of each
// attempt to read or write. This file is part of byte_stream.
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
  std::string detail;  // the reason, if the connection has failed
};

// A list of parts, and the position up to which the parts have been written.
struct write_position {
  std::span<const std::string_view> pieces;
  std::size_t offset = 0;  // position in the first part that has unwritten bytes

  void advance(std::size_t bytes);  // moves the position forward and skips empty parts
  std::string_view front() const { return pieces.front().substr(offset); }
};

io_outcome plain_read(int fd, std::span<char> into);
io_outcome plain_peek(int fd);  // reads bytes without removing them from the socket
io_outcome plain_write(int fd, const write_position& at);

// Explains why SSL_read, SSL_write or SSL_peek transferred no byte. errno must be zero before that call. OpenSSL's
// error queue belongs to the thread. It is empty before each call, and this function empties it again. If the peer
// ended the connection without close_notify, the outcome is an end, and `is_goodbye_missing` is set.
io_outcome tls_outcome(SSL* ssl, int returned, bool& is_goodbye_missing);

io_outcome broken_by(int system_error);

}  // namespace photofinish::proxy
