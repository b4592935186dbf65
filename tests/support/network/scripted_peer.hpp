// The other side of a connection, as a script: blocking calls on its own thread, exact to the byte, with cuts on request.
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

  bool handshake(SSL_CTX* context);  // false if the client refused
  bool is_resumed() const { return SSL_session_reused(ssl_) == 1; }
  std::string read_some();           // empty after the end, a reset or a stop
  void read_to_end();
  bool write(std::string_view bytes);  // false if the other side does not accept all bytes
  // Waits this long for the other side to end the connection, and returns true if it does. Unread bytes hide only a FIN that follows them.
  // Plain connections only.
  bool ends_within(std::chrono::milliseconds time);
  bool send_ticket();  // sends one more session ticket of TLS 1.3
  void say_goodbye();  // close_notify
  void close();        // sends FIN, without an alert of TLS
  void half_close();   // sends FIN, and continues to read
  void reset();
  void stop();         // called by another thread: any blocked call returns

 private:
  SSL* ssl_ = nullptr;
  std::mutex guard_;  // guards fd_, between the script and stop()
  int fd_;
};

// Listens on its own port and plays the script for every connection.
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
    std::jthread thread;  // last: it uses the members above
  };

  void accept_all();

  script play_;
  std::uint16_t port_ = 0;  // declared before fd_, because listening sets it
  int fd_;
  std::atomic<int> accepted_{0};
  std::list<player> players_;  // used only by the acceptor, until it has ended
  std::jthread acceptor_;
};

// A port on which connections are never established, because its backlog is full.
class full_listener {
 public:
  explicit full_listener(const std::string& address = "127.0.0.1", std::uint16_t port = 0);
  ~full_listener();
  std::uint16_t port() const { return port_; }

 private:
  std::vector<int> fds_;
  std::uint16_t port_ = 0;
};

// Returns a port without a listener, which the kernel gives to nothing else while this process runs; each costs a descriptor. A program
// that a test starts may listen there, because servers set SO_REUSEADDR.
std::uint16_t closed_port();

}  // namespace photofinish::testing
