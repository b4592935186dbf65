#include "proxy/http2/http2_rules.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;

constexpr auto dormant_after = 5min;
constexpr auto first_pause = 1s;  // pause after a failed attempt to open a connection in advance
constexpr int max_doublings = 5;
constexpr auto short_life = 10s;   // an unused connection that ends before this age was probably closed because it was
                                   // unused
constexpr int max_unheard = 2;     // after this number of connections in a row without an answer, HTTP/2 counts as
                                   // broken
constexpr auto http1_for = 10min;  // HTTP/2 is tried again after this time

}  // namespace

void http2_rules::request_came(instant now) {
  was_asked_ = true;
  last_request_ = now;
}

void http2_rules::dial_succeeded() {
  was_reached_ = true;
  failed_dials_ = 0;
  retry_at_ = {};
}

void http2_rules::dial_failed(instant now) {
  retry_at_ = now + first_pause * (1 << std::min(failed_dials_, max_doublings));
  ++failed_dials_;
}

void http2_rules::spoke_http1(instant now) { http1_until_ = now + http1_for; }

void http2_rules::received_enhance_your_calm(instant now) { http1_until_ = now + http1_for; }

void http2_rules::ended_unheard(instant now) {
  if (++unheard_ < max_unheard) return;
  unheard_ = 0;
  http1_until_ = now + http1_for;
}

// The provider closed a connection that carried no request. Pauses the opening of connections in advance, because the
// next connection would probably end in the same way. Otherwise the gateway would open connections, and the provider
// would close them, in a loop.
void http2_rules::ended_unused(instant opened_at, instant now) {
  if (now - opened_at >= short_life) {
    unused_ = 0;
    return;
  }
  retry_at_ = now + first_pause * (1 << std::min(unused_, max_doublings));
  ++unused_;
}

bool http2_rules::prefers_http1(instant now) const { return now < http1_until_; }

std::size_t http2_rules::missing_dials(const http2_counts& counts, instant now) const {
  const bool dials_ahead = was_reached_ && !is_dormant(now) && now >= retry_at_ && !prefers_http1(now);
  const std::size_t wanted = counts.waiting + (dials_ahead ? held_ready : 0);
  const std::size_t unserved = std::max(counts.waiting_fresh, wanted - std::min(wanted, counts.headroom));
  const std::size_t dials = (unserved + streams_of_a_dial - 1) / streams_of_a_dial;
  return dials - std::min(dials, counts.dialing);
}

// True if a connection may be kept. If new connections cannot be opened, an old connection that works is better than
// none.
bool http2_rules::may_be_kept(const connection_birth& birth, instant idle_since, const http2_ages& ages,
                              instant now) const {
  const bool is_too_old = birth.is_too_old(ages.max_age, now) && failed_dials_ == 0;
  return !is_dormant(now) && !is_too_old && now - idle_since < ages.idle_timeout;
}

bool http2_rules::is_dormant(instant now) const { return !was_asked_ || now - last_request_ >= dormant_after; }

}  // namespace photofinish::proxy
