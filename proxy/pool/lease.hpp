// A connection of the pool that one request has borrowed, and the origin to which it returns.
#pragma once

#include "proxy/net/byte_stream.hpp"
#include "proxy/net/dial.hpp"
#include "proxy/pool/connection_age.hpp"

#include <optional>

namespace photofinish::proxy {

struct pooled_connection {
  byte_stream stream;
  instant opened_at;
  instant idle_since;
  bool has_served = false;               // true if a response was read on this connection
  dial_timings timings;                  // the durations of the steps of its dial
  std::optional<instant> asked_at = {};  // when the request was sent; reset when its answer's first byte arrives
  double lifetime_share = 1;             // the value of lifetime_share() in connection_age.hpp

  connection_birth birth() const { return {opened_at, lifetime_share}; }
};

// The origin that owns the connection of a lease.
class lease_home {
 public:
  virtual void came_back(pooled_connection connection) = 0;
  virtual void was_lost(const pooled_connection& connection) noexcept = 0;
  virtual void request_left(pooled_connection& connection) = 0;
  virtual void answer_began(pooled_connection& connection) = 0;
  // The lease calls this when its connection leaves this home for another one.
  virtual void left() noexcept = 0;
  virtual void joined() noexcept = 0;

 protected:
  ~lease_home() = default;
};

// One connection in use. If a lease is destroyed without give_back(), its connection is aborted, and a spare replaces
// it outside the request's path. It may outlive stop(), but not the pool.
class lease {
 public:
  lease(lease&& other) noexcept;
  lease& operator=(lease&& other) noexcept;
  ~lease();

  byte_stream& stream() { return connection_->stream; }
  bool is_reused() const { return is_reused_; }  // true if it was idle or a spare, so that no dial was awaited
  // True if a response was read on this connection before. It may break unexpectedly, which justifies one retry
  // on a fresh connection.
  bool has_served() const { return connection_->has_served; }
  // Returns the durations of the dial. This request waited for the dial only if the connection is not reused.
  const dial_timings& timings() const { return connection_->timings; }

  // These functions report that the request was sent, and that the first byte of its answer arrived. The pool learns
  // from them how soon new connections answer.
  void request_left();
  void answer_began();

  // Returns the connection to the pool. Call it after the response has been read completely, if the connection may
  // serve again. No operation may be pending on it.
  void give_back();

  void move_to(lease_home& home);

 private:
  friend class origin_pool;
  friend class connection_request;
  friend class http2_origin;
  lease(lease_home& home, pooled_connection connection, bool is_reused);
  void give_back_unused();
  void lose() noexcept;

  lease_home* home_;
  std::optional<pooled_connection> connection_;
  bool is_reused_;
};

}  // namespace photofinish::proxy
