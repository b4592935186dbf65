// Decides for one origin how many HTTP/2 connections to dial, which may be kept, and when HTTP/1.1 is better.
// [pure] Its input is events and times. http2_origin.hpp carries out the decisions. reset_budget.hpp has the
// rules for one connection.
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/pool/connection_age.hpp"

#include <chrono>
#include <cstddef>

namespace photofinish::proxy {

// The number of streams that a new connection accepts immediately (reset_limits::per_second).
constexpr std::size_t streams_of_a_dial = 5;

// The headroom, in streams, that is held ready while requests arrive. It is more than half of a new
// connection's headroom.
constexpr std::size_t held_ready = 3;

struct http2_counts {
  std::size_t headroom = 0;  // streams that the open connections can still accept
  std::size_t dialing = 0;
  std::size_t waiting = 0;        // requests that do not have a connection yet
  std::size_t waiting_fresh = 0;  // waiting requests that need a new connection
};

struct http2_ages {
  std::chrono::milliseconds idle_timeout{60'000};
  std::chrono::milliseconds max_age{600'000};  // 0 if there is no maximum age
};

// A connection's headroom stops counting this long before the connection is too old. Its replacement is then dialed
// while the connection still accepts streams. A dial takes less time than this.
constexpr std::chrono::seconds http2_dial_ahead{5};

class http2_rules {
 public:
  // Events.
  void request_came(instant now);
  void dial_succeeded();
  void dial_failed(instant now);
  void spoke_http1(instant now);  // call if the provider was offered HTTP/2 and chose HTTP/1.1
  // The provider sent ENHANCE_YOUR_CALM, so it mistakes us for an attacker.
  void received_enhance_your_calm(instant now);
  void was_heard() { unheard_ = unused_ = 0; }   // an answer arrived over HTTP/2
  // Call this if the provider closed a connection with open requests and had answered none of them.
  void ended_unheard(instant now);
  // Call this if the provider closed a connection that had not yet carried a request.
  void ended_unused(instant opened_at, instant now);

  // True if a request that could use either version should not ask for HTTP/2.
  bool prefers_http1(instant now) const;

  // Returns how many connections to dial in addition to the running dials. Some headroom is held ready
  // while requests arrive.
  std::size_t missing_dials(const http2_counts& counts, instant now) const;

  // True if the connection may carry another stream. It was opened at `birth` and has had no
  // streams since `idle_since`.
  bool may_be_kept(const connection_birth& birth, instant idle_since, const http2_ages& ages, instant now) const;

  // True if no request has arrived for so long that nothing needs to be kept or remembered.
  bool is_dormant(instant now) const;

 private:
  bool was_asked_ = false;
  bool was_reached_ = false;
  instant last_request_{};
  int failed_dials_ = 0;  // the number of dials that failed in a row
  int unheard_ = 0;       // the number of connections without an answer in a row
  int unused_ = 0;        // number of connections in a row that the provider closed unused soon after the dial
  instant retry_at_{};
  instant http1_until_{};
};

}  // namespace photofinish::proxy
