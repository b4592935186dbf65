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
  bool has_served = false;  // a response was read on it
  dial_timings timings;     // durations of its dial
  std::optional<instant> asked_at = {};  // set while a request is sent and no byte of its answer has arrived
  double lifetime_share = 1;             // see connection_age.hpp

  connection_birth birth() const { return {opened_at, lifetime_share}; }
};

// The origin that owns the connection of a lease.
class lease_home {
 public:
  virtual void came_back(pooled_connection connection) = 0;
  virtual void was_lost(const pooled_connection& connection) noexcept = 0;
  virtual void request_left(pooled_connection& connection) = 0;
  virtual void answer_began(pooled_connection& connection) = 0;
  // The connection left this home and joins another one.
  virtual void left() noexcept = 0;
  virtual void joined() noexcept = 0;

 protected:
  ~lease_home() = default;
};

// One connection in use. If it is destroyed without give_back(), it is aborted, and a spare replaces it outside the
// request's path. It may outlive stop(), but not the pool.
class lease {
 public:
  lease(lease&& other) noexcept;
  lease& operator=(lease&& other) noexcept;
  ~lease();

  byte_stream& stream() { return connection_->stream; }
  bool is_reused() const { return is_reused_; }  // taken warm: idle or spare, without a wait for a dial
  // It may break unexpectedly, which justifies one retry on a fresh connection.
  bool has_served() const { return connection_->has_served; }
  const dial_timings& timings() const { return connection_->timings; }  // caused by this request only if not reused

  // Report that the request was sent, and that the first byte of its answer arrived. The pool learns from this how soon
  // new connections answer.
  void request_left();
  void answer_began();

  // Call it after the response has been read completely, if the connection may serve again. Nothing may be pending on
  // it.
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
