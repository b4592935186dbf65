#include "proxy/net/dns_channel.hpp"

#include <ares.h>
#include <netinet/in.h>
#include <sys/time.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace photofinish::proxy {
namespace {

namespace asio = boost::asio;

// Initializes c-ares once for the whole process. The first worker does this, because this function is not thread-safe
// in c-ares before 1.24.
int start_library() {
  static const int status = ares_library_init(ARES_LIB_INIT_ALL);
  return status;
}

std::optional<asio::ip::address> address_of(const ares_addrinfo_node& node) {
  if (node.ai_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, node.ai_addr, sizeof v4);
    return asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (node.ai_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, node.ai_addr, sizeof v6);
    asio::ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return asio::ip::address_v6(bytes, v6.sin6_scope_id);
  }
  return std::nullopt;
}

dns_outcome outcome_of(int status) {
  switch (status) {
    case ARES_SUCCESS: return dns_outcome::found;
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_ENONAME: return dns_outcome::no_such_name;
    case ARES_ECANCELLED:
    case ARES_EDESTRUCTION: return dns_outcome::cancelled;
    default: return dns_outcome::failed;
  }
}

// Collects the addresses, and the shortest TTL of all DNS records that led to them.
dns_answer answer_of(int status, const ares_addrinfo* found) {
  dns_answer answer{.outcome = outcome_of(status), .addresses = {}, .ttl = {}, .detail = {}};
  if (status != ARES_SUCCESS) {
    answer.detail = ares_strerror(status);
    return answer;
  }
  int ttl = std::numeric_limits<int>::max();
  for (const auto* name = found->cnames; name != nullptr; name = name->next) ttl = std::min(ttl, name->ttl);
  for (const auto* node = found->nodes; node != nullptr; node = node->ai_next) {
    ttl = std::min(ttl, node->ai_ttl);
    if (auto address = address_of(*node)) answer.addresses.push_back(*address);
  }
  answer.ttl = std::chrono::seconds(ttl);
  if (answer.addresses.empty()) answer.outcome = dns_outcome::no_such_name;
  return answer;
}

}  // namespace

struct dns_channel::question {
  callback done;
};

dns_channel::dns_channel(asio::io_context& loop, alarms& clock, const dns_options& options)
    : loop_(loop), clock_(clock), timeout_(clock, [this] {
        ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
        set_timeout();
      }) {
  ares_options wanted{};
  wanted.timeout = static_cast<int>(options.query_timeout.count());
  wanted.tries = options.tries;
  wanted.sock_state_cb = &dns_channel::socket_changed;
  wanted.sock_state_cb_data = this;
  start_error_ = start_library();
  if (start_error_ != ARES_SUCCESS) return;
  constexpr int given = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
  start_error_ = ares_init_options(&channel_, &wanted, given);
  if (start_error_ != ARES_SUCCESS) {
    channel_ = nullptr;
    return;
  }
  if (options.servers.empty()) return;
  start_error_ = ares_set_servers_ports_csv(channel_, options.servers.c_str());
  if (start_error_ != ARES_SUCCESS) stop();
}

void dns_channel::ask(const std::string& host, dns_family family, callback done) {
  if (channel_ == nullptr) {
    const int status = start_error_ == ARES_SUCCESS ? ARES_ECANCELLED : start_error_;
    return done(answer_of(status, nullptr));
  }
  ares_addrinfo_hints hints{};
  hints.ai_family = family == dns_family::v4 ? AF_INET : AF_INET6;
  // Sorting is disabled, because c-ares would open a socket for each address. dial tries all addresses anyway.
  hints.ai_flags = ARES_AI_NOSORT;
  auto asked = std::make_unique<question>(question{std::move(done)});
  ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &dns_channel::answered, asked.release());
  set_timeout();
}

void dns_channel::answered(void* asked, int status, int /*timeouts*/, ares_addrinfo* found) noexcept {
  const std::unique_ptr<question> owned(static_cast<question*>(asked));
  dns_answer answer = answer_of(status, found);
  if (found != nullptr) ares_freeaddrinfo(found);
  owned->done(std::move(answer));
}

void dns_channel::stop() noexcept {
  timeout_.disarm();
  if (channel_ == nullptr) return;
  auto* channel = std::exchange(channel_, nullptr);
  ares_cancel(channel);   // calls the callbacks of all queries
  ares_destroy(channel);  // closes the sockets and calls socket_changed() for each of them
}

void dns_channel::socket_changed(void* self, int fd, int readable, int writable) noexcept {
  static_cast<dns_channel*>(self)->watch(fd, readable != 0, writable != 0);
}

void dns_channel::watch(int fd, bool readable, bool writable) {
  if (!readable && !writable) {
    const auto gone = sockets_.find(fd);
    if (gone == sockets_.end()) return;
    gone->second.descriptor.release();  // the socket's handlers are cancelled, but count as pending until they have run
    sockets_.erase(gone);
    return;
  }
  auto& socket = sockets_.try_emplace(fd, loop_, fd, ++last_id_).first->second;
  socket.wants_read = readable;
  socket.wants_write = writable;
  wait_for(fd, socket);
}

void dns_channel::wait_for(int fd, watched_socket& socket) {
  using descriptor = asio::posix::stream_descriptor;
  const auto handler = [this, fd, id = socket.id](bool readable) {
    return [this, fd, id, readable](const boost::system::error_code& ec) {
      --handlers_;
      if (!ec) socket_ready(fd, id, readable);
    };
  };
  if (socket.wants_read && !socket.is_reading) {
    socket.is_reading = true;
    ++handlers_;
    socket.descriptor.async_wait(descriptor::wait_read, handler(true));
  }
  if (socket.wants_write && !socket.is_writing) {
    socket.is_writing = true;
    ++handlers_;
    socket.descriptor.async_wait(descriptor::wait_write, handler(false));
  }
}

void dns_channel::socket_ready(int fd, std::uint64_t id, bool readable) {
  const auto is_current = [&](auto found) { return found != sockets_.end() && found->second.id == id; };
  auto socket = sockets_.find(fd);
  if (channel_ == nullptr || !is_current(socket)) return;  // the socket was closed before this handler ran
  (readable ? socket->second.is_reading : socket->second.is_writing) = false;
  ares_process_fd(channel_, readable ? fd : ARES_SOCKET_BAD, readable ? ARES_SOCKET_BAD : fd);
  socket = sockets_.find(fd);
  if (is_current(socket)) wait_for(fd, socket->second);
  set_timeout();
}

void dns_channel::set_timeout() {
  timeval left{};
  if (channel_ == nullptr || ares_timeout(channel_, nullptr, &left) == nullptr) return timeout_.disarm();
  // Adds one millisecond, because the alarm could otherwise be called just before the time at which c-ares wants to be
  // called.
  timeout_.arm(clock_.now() + std::chrono::seconds(left.tv_sec) +
               std::chrono::microseconds(left.tv_usec) + std::chrono::milliseconds(1));
}

}  // namespace photofinish::proxy
