#include "proxy/pool/prewarm_policy.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using duration = prewarm_policy::duration;

// An answer is late if it takes this much longer than the quickest answer. If spares occupy a server's threads,
// requests wait until the server closes a connection without data. It does so after 5 s (the default of cpp-httplib),
// and waits of 4.2 to 4.6 s were seen. Waiting in a queue for a free slot only costs tenths of a second.
constexpr duration least_lateness = 1s;

// An answer is late only if its delay also exceeds this multiple of the time to open a connection. For example, a TLS
// handshake with a distant server takes 60 ms. An answer of this server counts as late only after 3 s, because a spare
// connection saves 60 ms for each request.
constexpr int dials_of_lateness = 50;

// The limits that distinguish chance from harm. A single late answer may be chance, but a server that lacks threads has
// many late answers in a burst. Within ten seconds (recent_rate::memory), there must be three late answers on new
// connections, and they must be at least a quarter of all answers on new connections. Their share must also be at least
// twice the share of late answers on connections that have served before, because an overloaded provider is late on
// both kinds of connections.
// The minimum number of late answers. It is less than three, because older answers count slightly less than new ones.
constexpr double enough_late = 2.5;
constexpr double much_late = 0.25;
constexpr double more_often = 2;

// After this time the policy tests again whether spare connections do harm. The test may slow one burst of requests. A
// server's number of threads does not change while it runs.
constexpr duration rest = 30min;

}  // namespace

void prewarm_policy::answered(connection_life life, duration took, duration dial, instant now) {
  count(life, is_late(took, dial, now), now);
  note_quickest(took, now);
}

// A cancelled request gives information only if it had already waited so long that its answer would be late.
void prewarm_policy::gave_up(connection_life life, duration waited, duration dial, instant now) {
  if (is_late(waited, dial, now)) count(life, true, now);
}

double prewarm_policy::class_of_answers::late_share(instant now) const {
  const double seen = all.lately(now);
  return seen == 0 ? 0 : late.lately(now) / seen;
}

bool prewarm_policy::is_late(duration took, duration dial, instant now) const {
  const bool is_of_now = now - minute_began_ < 2min;
  const duration quickest = is_of_now ? std::min(quickest_, quickest_before_) : duration::max();
  return quickest != duration::max() && took > quickest + std::max(least_lateness, dial * dials_of_lateness);
}

void prewarm_policy::count(connection_life life, bool was_late, instant now) {
  class_of_answers& seen = life == connection_life::first_request ? first_ : served_;
  seen.all.count(now);
  if (!was_late) return;
  seen.late.count(now);
  judge(now);
}

void prewarm_policy::judge(instant now) {
  const double share = first_.late_share(now);
  if (first_.late.lately(now) < enough_late || share < much_late) return;
  if (share < more_often * served_.late_share(now)) return;
  harmful_until_ = now + rest;
}

void prewarm_policy::note_quickest(duration took, instant now) {
  if (now - minute_began_ >= 1min) {
    quickest_before_ = now - minute_began_ < 2min ? quickest_ : duration::max();
    quickest_ = duration::max();
    minute_began_ = now;
  }
  quickest_ = std::min(quickest_, took);
}

}  // namespace photofinish::proxy
