// Decides for one origin how many HTTP/2 connections to open, which connections to keep, and when HTTP/1.1 is better.
// Its input is events and times. http2_origin.hpp carries out the decisions. reset_budget.hpp contains the rules for a
// single connection. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/pool/connection_age.hpp"

#include <chrono>
#include <cstddef>

namespace photofinish::proxy {

// A new connection accepts this number of streams immediately (reset_limits::per_second).
constexpr std::size_t streams_of_a_dial = 5;

// While requests arrive, the open connections together should accept at least this many more streams. This number is
// more than half of the streams that a new connection accepts.
constexpr std::size_t held_ready = 3;

struct http2_counts {
  std::size_t headroom = 0;  // number of streams that the open connections can still accept
  std::size_t dialing = 0;
  std::size_t waiting = 0;        // number of all requests that wait for a connection
  std::size_t waiting_fresh = 0;  // number of waiting requests that require a new connection
};

struct http2_ages {
  std::chrono::milliseconds idle_timeout{60'000};
  std::chrono::milliseconds max_age{600'000};  // an age of 0 means that there is no maximum
};

// A connection that will be too old within this time no longer counts as available. The gateway then opens its
// replacement while the old connection still accepts streams. Opening a connection takes less than this time.
constexpr std::chrono::seconds http2_dial_ahead{5};

class http2_rules {
 public:
  // Events.
  void request_came(instant now);
  void dial_succeeded();
  void dial_failed(instant now);
  void spoke_http1(instant now);  // call this if the provider was offered HTTP/2 but chose HTTP/1.1
  // The provider sent ENHANCE_YOUR_CALM, so it probably mistakes the gateway for an attacker.
  void received_enhance_your_calm(instant now);
  void was_heard() { unheard_ = unused_ = 0; }   // call this if an answer arrived over HTTP/2
  // Call this if the provider closed a connection with open requests and had not answered any of them.
  void ended_unheard(instant now);
  // Call this if the provider closed a connection that has not carried any request.
  void ended_unused(instant opened_at, instant now);

  // True if a request that may use either version should use HTTP/1.1.
  bool prefers_http1(instant now) const;

  // Returns how many connections to open in addition to the connections that are being opened. While requests arrive,
  // some connections are opened in advance.
  std::size_t missing_dials(const http2_counts& counts, instant now) const;

  // True if the connection may be kept. It was opened at `birth` and has had no streams since `idle_since`.
  bool may_be_kept(const connection_birth& birth, instant idle_since, const http2_ages& ages, instant now) const;

  // True if no request has arrived for so long that the connections and the remembered facts may be dropped.
  bool is_dormant(instant now) const;

 private:
  bool was_asked_ = false;
  bool was_reached_ = false;
  instant last_request_{};
  int failed_dials_ = 0;  // number of connection attempts in a row that failed
  int unheard_ = 0;       // number of connections in a row without an answer
  int unused_ = 0;        // number of connections in a row that the provider closed unused, soon after they were opened
  instant retry_at_{};
  instant http1_until_{};
};

}  // namespace photofinish::proxy
