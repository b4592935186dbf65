// Code that the bench's provider and load generator share: a clock, non-blocking sockets, and an epoll set. Both programs are minimal,
// because they share two processors with the measured servers.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::bench {

using nanoseconds = std::int64_t;  // the time in nanoseconds on CLOCK_MONOTONIC, which all processes of a machine share

inline nanoseconds now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

[[noreturn]] inline void give_up(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline void send_at_once(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Listens on a port. If `port` is 0, chooses any free port and stores its number in `port`.
inline int listen_on(int& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 4096) != 0) give_up("listen");
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return fd;
}

class epoll_set {
 public:
  epoll_set() : fd_(epoll_create1(EPOLL_CLOEXEC)) {}

  void add(int fd, std::uint32_t events, void* owner) const { control(EPOLL_CTL_ADD, fd, events, owner); }
  void change(int fd, std::uint32_t events, void* owner) const { control(EPOLL_CTL_MOD, fd, events, owner); }

  // Waits at most `patience` for events, and returns the events that are ready.
  std::span<const epoll_event> wait(nanoseconds patience) {
    if (patience < 0) patience = 0;
    const timespec limit{patience / 1'000'000'000, patience % 1'000'000'000};
    const int count = epoll_pwait2(fd_, ready_.data(), static_cast<int>(ready_.size()), &limit, nullptr);
    return {ready_.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }

 private:
  void control(int what, int fd, std::uint32_t events, void* owner) const {
    epoll_event event{};
    event.events = events;
    event.data.ptr = owner;
    if (epoll_ctl(fd_, what, fd, &event) != 0) give_up("epoll_ctl");
  }

  int fd_;
  std::array<epoll_event, 256> ready_{};
};

// Returns the number after `key` in `text`, or `otherwise` if there is no such number.
inline long long number_after(std::string_view text, std::string_view key, long long otherwise) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos ? otherwise : std::atoll(text.data() + at + key.size());
}

}  // namespace photofinish::bench
