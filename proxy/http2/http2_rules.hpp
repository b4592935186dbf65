// What one origin's HTTP/2 connections do next: how many to dial, which may stay, and when HTTP/1.1 is the better
// choice. [pure] Events and a time go in; http2_origin.hpp does what they say. reset_budget.hpp has the rules of
// one connection.
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/pool/connection_age.hpp"

#include <chrono>
#include <cstddef>

namespace photofinish::proxy {

// How many streams a new connection takes at once (reset_limits::per_second).
constexpr std::size_t streams_of_a_dial = 5;

// Headroom, in streams, that is held ready while requests come: more than half of a new connection's.
constexpr std::size_t held_ready = 3;

struct http2_counts {
  std::size_t headroom = 0;       // streams that the connections may still take
  std::size_t dialing = 0;
  std::size_t waiting = 0;        // requests without a connection
  std::size_t waiting_fresh = 0;  // of those, the ones that want none that is already there
};

struct http2_ages {
  std::chrono::milliseconds idle_timeout{60'000};
  std::chrono::milliseconds max_age{600'000};  // 0: connections of any age are kept
};

// A connection's headroom does not count for so long before the connection is too old, so that its replacement is
// dialed while it still takes streams. A dial takes less.
constexpr std::chrono::seconds http2_dial_ahead{5};

class http2_rules {
 public:
  // What has happened.
  void request_came(instant now);
  void dial_succeeded();
  void dial_failed(instant now);
  void spoke_http1(instant now);       // it was offered HTTP/2 and chose HTTP/1.1
  void received_enhance_your_calm(instant now);        // ENHANCE_YOUR_CALM: we are taken for an attacker
  void was_heard() { unheard_ = unused_ = 0; }   // an answer came over HTTP/2
  void ended_unheard(instant now);     // the provider ended a connection with requests on it, and none answered
  void ended_unused(instant opened_at, instant now);  // the provider ended a connection that carried no request yet

  // Whether a request should not even ask for HTTP/2, where it has the choice.
  bool prefers_http1(instant now) const;

  // How many connections to dial beside those being dialed. Some headroom is held ready while requests come.
  std::size_t missing_dials(const http2_counts& counts, instant now) const;

  // Whether a connection opened then, and without a stream since `idle_since`, may take another.
  bool may_be_kept(const connection_birth& birth, instant idle_since, const http2_ages& ages, instant now) const;

  // No request for so long that nothing needs to be kept or remembered.
  bool is_dormant(instant now) const;

 private:
  bool was_asked_ = false;
  bool was_reached_ = false;
  instant last_request_{};
  int failed_dials_ = 0;  // in a row
  int unheard_ = 0;       // connections, in a row
  int unused_ = 0;        // connections that ended unused soon after their dial, in a row
  instant retry_at_{};
  instant http1_until_{};
};

}  // namespace photofinish::proxy
