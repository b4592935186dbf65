// Opens one connection. The steps are: DNS lookup, TCP connect to several addresses (happy eyeballs, RFC 8305), a
// tunnel if there is a proxy, and TLS. Each step has its own time limit. When run() returns, all attempts have ended.
#pragma once

#include "proxy/loop/wakeup.hpp"
#include "proxy/net/byte_stream.hpp"
#include "proxy/net/network.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct dial_target {
  std::string host;  // a name or an address; an IPv6 address has no brackets
  std::uint16_t port = 443;
  tls_context* tls = nullptr;  // null for a connection without TLS; the context must outlive the connection
  alpn_offer offer = alpn_offer::http1;
  std::optional<forward_proxy> via = {};  // nullopt: direct
  // The time limit for DNS lookup and TCP connect together. Opening a tunnel has a separate time limit of the same
  // length.
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds tls_timeout{5000};
};

// The duration of each step. It is zero if the step did not take place.
struct dial_timings {
  using duration = std::chrono::steady_clock::duration;
  duration dns{}, connect{}, tls{}, total{};
};

class dial {
 public:
  dial(network& net, dial_target target);
  dial(const dial&) = delete;
  dial& operator=(const dial&) = delete;
  ~dial();

  // Opens the connection. Call this function once. Fails with dns, connect or tls if that step fails or exceeds its
  // time limit, and with cancelled if it was cancelled.
  boost::asio::awaitable<result<byte_stream>> run();

  // Makes run() end with `cancelled` in a later turn of the event loop. May be called at any time, also before and
  // after run(), and repeatedly.
  void cancel() noexcept;

  const dial_timings& timings() const { return timings_; }

 private:
  struct attempt;

  boost::asio::awaitable<result<void>> reach();
  boost::asio::awaitable<void> race(const address_list& addresses);
  boost::asio::awaitable<void> start_attempts(const address_list& addresses);
  boost::asio::awaitable<result<void>> tunnel();
  boost::asio::awaitable<result<void>> secure();
  const std::string& peer_host() const { return target_.via ? target_.via->host : target_.host; }
  std::uint16_t peer_port() const { return target_.via ? target_.via->port : target_.port; }
  void start_attempt(const boost::asio::ip::address& address);
  void attempt_ended(attempt& ended, const boost::system::error_code& ec);
  void limit_passed();
  void stop_waiting() noexcept;
  result<void> verdict() const;
  failure time_is_over() const;

  network& net_;
  dial_target target_;
  dial_timings timings_;
  alarm limit_;
  alarm stagger_;
  wakeup wakeup_;
  name_cache::waiter look_up_;
  std::vector<std::unique_ptr<attempt>> attempts_;
  std::size_t running_ = 0;  // number of attempts whose handler has not run yet
  attempt* winner_ = nullptr;
  boost::system::error_code last_error_;
  std::optional<byte_stream> stream_;  // the stream is set after TCP is connected, until run() returns it
  enum class step { dns, connect, tunnel, tls } step_ = step::dns;
  bool is_cancelled_ = false;
  bool is_late_ = false;      // the time limit of the current step has expired
  bool is_next_due_ = false;  // the delay before the next attempt has passed
};

}  // namespace photofinish::proxy
