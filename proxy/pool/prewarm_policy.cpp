#include "proxy/pool/prewarm_policy.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using duration = prewarm_policy::duration;

// Behind the quickest answer by so much is late. Servers of the kind in question end a connection they hear nothing on
// after 5 s (cpp-httplib's default), and waits of 4.2 to 4.6 s were seen; queues for a free slot make tenths.
constexpr duration least_lateness = 1s;

// And by so many dials: far away, where a dial is a TLS handshake of 60 ms, a late answer is 3 s late before it says
// anything against a saving of that size.
constexpr int dials_of_lateness = 50;

// One late answer is chance; a burst that starves has many. In ten seconds (recent_rate::memory): three, a quarter of
// the first requests, and twice the share that is late on connections which have the server's attention already. A
// provider that is overloaded is late on those too.
constexpr double enough_late = 2.5;  // three events within a few seconds, the older ones somewhat faded
constexpr double much_late = 0.25;
constexpr double more_often = 2;

// A server's threads do not change while it runs. Found out again after this time, at the cost of one slow burst.
constexpr duration rest = 30min;

}  // namespace

void prewarm_policy::answered(connection_life life, duration took, duration dial, instant now) {
  count(life, is_late(took, dial, now), now);
  note_quickest(took, now);
}

// A wait that was cut short before it was late says nothing.
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
