#include "gateway/server/socket_activation.hpp"

#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

namespace photofinish::gateway {
namespace {

constexpr int first_inherited = 3;    // the first inherited descriptor, after standard input, output and error
constexpr int most_inherited = 1024;  // the maximum number of workers

std::optional<int> number_in(const std::optional<std::string>& text) {
  return text ? proxy::parse_number<int>(*text) : std::nullopt;
}

int option_of(int descriptor, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

// Returns the address of a bound socket. Returns nothing if it is not an IP address.
std::optional<listen_address> address_bound_to(int descriptor) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(&bound);
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&bound);
  const bool is_v6 = bound.ss_family == AF_INET6;
  if (!is_v6 && bound.ss_family != AF_INET) return std::nullopt;
  const void* host = is_v6 ? static_cast<const void*>(&v6->sin6_addr) : &v4->sin_addr;
  ::inet_ntop(bound.ss_family, host, text.data(), text.size());
  return listen_address{text.data(), ntohs(is_v6 ? v6->sin6_port : v4->sin_port)};
}

std::string problem_of_socket(int descriptor) {
  const std::string which = "the socket " + std::to_string(descriptor) + " that LISTEN_FDS passes ";
  if (option_of(descriptor, SO_TYPE) != SOCK_STREAM || option_of(descriptor, SO_ACCEPTCONN) != 1)
    return which + "is not a listening TCP socket: the .socket unit needs ListenStream= and Accept=no";
  if (!address_bound_to(descriptor))
    return which + "is not bound to an IP address: write ListenStream=ADDRESS:PORT, not a path";
  return {};
}

}  // namespace

std::variant<std::vector<inherited_socket>, std::string> take_inherited_sockets(const environment& machine) {
  const auto whose = number_in(machine.variable("LISTEN_PID"));
  const auto count = number_in(machine.variable("LISTEN_FDS"));
  std::vector<inherited_socket> taken;
  if (whose != static_cast<int>(::getpid()) || !count) return taken;
  if (*count < 0 || *count > most_inherited) return "LISTEN_FDS must be at most " + std::to_string(most_inherited);
  for (int descriptor = first_inherited; descriptor < first_inherited + *count; ++descriptor) {
    if (std::string problem = problem_of_socket(descriptor); !problem.empty()) return problem;
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    taken.push_back({listening_socket(descriptor, listening_socket::owner::another_process),
                     *address_bound_to(descriptor)});
  }
  return taken;
}

std::vector<listen_address> addresses_of(const std::vector<inherited_socket>& sockets) {
  std::vector<listen_address> addresses;
  for (const inherited_socket& each : sockets)
    if (!proxy::contains(addresses, each.address)) addresses.push_back(each.address);
  return addresses;
}

std::vector<std::vector<listening_socket>> share_of_workers(const std::vector<inherited_socket>& sockets,
                                                            const listen_address& address, std::size_t workers) {
  std::vector<int> bound;
  for (const inherited_socket& each : sockets)
    if (each.address == address) bound.push_back(each.socket.get());
  if (bound.empty()) return {};
  std::vector<std::vector<listening_socket>> shares(workers);
  for (std::size_t at = 0; at < std::max(workers, bound.size()); ++at) {
    const int descriptor = ::fcntl(bound[at % bound.size()], F_DUPFD_CLOEXEC, 0);
    if (descriptor >= 0) shares[at % workers].emplace_back(descriptor, listening_socket::owner::another_process);
  }
  return shares;
}

}  // namespace photofinish::gateway
