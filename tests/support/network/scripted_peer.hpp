// The other side of a connection, as a script: blocking calls on a thread of its own, byte-exact and cut
// where asked for.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace photofinish::testing {

// One connection.
class peer {
 public:
  explicit peer(int fd) : fd_(fd) {}
  peer(const peer&) = delete;
  ~peer();

  bool handshake(SSL_CTX* context);  // false when the client refused
  bool is_resumed() const { return SSL_session_reused(ssl_) == 1; }
  std::string read_some();           // empty at the end, a reset or a stop
  void read_to_end();
  bool write(std::string_view bytes);  // false when the other side does not take them all
  // Waits so long, less when the other side ends the connection: true then. Bytes that lie unread hide nothing
  // but a FIN behind them. Plain connections only.
  bool ends_within(std::chrono::milliseconds time);
  bool send_ticket();  // a session ticket more, of TLS 1.3
  void say_goodbye();  // close_notify
  void close();        // FIN, nothing of TLS
  void half_close();   // FIN, and goes on listening
  void reset();
  void stop();         // from another thread: whatever blocks returns

 private:
  SSL* ssl_ = nullptr;
  std::mutex guard_;  // of fd_, between the script and stop()
  int fd_;
};

// Listens on a port of its own and plays the script for every connection.
class scripted_server {
 public:
  using script = std::function<void(peer&)>;

  explicit scripted_server(script play, const std::string& address = "127.0.0.1");
  ~scripted_server();

  std::uint16_t port() const { return port_; }
  int accepted() const { return accepted_; }

 private:
  struct player {
    explicit player(int fd) : client(fd) {}
    peer client;
    std::atomic<bool> has_ended = false;
    std::jthread thread;  // last: it uses the rest
  };

  void accept_all();

  script play_;
  std::uint16_t port_ = 0;  // before fd_: listening fills it in
  int fd_;
  std::atomic<int> accepted_{0};
  std::list<player> players_;  // the acceptor's, until it has ended
  std::jthread acceptor_;
};

// A port whose connections never come about: its backlog is full.
class full_listener {
 public:
  explicit full_listener(const std::string& address = "127.0.0.1", std::uint16_t port = 0);
  ~full_listener();
  std::uint16_t port() const { return port_; }

 private:
  std::vector<int> fds_;
  std::uint16_t port_ = 0;
};

// A port without a listener, which is given to nothing else while this process runs; each holds a descriptor so long. A
// program that a test starts may listen there, as servers set SO_REUSEADDR.
std::uint16_t closed_port();

}  // namespace photofinish::testing
