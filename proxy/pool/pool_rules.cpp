#include "proxy/pool/pool_rules.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using seconds_f = std::chrono::duration<double>;

constexpr auto dormant_after = 5min;
// A connection's replacement is opened at least this long before the connection is too old, and at least `dials_ahead`
// times the time to open a connection. During this time, sweep() is called several times.
constexpr auto least_ahead = 3s;
constexpr int dials_ahead = 4;
constexpr auto first_pause = 1s;  // the pause after a failed attempt to open a spare connection
constexpr int max_doublings = 5;

}  // namespace

void pool_rules::request_came(instant now) {
  was_asked_ = true;
  last_request_ = now;
}

void pool_rules::nothing_was_warm(instant now) { shortages_.count(now); }

void pool_rules::connection_was_lost(instant now) { losses_.count(now); }

void pool_rules::dial_succeeded(std::chrono::steady_clock::duration took) {
  dial_time_ += (seconds_f(took) - dial_time_) / 4;
  was_reached_ = true;
  failed_dials_ = 0;
  retry_at_ = {};
}

void pool_rules::dial_failed(instant now) {
  retry_at_ = now + first_pause * (1 << std::min(failed_dials_, max_doublings));
  ++failed_dials_;
}

void pool_rules::answer_began(connection_life life, std::chrono::steady_clock::duration took, instant now) {
  prewarm_.answered(life, took, usual_dial(), now);
}

void pool_rules::answer_given_up(connection_life life, std::chrono::steady_clock::duration waited, instant now) {
  prewarm_.gave_up(life, waited, usual_dial(), now);
}

std::chrono::steady_clock::duration pool_rules::usual_dial() const {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(dial_time_);
}

next_step pool_rules::next(const pool_counts& counts, freshness wanted) const {
  if (wanted == freshness::any && counts.idle > 0) return next_step::use_idle;
  // A request may wait for a running connection attempt that no other request needs. If the limit of connections is
  // reached, an idle connection is closed to make room.
  const bool has_dial = counts.dialing > counts.waiting;
  const bool has_room = counts.busy + counts.dialing < limits_.max_connections;
  return has_dial || has_room ? next_step::dial : next_step::refuse;
}

// True if a connection may be kept. If new connections cannot be opened, an old connection that works is better than
// none. A failed attempt counts only for a limited time, because there may be no further attempts.
bool pool_rules::may_be_kept(const connection_birth& birth, instant idle_since, instant now) const {
  constexpr std::chrono::seconds failure_counts{60};
  const bool has_failed = failed_dials_ > 0 && now < retry_at_ + failure_counts;
  const bool is_too_old = birth.is_too_old(limits_.max_age, now) && !has_failed;
  return !is_too_old && now - idle_since < limits_.idle_timeout;
}

bool pool_rules::is_ending_soon(const connection_birth& birth, instant now) const {
  const auto ahead = std::max<std::chrono::steady_clock::duration>(least_ahead, usual_dial() * dials_ahead);
  return birth.is_nearly_too_old(limits_.max_age, ahead, now);
}

// Returns how many spare connections should be kept. `need` is the average number of open connections that are used up
// while a new one is opened. Requests arrive in bursts, so three reserves are added. The first reserve is two standard
// deviations (Poisson). The second is one spare connection for each recent request that found no open connection. The
// third is one spare connection for the first race after a quiet time.
std::size_t pool_rules::wanted_spares(instant now) const {
  if (is_dormant(now) || are_spares_harmful(now)) return 0;
  const double found_too_few = shortages_.lately(now);
  const double used_up = std::max(losses_.per_second(now), found_too_few / recent_rate::memory.count());
  const double need = used_up * dial_time_.count();
  const double wanted = std::round(need + 2 * std::sqrt(need) + found_too_few);
  return std::min(limits_.max_spares, static_cast<std::size_t>(std::max(1.0, wanted)));
}

std::size_t pool_rules::missing_spares(const pool_counts& counts, instant now) const {
  if (!was_reached_ || now < retry_at_ || !has_room(counts)) return 0;
  const std::size_t coming = counts.idle + counts.dialing - std::min(counts.dialing, counts.waiting);
  const std::size_t wanted = wanted_spares(now);
  return std::min(wanted - std::min(wanted, coming), limits_.max_connections - counts.total());
}

std::size_t pool_rules::surplus_dials(const pool_counts& counts, instant now) const {
  const std::size_t unclaimed = counts.dialing - std::min(counts.dialing, counts.waiting);
  if (unclaimed == 0) return 0;
  const std::size_t wanted = wanted_spares(now);
  const std::size_t useful = wanted - std::min(wanted, counts.idle);
  return unclaimed - std::min(unclaimed, useful);
}

bool pool_rules::is_dormant(instant now) const { return !was_asked_ || now - last_request_ >= dormant_after; }

}  // namespace photofinish::proxy
