// A connection of the pool on loan to one request, and the home that it goes back to.
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
  dial_timings timings;     // of its dial
  std::optional<instant> asked_at = {};  // a request is sent, and no byte of its answer has come
  double lifetime_share = 1;             // connection_age.hpp

  connection_birth birth() const { return {opened_at, lifetime_share}; }
};

// Whose connection a lease holds: one origin's.
class lease_home {
 public:
  virtual void came_back(pooled_connection connection) = 0;
  virtual void was_lost(const pooled_connection& connection) noexcept = 0;
  virtual void request_left(pooled_connection& connection) = 0;
  virtual void answer_began(pooled_connection& connection) = 0;
  // It goes on as another home's, which it joins.
  virtual void left() noexcept = 0;
  virtual void joined() noexcept = 0;

 protected:
  ~lease_home() = default;
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
