// Listening sockets: one for each worker and address (SO_REUSEPORT), so that the kernel spreads connections and
// no worker waits for another.
#pragma once

#include "gateway/config/config.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// Connections that the kernel accepts for a socket before we do.
inline constexpr int listen_backlog = 4096;

// One bound, listening socket; closed when destroyed unless released.
class listening_socket {
 public:
  explicit listening_socket(int descriptor) : descriptor_(descriptor) {}
  listening_socket(listening_socket&& other) noexcept : descriptor_(other.release()) {}
  listening_socket& operator=(listening_socket&& other) noexcept;
  ~listening_socket();

  int get() const { return descriptor_; }
  int release();

 private:
  int descriptor_;
};

struct bound_address {
  listen_address address;  // with the port that was chosen for port 0
  bool is_loopback = false;
  std::vector<listening_socket> sockets;  // one for each worker
};

struct bind_failure {
  bool is_missing_family = false;  // this machine has no IPv6
  std::string message;             // "cannot listen on 127.0.0.1:7777: another server listens there"
};

// SO_REUSEPORT would let a second gateway take half of the first one's clients, silently: it is looked for first.
std::variant<bound_address, bind_failure> bind_for_workers(const listen_address& address, std::size_t workers);

}  // namespace photofinish::gateway
