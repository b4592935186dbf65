// Listening sockets that another process has opened for this one, as systemd's .socket units do. LISTEN_FDS is the
// number of sockets, from descriptor 3 on. LISTEN_PID is the process that they are for. The sockets stay open when one
// gateway replaces another.
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

// Returns the sockets. Returns none if LISTEN_FDS is not set, or if LISTEN_PID is another process. Returns a
// text with the reason and a remedy if the sockets cannot be used. Takes ownership of the descriptors, so call
// it only once per process.
std::variant<std::vector<inherited_socket>, std::string> take_inherited_sockets(const environment& machine);

// Returns the addresses in the order of the sockets, without duplicates.
std::vector<listen_address> addresses_of(const std::vector<inherited_socket>& sockets);

// Returns the sockets that each worker listens on at that address. Empty if no socket was handed over for it. All
// sockets are used. If there are fewer sockets than workers, workers share them.
std::vector<std::vector<listening_socket>> share_of_workers(const std::vector<inherited_socket>& sockets,
                                                            const listen_address& address, std::size_t workers);

}  // namespace photofinish::gateway
