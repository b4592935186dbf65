#include "tests/support/network/scripted_peer.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace photofinish::testing {
namespace {

using boost::asio::ip::tcp;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

int bind_to(const std::string& address, std::uint16_t port, std::uint16_t& got) {
  tcp::endpoint where(boost::asio::ip::make_address(address), port);
  const int fd = ::socket(where.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd, where.data(), static_cast<socklen_t>(where.size())) != 0) fail("bind");
  auto size = static_cast<socklen_t>(where.capacity());
  ::getsockname(fd, where.data(), &size);
  got = where.port();
  return fd;
}

int listen_on(const std::string& address, std::uint16_t port, int backlog, std::uint16_t& got) {
  const int fd = bind_to(address, port, got);
  if (::listen(fd, backlog) != 0) fail("listen");
  return fd;
}

}  // namespace

peer::~peer() {
  close();
  SSL_free(ssl_);
}

bool peer::handshake(SSL_CTX* context) {
  ssl_ = SSL_new(context);
  SSL_set_fd(ssl_, fd_);
  return SSL_accept(ssl_) == 1;
}

std::string peer::read_some() {
  std::array<char, 65536> bytes;
  const auto got = ssl_ != nullptr ? SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                   : static_cast<int>(::recv(fd_, bytes.data(), bytes.size(), 0));
  return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
}

void peer::read_to_end() {
  while (!read_some().empty()) continue;
}

bool peer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ssl_ != nullptr
                          ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                          : static_cast<int>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool peer::ends_within(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd watched{fd_, POLLRDHUP, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready > 0) return true;  // the connection ended or was reset, or another thread called stop()
    if (ready == 0 && left.count() <= 0) return false;
  }
}

bool peer::send_ticket() { return SSL_new_session_ticket(ssl_) == 1 && SSL_do_handshake(ssl_) == 1; }

void peer::say_goodbye() { SSL_shutdown(ssl_); }

void peer::close() {
  const std::lock_guard held(guard_);
  if (fd_ < 0) return;
  // Removes the descriptor from the TLS object, because another socket may soon get the same number.
  if (ssl_ != nullptr) SSL_set_fd(ssl_, -1);
  ::close(std::exchange(fd_, -1));
}

void peer::half_close() { ::shutdown(fd_, SHUT_WR); }

void peer::reset() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void peer::stop() {
  const std::lock_guard held(guard_);
  if (fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
}

scripted_server::scripted_server(script play, const std::string& address)
    : play_(std::move(play)), fd_(listen_on(address, 0, 128, port_)), acceptor_([this] { accept_all(); }) {}

scripted_server::~scripted_server() {
  ::shutdown(fd_, SHUT_RDWR);  // ends the blocking call of accept()
  acceptor_.join();
  ::close(fd_);
  for (player& each : players_) each.client.stop();
  players_.clear();  // joins the threads of all connections
}

void scripted_server::accept_all() {
  while (true) {
    const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // disables Nagle's algorithm, so that each write is sent immediately
    // Joins the threads of ended connections, because a thread keeps its stack until it is joined.
    players_.remove_if([](const player& each) { return each.has_ended.load(); });
    player& mine = players_.emplace_back(fd);
    ++accepted_;
    mine.thread = std::jthread([this, &mine] {
      play_(mine.client);
      mine.client.close();
      mine.has_ended = true;
    });
  }
}

full_listener::full_listener(const std::string& address, std::uint16_t port) {
  fds_.push_back(listen_on(address, port, 0, port_));
  const tcp::endpoint where(boost::asio::ip::make_address(address), port_);
  for (int filler = 0; filler < 4; ++filler) {
    const int fd = ::socket(where.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    fds_.push_back(fd);
    ::connect(fd, where.data(), static_cast<socklen_t>(where.size()));
    pollfd ready{fd, POLLOUT, 0};
    if (::poll(&ready, 1, 50) == 0) return;  // the backlog is full, so new connections cannot be accepted
  }
  throw std::runtime_error("the backlog does not fill");
}

full_listener::~full_listener() {
  for (const int fd : fds_) ::close(fd);
}

std::uint16_t closed_port() {
  std::uint16_t port = 0;
  bind_to("127.0.0.1", 0, port);  // the port stays bound, so that no concurrent test gets the same port
  return port;
}

}  // namespace photofinish::testing
