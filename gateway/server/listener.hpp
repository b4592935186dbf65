// Listening sockets. Each worker has its own socket for each address (SO_REUSEPORT), so that the kernel distributes the
// connections and no worker waits for another.
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// The maximum length of a socket's backlog: connections that the kernel has completed and the gateway has not accepted
// yet.
inline constexpr int listen_backlog = 4096;

// A bound socket that listens. The destructor closes it unless it was released.
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
  listen_address address;  // the address; if its port was 0, the port that the system chose
  bool is_loopback = false;
  std::vector<listening_socket> sockets;  // one socket for each worker
};

struct bind_failure {
  bool is_missing_family = false;  // true if this machine does not support IPv6
  std::string message;             // a message such as "cannot listen on 127.0.0.1:7777: another server listens there"
};

// Binds one socket for each worker. First checks whether another process listens there: with SO_REUSEPORT a second
// gateway would silently take half of the first gateway's clients.
std::variant<bound_address, bind_failure> bind_for_workers(const listen_address& address, std::size_t workers);

}  // namespace photofinish::gateway
