// The warm connections of one worker, by origin: keep-alive, and spares dialed ahead to replace the losers'.
// pool_rules decides, origin_pool does it for one origin; here are the doors: request, lease, and the end.
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

// One wait for one connection.
class connection_request final : private connection_wait {
 public:
  // `to` is borrowed until its connection is taken. Connections of different offers are kept apart; for those that
  // may turn out to speak HTTP/2 no spares are dialed.
  connection_request(connection_pool& pool, const provider& to, alpn_offer offer = alpn_offer::http1);
  connection_request(const connection_request&) = delete;
  connection_request& operator=(const connection_request&) = delete;
  ~connection_request() { cancel(); }

  // An idle connection, without waiting; none: a new one is on its way, and await_new() gives it. Called once at a
  // time. Failures: dns, connect, tls, and cancelled (by cancel(), or the pool has stopped).
  std::optional<result<lease>> try_take(freshness wanted = freshness::any);
  boost::asio::awaitable<result<lease>> await_new();
  // The two together.
  boost::asio::awaitable<result<lease>> take(freshness wanted = freshness::any);

  // Makes what waits end with `cancelled` in a later turn of the loop. Legal in every state; idempotent. The dial
  // goes on where a spare is wanted.
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

// To end it: stop(), co_await drained(), wait for every lease to be gone, destroy.
class connection_pool {
 public:
  explicit connection_pool(network& net);
  connection_pool(const connection_pool&) = delete;
  connection_pool& operator=(const connection_pool&) = delete;
  ~connection_pool();

  // Closes what is idle, ends dials and waits. Connections given back later are closed.
  void stop() noexcept;
  boost::asio::awaitable<void> drained();

  // It was offered HTTP/2 and speaks HTTP/1.1: from now on it belongs to the connections of that kind.
  void move_to_http1(lease& taken, const provider& of);

  pool_counts counts(const provider& of, alpn_offer offer = alpn_offer::http1) const;

 private:
  friend class connection_request;

  // Two providers with the same origin share its connections; the limits are those of the last to ask.
  struct origin_key {
    std::uint16_t port;  // numbers come first, because comparing them is cheap
    bool is_tls;
    alpn_offer offer;
    std::string host;
    std::string ca_file;
    std::string via;  // route_of() its proxy
    auto operator<=>(const origin_key&) const = default;
  };
  static origin_key key_of(const provider& of, alpn_offer offer);

  result<origin_pool*> origin_of(const provider& to, alpn_offer offer);
  bool has_leases() const;

  network& net_;
  origin_map<origin_key, origin_pool> origins_;
};

}  // namespace photofinish::proxy
