// Listening sockets: one for each worker and address (SO_REUSEPORT), so that the kernel distributes connections and no
// worker waits for another.
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// The number of connections that the kernel accepts for a socket before the gateway takes them.
inline constexpr int listen_backlog = 4096;

// One bound, listening socket; closed when destroyed unless released.
class listening_socket {
 public:
  enum class owner { us, another_process };
  explicit listening_socket(int descriptor, owner whose = owner::us) : descriptor_(descriptor), whose_(whose) {}
  listening_socket(listening_socket&& other) noexcept : descriptor_(other.release()), whose_(other.whose_) {}
  listening_socket& operator=(listening_socket&& other) noexcept;
  ~listening_socket();

  int get() const { return descriptor_; }
  bool outlives_us() const { return whose_ == owner::another_process; }
  int release();

 private:
  int descriptor_;
  owner whose_;
};

struct bound_address {
  listen_address address;  // includes the port that was chosen for port 0
  bool is_loopback = false;
  std::vector<listening_socket> sockets;  // one socket per worker
};

struct bind_failure {
  bool is_missing_family = false;  // true if this machine has no IPv6
  std::string message;             // for example "cannot listen on 127.0.0.1:7777: another server listens there"
};

// With SO_REUSEPORT a second gateway would silently take half of the first gateway's clients, so this first looks for
// another listener.
std::variant<bound_address, bind_failure> bind_for_workers(const listen_address& address, std::size_t workers);

}  // namespace photofinish::gateway
