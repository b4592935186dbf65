// Listening sockets that another process has opened for us, as systemd's .socket units do: LISTEN_FDS says how many,
// from descriptor 3 on, and LISTEN_PID for whom. They stay open while gateways come and go behind them.
#pragma once

#include "gateway/http/listen_address.hpp"
#include "gateway/process/environment.hpp"
#include "gateway/server/listener.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {

struct inherited_socket {
  listening_socket socket;
  listen_address address;  // where it is bound
};

// None without LISTEN_FDS, or where LISTEN_PID is another process. A text: why they cannot be used, and what to do.
// Takes over the descriptors: once in a process.
std::variant<std::vector<inherited_socket>, std::string> take_inherited_sockets(const environment& machine);

// Without repeats, in their order.
std::vector<listen_address> addresses_of(const std::vector<inherited_socket>& sockets);

// For each worker what it listens on at that address; empty: no socket was handed over for it. All sockets are served;
// workers share where there are fewer than workers.
std::vector<std::vector<listening_socket>> share_of_workers(const std::vector<inherited_socket>& sockets,
                                                            const listen_address& address, std::size_t workers);

}  // namespace photofinish::gateway
