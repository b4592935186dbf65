// Measures the system calls that a losing attempt over HTTP/1.1 needs: the client sends its request, resets its connection, and opens a new
// connection. Prints the client's processor time for each attempt, as JSON.
#include "tests/bench/sockets.hpp"

#include <sys/wait.h>

#include <csignal>

namespace photofinish::bench {
namespace {

// A provider that accepts connections and reads requests, but never answers.
[[noreturn]] void swallow(int listening) {
  std::array<char, 65536> buffer;
  epoll_set loop;
  loop.add(listening, EPOLLIN, nullptr);
  while (true) {
    for (const epoll_event& event : loop.wait(1'000'000'000)) {
      const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(event.data.ptr));
      if (fd != 0) {
        if (recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT) <= 0 && errno != EAGAIN) close(fd);
        continue;
      }
      const int made = accept4(listening, nullptr, nullptr, SOCK_NONBLOCK);
      if (made >= 0) loop.add(made, EPOLLIN, reinterpret_cast<void*>(static_cast<std::intptr_t>(made)));
    }
  }
}

int connected(int port, const epoll_set& loop) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != EINPROGRESS)
    give_up("connect");
  send_at_once(fd);
  loop.add(fd, EPOLLIN | EPOLLOUT | EPOLLET, nullptr);
  return fd;
}

nanoseconds used() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void measure(int port) {
  constexpr int rounds = 5000;
  const std::string request = "POST /v1/chat/completions HTTP/1.1\r\n" + std::string(500, 'x');
  const linger reset{1, 0};
  epoll_set loop;
  int fd = connected(port, loop);
  const nanoseconds before = used();
  for (int round = 0; round < rounds; ++round) {
    send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
    fd = connected(port, loop);
    loop.wait(1'000'000'000);
  }
  std::printf("{\"loser_us\":%.1f}\n", static_cast<double>(used() - before) / rounds / 1000);
}

}  // namespace
}  // namespace photofinish::bench

int main() {
  using namespace photofinish::bench;
  int port = 0;
  const int listening = listen_on(port);
  const pid_t child = fork();
  if (child == 0) swallow(listening);
  measure(port);
  kill(child, SIGTERM);
  waitpid(child, nullptr, 0);
}
