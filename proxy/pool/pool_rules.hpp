// Decides for one origin which connections may be used, which must be closed, and how many spare connections to keep.
// Its input is events and times, and it returns numbers. connection_pool.hpp carries out the decisions. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/pool/connection_age.hpp"
#include "proxy/pool/prewarm_policy.hpp"
#include "proxy/pool/recent_rate.hpp"

#include <chrono>
#include <cstddef>

namespace photofinish::proxy {

struct pool_limits {
  std::size_t max_connections = 1024;  // maximum number of connections, whether idle, in use or being opened
  std::size_t max_spares = 8;
  // An idle connection is closed after this time. The time must be shorter than the provider's own timeout.
  std::chrono::milliseconds idle_timeout{60000};
  std::chrono::milliseconds max_age{600'000};  // maximum age of a connection; 0 means no maximum
};

struct pool_counts {
  std::size_t idle = 0;
  std::size_t busy = 0;
  std::size_t dialing = 0;
  std::size_t waiting = 0;  // requests that wait for a new connection

  std::size_t total() const { return idle + busy + dialing; }
};

enum class next_step { use_idle, dial, refuse };
enum class freshness { any, fresh_only };

class pool_rules {
 public:
  explicit pool_rules(pool_limits limits = {}) : limits_(limits) {}

  void set_limits(pool_limits limits) { limits_ = limits; }

  // Events.
  void request_came(instant now);
  void nothing_was_warm(instant now);     // a request had to wait for a new connection
  void connection_was_lost(instant now);  // a connection was not returned, because it failed or its request lost a race
  void dial_succeeded(std::chrono::steady_clock::duration took);
  void dial_failed(instant now);
  void answer_began(connection_life life, std::chrono::steady_clock::duration took, instant now);
  void answer_given_up(connection_life life, std::chrono::steady_clock::duration waited, instant now);

  // Decides how a request gets its connection. Dead connections must be removed before this call. fresh_only skips idle
  // connections.
  next_step next(const pool_counts& counts, freshness wanted) const;

  bool has_room(const pool_counts& counts) const { return counts.total() < limits_.max_connections; }

  // True if another request may use a connection that was opened and last used at these times.
  bool may_be_kept(const connection_birth& birth, instant idle_since, instant now) const;

  // True if the connection will soon be too old. Its replacement should then be opened, and the connection no longer
  // counts as a spare connection.
  bool is_ending_soon(const connection_birth& birth, instant now) const;

  // Returns how many spare connections should be kept. It is 0 before the first request, after five minutes without a
  // request, and if spare connections harm the server. If they harm the server, connections that have not served a
  // request are closed.
  std::size_t wanted_spares(instant now) const;

  // missing_spares() returns how many spare connections to open now. It returns 0 until the first connection is open.
  // Until then, only the request itself opens a connection, because a server that does not answer must not be tried
  // twice. surplus_dials() returns how many connection attempts are no longer needed.
  std::size_t missing_spares(const pool_counts& counts, instant now) const;
  std::size_t surplus_dials(const pool_counts& counts, instant now) const;
  bool are_spares_harmful(instant now) const { return prewarm_.is_harmful(now); }

  // True if no request has arrived for so long that the connections and the remembered facts may be dropped.
  bool is_dormant(instant now) const;
  bool is_forgettable(instant now) const { return is_dormant(now) && !are_spares_harmful(now); }

 private:
  std::chrono::steady_clock::duration usual_dial() const;

  pool_limits limits_;
  bool was_asked_ = false;
  bool was_reached_ = false;
  instant last_request_{};
  recent_rate losses_;
  recent_rate shortages_;
  prewarm_policy prewarm_;
  std::chrono::duration<double> dial_time_{0.1};  // smoothed
  int failed_dials_ = 0;                          // number of connection attempts in a row that failed
  instant retry_at_{};
};

}  // namespace photofinish::proxy
