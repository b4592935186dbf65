// The warm connections of one worker, by origin: keep-alive, and spares dialed ahead to replace the losers'.
// pool_rules decides, origin_pool does it for one origin; here are the doors: request, lease, and the end.
#pragma once

#include "proxy/byte_stream.hpp"
#include "proxy/dial.hpp"
#include "proxy/network.hpp"
#include "proxy/pool_rules.hpp"
#include "proxy/provider.hpp"
#include "proxy/wakeup.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::proxy {

class connection_pool;
class origin_pool;

struct pooled_connection {
  byte_stream stream;
  instant opened_at;
  instant idle_since;
  bool has_served = false;  // a response was read on it
  dial_timings timings;     // of its dial
  std::optional<instant> asked_at = {};  // a request is sent, and no byte of its answer has come
};

// One connection in use. Destroyed without give_back() it is aborted, and replaced by a spare off the
// request's path. It may outlive stop(), but not the pool.
class lease {
 public:
  lease(lease&& other) noexcept;
  lease& operator=(lease&& other) noexcept;
  ~lease();

  byte_stream& stream() { return connection_->stream; }
  bool is_reused() const { return is_reused_; }  // taken warm: idle or spare, no wait for a dial
  bool has_served() const { return connection_->has_served; }  // it may die under us: worth one fresh retry
  const dial_timings& timings() const { return connection_->timings; }  // of this request only if not reused

  // The request has left; the first byte of its answer is here. For the pool to learn how soon new connections answer.
  void request_left();
  void answer_began();

  // The response is read to its end and the connection may serve again. Nothing may be pending on it.
  void give_back();

  // It was offered HTTP/2 and speaks HTTP/1.1: from now on it belongs to the connections of that kind.
  void move_to_http1(connection_pool& pool, const provider& of);

 private:
  friend class origin_pool;
  friend class connection_request;
  friend class http2_origin;
  lease(origin_pool& home, pooled_connection connection, bool is_reused);
  void give_back_unused();
  void lose() noexcept;

  origin_pool* home_;
  std::optional<pooled_connection> connection_;
  bool is_reused_;
};

// One wait for one connection.
class connection_request {
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
  friend class origin_pool;
  void deliver(result<lease> connection);

  connection_pool& pool_;
  const provider& to_;
  alpn_offer offer_;
  wakeup wakeup_;
  freshness wanted_ = freshness::any;
  instant since_{};
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

  pool_counts counts(const provider& of, alpn_offer offer = alpn_offer::http1) const;

 private:
  friend class connection_request;
  friend class lease;
  friend class origin_pool;

  // Two providers with the same origin share its connections; the limits are those of the last to ask.
  struct origin_key {
    std::string host;
    std::uint16_t port;
    bool is_tls;
    std::string ca_file;
    alpn_offer offer;
    std::string via;  // route_of() its proxy
    auto operator<=>(const origin_key&) const = default;
  };
  static origin_key key_of(const provider& of, alpn_offer offer);

  result<origin_pool*> origin_of(const provider& to, alpn_offer offer);
  void balance_soon() noexcept;  // off the path of whoever asks: in a later turn of the loop
  void balance();
  void sweep();
  bool is_drained() const;
  bool has_leases() const;

  network& net_;
  std::map<origin_key, std::unique_ptr<origin_pool>> origins_;
  alarm sweep_;
  wakeup drained_;
  bool is_balance_posted_ = false;
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
