// What one origin's connections do next: which may be used, which must go, and how many warm spares to hold.
// [pure] Events and a time go in, figures come out; connection_pool.hpp does what they say.
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/pool/connection_age.hpp"
#include "proxy/pool/prewarm_policy.hpp"
#include "proxy/pool/recent_rate.hpp"

#include <chrono>
#include <cstddef>

namespace photofinish::proxy {

struct pool_limits {
  std::size_t max_connections = 1024;  // idle, busy and being dialed
  std::size_t max_spares = 8;
  std::chrono::milliseconds idle_timeout{60000};  // must lie below the provider's own
  std::chrono::milliseconds max_age{600'000};     // 0: connections of any age are kept
};

struct pool_counts {
  std::size_t idle = 0;
  std::size_t busy = 0;
  std::size_t dialing = 0;
  std::size_t waiting = 0;  // requests that a dial is meant for

  std::size_t total() const { return idle + busy + dialing; }
};

enum class next_step { use_idle, dial, refuse };
enum class freshness { any, fresh_only };

class pool_rules {
 public:
  explicit pool_rules(pool_limits limits = {}) : limits_(limits) {}

  void set_limits(pool_limits limits) { limits_ = limits; }

  // What has happened.
  void request_came(instant now);
  void nothing_was_warm(instant now);  // a request had to wait for a dial
  void connection_was_lost(instant now);  // leased and never given back: a loser's, or a broken one
  void dial_succeeded(std::chrono::steady_clock::duration took);
  void dial_failed(instant now);
  void answer_began(connection_life life, std::chrono::steady_clock::duration took, instant now);
  void answer_given_up(connection_life life, std::chrono::steady_clock::duration waited, instant now);

  // What a request does, once dead connections are gone. fresh_only passes idle ones by.
  next_step next(const pool_counts& counts, freshness wanted) const;

  bool has_room(const pool_counts& counts) const { return counts.total() < limits_.max_connections; }

  // Whether a connection opened and last used then may wait for another request.
  bool may_be_kept(const connection_birth& birth, instant idle_since, instant now) const;

  // Whether its replacement is to be dialed now: it is not counted as a spare any more.
  bool is_ending_soon(const connection_birth& birth, instant now) const;

  // How many warm connections to hold. None before the first request, none after five minutes without one, none where
  // they starve the server: then those that have not served yet are to be closed.
  std::size_t wanted_spares(instant now) const;

  // How many spares to dial now (none before the first connection has come about: the request's own dial
  // comes first, and a dead origin is not dialed twice), and how many running dials are not needed any more.
  std::size_t missing_spares(const pool_counts& counts, instant now) const;
  std::size_t surplus_dials(const pool_counts& counts, instant now) const;
  bool are_spares_harmful(instant now) const { return prewarm_.is_harmful(now); }

  // No request for so long that nothing needs to be kept or remembered.
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
  int failed_dials_ = 0;                          // in a row
  instant retry_at_{};
};

}  // namespace photofinish::proxy
