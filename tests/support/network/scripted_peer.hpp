// The other side of a connection. A script controls it byte by byte, with blocking calls on its own thread. The script can also cut the
// connection.
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

  bool handshake(SSL_CTX* context);  // completes the TLS handshake; returns false if the client refused it
  bool is_resumed() const { return SSL_session_reused(ssl_) == 1; }
  std::string read_some();           // reads some bytes; returns nothing after the end of the connection, a reset or stop()
  void read_to_end();
  bool write(std::string_view bytes);  // sends bytes; returns false if the other side does not accept all of them
  // Waits until the other side ends the connection. Returns false if the connection is still open after the given time. Use this function
  // only without TLS. It does not detect a FIN that follows unread bytes.
  bool ends_within(std::chrono::milliseconds time);
  bool send_ticket();  // sends one more session ticket of TLS 1.3
  void say_goodbye();  // sends close_notify
  void close();        // sends a FIN without a TLS alert
  void half_close();   // sends a FIN; reads remain possible
  void reset();
  void stop();         // ends any blocked call of this peer; another thread may call stop()

 private:
  SSL* ssl_ = nullptr;
  std::mutex guard_;  // guards fd_, because the script and stop() run on different threads
  int fd_;
};

// Listens on its own port, and plays the script for every connection.
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
    std::jthread thread;  // declared last, because the thread uses the other members
  };

  void accept_all();

  script play_;
  std::uint16_t port_ = 0;  // declared before fd_, because the initialization of fd_ sets the port
  int fd_;
  std::atomic<int> accepted_{0};
  std::list<player> players_;  // only the acceptor thread uses this list until the thread ends
  std::jthread acceptor_;
};

// A port whose backlog is full, so that new connections are never established.
class full_listener {
 public:
  explicit full_listener(const std::string& address = "127.0.0.1", std::uint16_t port = 0);
  ~full_listener();
  std::uint16_t port() const { return port_; }

 private:
  std::vector<int> fds_;
  std::uint16_t port_ = 0;
};

// Returns a port on which no socket listens. The kernel assigns this port to no other socket while this process runs. Each call uses one
// descriptor. A program that the test starts can still listen on the port, because servers set SO_REUSEADDR.
std::uint16_t closed_port();

}  // namespace photofinish::testing
