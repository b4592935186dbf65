// Listening sockets that another process has opened for this process, as systemd does for .socket units. The variable
// LISTEN_FDS contains the number of sockets, which start at descriptor 3. LISTEN_PID contains the id of the process
// that may use them. The sockets stay open when one gateway replaces another.
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
  listen_address address;  // the address to which the socket is bound
};

// Returns the inherited sockets. Returns none if LISTEN_FDS is not set, or if LISTEN_PID names another process. If the
// sockets cannot be used, returns an error text that suggests a remedy. Takes ownership of the descriptors, so it may
// be called only once per process.
std::variant<std::vector<inherited_socket>, std::string> take_inherited_sockets(const environment& machine);

// Returns the addresses to which the sockets are bound, in the order of the sockets and without duplicates.
std::vector<listen_address> addresses_of(const std::vector<inherited_socket>& sockets);

// Distributes the inherited sockets of an address to the workers. The result is empty if no inherited socket is bound
// to the address. All sockets are used. If there are fewer sockets than workers, several workers share a socket.
std::vector<std::vector<listening_socket>> share_of_workers(const std::vector<inherited_socket>& sockets,
                                                            const listen_address& address, std::size_t workers);

}  // namespace photofinish::gateway
