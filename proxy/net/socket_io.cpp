#include "proxy/net/socket_io.hpp"

#include <boost/system/error_code.hpp>

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace photofinish::proxy {
namespace {

constexpr std::size_t pieces_at_once = 64;  // maximum number of parts in one sendmsg() call

io_outcome receive(int fd, std::span<char> into, int flags) {
  while (true) {
    const ssize_t got = ::recv(fd, into.data(), into.size(), MSG_DONTWAIT | flags);
    if (got > 0) return {io_progress::done, static_cast<std::size_t>(got), {}};
    if (got == 0) return {io_progress::ended, 0, {}};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {io_progress::wants_read, 0, {}};
    if (errno != EINTR) return broken_by(errno);
  }
}

bool is_missing_goodbye(unsigned long error) {
  return ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

}  // namespace

void write_position::advance(std::size_t bytes) {
  offset += bytes;
  while (!pieces.empty() && offset >= pieces.front().size()) {
    offset -= pieces.front().size();
    pieces = pieces.subspan(1);
  }
}

io_outcome plain_read(int fd, std::span<char> into) { return receive(fd, into, 0); }

io_outcome plain_peek(int fd) {
  char peeked;
  return receive(fd, {&peeked, 1}, MSG_PEEK);
}

io_outcome plain_write(int fd, const write_position& at) {
  std::array<iovec, pieces_at_once> vectors;
  const std::size_t count = std::min(at.pieces.size(), pieces_at_once);
  for (std::size_t each = 0; each < count; ++each) {
    const std::string_view bytes = each == 0 ? at.front() : at.pieces[each];
    vectors[each] = {const_cast<char*>(bytes.data()), bytes.size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  while (true) {
    const ssize_t sent = ::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return {io_progress::done, static_cast<std::size_t>(sent), {}};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {io_progress::wants_write, 0, {}};
    if (errno != EINTR) return broken_by(errno);
  }
}

io_outcome tls_outcome(SSL* ssl, int returned, bool& is_goodbye_missing) {
  const int system_error = errno;
  const unsigned long error = ERR_peek_last_error();
  const int what = SSL_get_error(ssl, returned);
  ERR_clear_error();
  switch (what) {
    case SSL_ERROR_WANT_READ: return {io_progress::wants_read, 0, {}};
    case SSL_ERROR_WANT_WRITE: return {io_progress::wants_write, 0, {}};
    case SSL_ERROR_ZERO_RETURN: return {io_progress::ended, 0, {}};
    case SSL_ERROR_SYSCALL: return broken_by(system_error != 0 ? system_error : ECONNRESET);
    default: break;
  }
  if (is_missing_goodbye(error)) {
    is_goodbye_missing = true;
    return {io_progress::ended, 0, {}};
  }
  const char* reason = ERR_reason_error_string(error);
  const std::string words = reason != nullptr ? reason : "unknown reason";
  return {io_progress::broken, 0, "TLS failed: " + words};
}

io_outcome broken_by(int system_error) {
  if (system_error == ECONNRESET || system_error == EPIPE)
    return {io_progress::broken, 0, "the connection was reset by the provider"};
  const auto words = boost::system::system_category().message(system_error);
  return {io_progress::broken, 0, "the connection failed: " + words};
}

}  // namespace photofinish::proxy
