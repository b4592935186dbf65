// The open connections of one worker, by origin (a provider's host and port). There are idle keep-alive connections,
// and spares, which are opened in advance to replace the connections of losers. pool_rules makes the decisions, and
// origin_pool carries them out for one origin. This file contains the public types for requests, leases and the pool.
#pragma once

#include "proxy/loop/wakeup.hpp"
#include "proxy/net/dial.hpp"
#include "proxy/net/network.hpp"
#include "proxy/pool/connection_wait.hpp"
#include "proxy/pool/lease.hpp"
#include "proxy/pool/origin_map.hpp"
#include "proxy/pool/pool_rules.hpp"
#include "proxy/providers/provider.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace photofinish::proxy {

class connection_pool;
class origin_pool;

// A request for one connection of the pool.
class connection_request final : private connection_wait {
 public:
  // `to` must stay valid until the connection is taken. Connections with different ALPN offers are kept apart. For an
  // offer that includes HTTP/2, no spare connections are opened in advance.
  connection_request(connection_pool& pool, const provider& to, alpn_offer offer = alpn_offer::http1);
  connection_request(const connection_request&) = delete;
  connection_request& operator=(const connection_request&) = delete;
  ~connection_request() { cancel(); }

  // Returns an idle connection without waiting. Returns nullopt if a new connection is being opened; then call
  // await_new(). Only one call may be pending. Failures: dns, connect, tls, and cancelled (by cancel(), or because the
  // pool has stopped).
  std::optional<result<lease>> try_take(freshness wanted = freshness::any);
  boost::asio::awaitable<result<lease>> await_new();
  // Calls try_take(). If it returns nullopt, calls await_new().
  boost::asio::awaitable<result<lease>> take(freshness wanted = freshness::any);

  // Ends a pending wait with `cancelled` in a later turn of the event loop. May be called at any time, and repeatedly.
  // If the pool needs a spare connection, it still opens the new connection.
  void cancel() noexcept;

 private:
  void deliver(result<lease> connection) override;

  connection_pool& pool_;
  const provider& to_;
  alpn_offer offer_;
  wakeup wakeup_;
  origin_pool* waits_at_ = nullptr;
  std::optional<result<lease>> delivered_;
  bool is_cancelled_ = false;
};

// To end a pool, call stop(), co_await drained(), wait until all leases are destroyed, then destroy the pool.
class connection_pool {
 public:
  explicit connection_pool(network& net);
  connection_pool(const connection_pool&) = delete;
  connection_pool& operator=(const connection_pool&) = delete;
  ~connection_pool();

  // Closes idle connections, and ends connection attempts and waits. Connections that are returned later are closed.
  void stop() noexcept;
  boost::asio::awaitable<void> drained();

  // Moves a connection to the HTTP/1.1 connections of its origin, because the provider was offered HTTP/2 but chose
  // HTTP/1.1.
  void move_to_http1(lease& taken, const provider& of);

  pool_counts counts(const provider& of, alpn_offer offer = alpn_offer::http1) const;

 private:
  friend class connection_request;

  // The identity of an origin. Two providers with the same origin share its connections. If the two have different
  // limits, the limits of the provider that was used last apply.
  struct origin_key {
    std::uint16_t port;  // the numbers are the first members, because comparing numbers is fast
    bool is_tls;
    alpn_offer offer;
    std::string host;
    std::string ca_file;
    std::string via;  // the proxy's route, as returned by route_of()
    auto operator<=>(const origin_key&) const = default;
  };
  static origin_key key_of(const provider& of, alpn_offer offer);

  result<origin_pool*> origin_of(const provider& to, alpn_offer offer);
  bool has_leases() const;

  network& net_;
  origin_map<origin_key, origin_pool> origins_;
};

}  // namespace photofinish::proxy
