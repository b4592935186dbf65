#include "gateway/server/listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace photofinish::gateway {
namespace {

enum class port_sharing { no, yes };

using address_list = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::string display(const listen_address& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bind_failure failure_on(const listen_address& address, int error) {
  std::string reason = std::strerror(error);
  if (error == EADDRINUSE) reason = "another server uses this address; stop it, or choose another port with --listen";
  if (error == EACCES) reason = "ports below 1024 need CAP_NET_BIND_SERVICE; choose another port with --listen";
  const bool is_missing = error == EAFNOSUPPORT || error == EADDRNOTAVAIL;
  return {is_missing, "cannot listen on " + display(address) + ": " + reason};
}

// Returns a bound socket. On failure returns the negative error number (-errno).
int open_bound(const addrinfo& where, port_sharing sharing) {
  const int descriptor = ::socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  listening_socket guard(descriptor);
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (sharing == port_sharing::yes) ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (where.ai_family == AF_INET6) ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(descriptor, where.ai_addr, where.ai_addrlen) != 0) return -errno;
  return guard.release();
}

std::uint16_t port_of(int descriptor) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size);
  if (bound.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

void set_port(addrinfo& where, std::uint16_t port) {
  if (where.ai_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(where.ai_addr)->sin6_port = htons(port);
  else reinterpret_cast<sockaddr_in*>(where.ai_addr)->sin_port = htons(port);
}

bool is_loopback(const addrinfo& where) {
  if (where.ai_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<sockaddr_in6*>(where.ai_addr)->sin6_addr);
  return (ntohl(reinterpret_cast<sockaddr_in*>(where.ai_addr)->sin_addr.s_addr) >> 24) == 127;
}

}  // namespace

listening_socket& listening_socket::operator=(listening_socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(whose_, other.whose_);
  return *this;
}

listening_socket::~listening_socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int listening_socket::release() { return std::exchange(descriptor_, -1); }

std::variant<bound_address, bind_failure> bind_for_workers(const listen_address& address, std::size_t workers) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return bind_failure{false, "cannot listen on " + display(address) + ": " + gai_strerror(error)};
  const address_list where(found, &freeaddrinfo);

  bound_address bound{address, is_loopback(*where), {}};
  {
    const int probe = open_bound(*where, port_sharing::no);
    if (probe < 0) return failure_on(address, -probe);
    const listening_socket guard(probe);
    if (::listen(probe, 1) != 0) return failure_on(address, errno);
    bound.address.port = port_of(probe);
  }
  set_port(*where, bound.address.port);
  for (std::size_t index = 0; index < workers; ++index) {
    const int descriptor = open_bound(*where, port_sharing::yes);
    if (descriptor < 0) return failure_on(bound.address, -descriptor);
    bound.sockets.emplace_back(descriptor);
    if (::listen(descriptor, listen_backlog) != 0) return failure_on(bound.address, errno);
  }
  return bound;
}

}  // namespace photofinish::gateway
