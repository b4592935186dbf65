// A connection of the pool that one request uses, and the origin to which the connection is returned.
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
  dial_timings timings;                  // durations of the steps in which the connection was opened
  std::optional<instant> asked_at = {};  // time when the request was sent; empty after the answer's first byte
  double lifetime_share = 1;             // result of the function lifetime_share() in connection_age.hpp

  connection_birth birth() const { return {opened_at, lifetime_share}; }
};

// The origin to which the connection of a lease is returned.
class lease_home {
 public:
  virtual void came_back(pooled_connection connection) = 0;
  virtual void was_lost(const pooled_connection& connection) noexcept = 0;
  virtual void request_left(pooled_connection& connection) = 0;
  virtual void answer_began(pooled_connection& connection) = 0;
  // The lease calls this function when its connection moves to another origin.
  virtual void left() noexcept = 0;
  virtual void joined() noexcept = 0;

 protected:
  ~lease_home() = default;
};

// One connection in use. If a lease is destroyed without give_back(), its connection is closed, and a spare connection
// is later opened in its place. A lease may be destroyed after stop(), but not after the pool.
class lease {
 public:
  lease(lease&& other) noexcept;
  lease& operator=(lease&& other) noexcept;
  ~lease();

  byte_stream& stream() { return connection_->stream; }
  bool is_reused() const { return is_reused_; }  // true if the request did not have to wait until the connection was
                                                 // opened
  // True if an earlier response was read on this connection. The server may close such a connection at any time, so a
  // request that fails on it may be sent again on a new connection.
  bool has_served() const { return connection_->has_served; }
  // Returns how long it took to open the connection. If is_reused() is true, this request did not wait for it.
  const dial_timings& timings() const { return connection_->timings; }

  // These functions report that the request was sent, and that the first byte of its answer arrived. The pool uses the
  // reports to measure how soon new connections answer.
  void request_left();
  void answer_began();

  // Returns the connection to the pool. Call this function after the whole response has been read, if the connection
  // can serve another request. No operation may be pending on the connection.
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
