// Runs the DNS library c-ares on the worker's event loop. Looks up one name for one address family and calls back. The
// class has no thread and no cache. It can stop immediately. Asio's own resolver cannot be cancelled, so it would delay
// the worker's end.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct ares_channeldata;
struct ares_addrinfo;

namespace photofinish::proxy {

struct dns_options {
  std::string servers;  // the name servers, such as "127.0.0.1:5353,10.0.0.2"; empty means those in /etc/resolv.conf
  std::chrono::milliseconds query_timeout{2000};  // timeout of the first try; later tries have longer timeouts
  int tries = 2;
};

enum class dns_outcome {
  found,
  no_such_name,  // the name server reports that the name does not exist
  failed,        // there was no usable answer; a later query may succeed
  cancelled,     // stop() ended the query
};

struct dns_answer {
  dns_outcome outcome = dns_outcome::failed;
  std::vector<boost::asio::ip::address> addresses;
  std::chrono::seconds ttl{0};
  std::string detail;  // the reason why no address was found
};

enum class dns_family { v4, v6 };

// To end a channel, call stop(), run the event loop until is_idle(), then destroy the channel.
class dns_channel {
 public:
  using callback = std::function<void(dns_answer)>;

  dns_channel(boost::asio::io_context& loop, alarms& clock, const dns_options& options);
  dns_channel(const dns_channel&) = delete;
  dns_channel& operator=(const dns_channel&) = delete;
  ~dns_channel() { stop(); }

  // Looks up a host and calls `done` once. If no query is needed (/etc/hosts), `done` is called before this function
  // returns. Otherwise it is called from the event loop or from stop().
  void ask(const std::string& host, dns_family family, callback done);

  void stop() noexcept;  // this function may be called repeatedly, and never blocks
  bool is_idle() const { return handlers_ == 0; }

 private:
  struct question;
  struct watched_socket {
    watched_socket(boost::asio::io_context& loop, int fd, std::uint64_t number)
        : descriptor(loop, fd), id(number) {}
    // The destructor releases the descriptor without closing it, because c-ares closes the socket.
    boost::asio::posix::stream_descriptor descriptor;
    std::uint64_t id;  // distinguishes this socket from earlier sockets with the same descriptor number
    bool wants_read = false, wants_write = false;
    bool is_reading = false, is_writing = false;
  };

  // c-ares calls these functions. It is a C library, so no exception may pass through it.
  static void answered(void* question, int status, int timeouts, ares_addrinfo* found) noexcept;
  static void socket_changed(void* self, int fd, int readable, int writable) noexcept;

  void watch(int fd, bool readable, bool writable);
  void wait_for(int fd, watched_socket& socket);
  void socket_ready(int fd, std::uint64_t id, bool readable);
  void set_timeout();

  boost::asio::io_context& loop_;
  alarms& clock_;
  ares_channeldata* channel_ = nullptr;  // the channel is null if c-ares could not be initialized, and after stop()
  int start_error_ = 0;
  alarm timeout_;
  std::map<int, watched_socket> sockets_;
  std::uint64_t last_id_ = 0;
  std::size_t handlers_ = 0;
};

}  // namespace photofinish::proxy
