#include "tests/neighbourhood/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace photofinish::neighbourhood {
namespace {

bool is_ready(int fd, short wanted, std::chrono::milliseconds time) {
  pollfd watched{fd, wanted, 0};
  return ::poll(&watched, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace

raw_client::raw_client(std::uint16_t port, int receive_buffer)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return;
  const int error = errno;
  ::close(fd_);
  throw std::system_error(error, std::generic_category(), "connect");
}

raw_client::~raw_client() { ::close(fd_); }

bool raw_client::send(std::string_view bytes) {
  while (!bytes.empty() && !has_ended_) {
    if (!is_ready(fd_, POLLOUT, patience)) return false;
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) has_ended_ = true;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return !has_ended_;
}

std::string raw_client::receive(std::chrono::milliseconds time) {
  if (has_ended_ || !is_ready(fd_, POLLIN, time)) return {};
  std::array<char, 65536> bytes;
  const auto got = ::recv(fd_, bytes.data(), bytes.size(), 0);
  has_ended_ = got <= 0;
  return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
}

std::string raw_client::head(std::chrono::milliseconds time) {
  std::string seen;
  const auto until = std::chrono::steady_clock::now() + time;
  while (seen.find("\r\n\r\n") == std::string::npos) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return {};
    const std::string more = receive(left);
    if (more.empty()) return {};
    seen += more;
  }
  return seen;
}

void raw_client::drain(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!has_ended_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    receive(left);
  }
}

void raw_client::half_close() { ::shutdown(fd_, SHUT_WR); }

std::string chat_head(std::string_view key, std::size_t length, std::string_view path) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
         (key.empty() ? "" : "authorization: Bearer " + std::string(key) + "\r\n") +
         "content-length: " + std::to_string(length) + "\r\n\r\n";
}

std::string chat(std::string_view key, std::string_view model, bool streamed) {
  const std::string body = R"({"model":")" + std::string(model) + R"(","stream":)" + (streamed ? "true" : "false") +
                           R"(,"messages":[{"role":"user","content":"hi"}]})";
  return chat_head(key, body.size()) + body;
}

}  // namespace photofinish::neighbourhood
