#include "proxy/pool/origin_pool.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/loop/spawn.hpp"

#include <algorithm>

namespace photofinish::proxy {

namespace {

connection_life life_of(const pooled_connection& connection) {
  return connection.has_served ? connection_life::served_before : connection_life::first_request;
}

}  // namespace

void origin_pool::set_target(dial_target target, pool_limits limits) {
  target_ = std::move(target);
  rules_.set_limits(limits);
}

void origin_pool::serve(connection_wait& request) {
  const instant now = net_.clock.now();
  rules_.request_came(now);
  drop_dead_newest(now);
  switch (rules_.next(counts(), request.accepts)) {
    case next_step::use_idle: {
      pooled_connection newest = std::move(idle_.back());
      idle_.pop_back();
      ++busy_;
      request.deliver(lease(*this, std::move(newest), true));
      break;
    }
    case next_step::dial:
      rules_.nothing_was_warm(now);
      request.waits_since = now;
      waiting_.push_back(&request);
      if (live_dials() < waiting_.size()) start_dial();
      break;
    case next_step::refuse:
      request.deliver(busy_failure("all max_connections of the provider are in use on this worker"));
  }
  balance_soon_();
}

void origin_pool::withdraw(connection_wait& request) noexcept {
  std::erase(waiting_, &request);
  balance_soon_();  // the connection attempt of the cancelled request is ended, or provides a spare connection
}

void origin_pool::came_back(pooled_connection connection) {
  --busy_;
  const instant now = net_.clock.now();
  connection.idle_since = now;
  const bool is_young = rules_.may_be_kept(connection.birth(), now, now);
  if (is_stopped_) return;
  if (!is_young) return balance_soon_();  // the connection is too old, so a spare connection may be needed
  // Idle connections are tested as late as possible, just before a request uses them. If a request is waiting, it will
  // use this connection now.
  if (!waiting_.empty() && !connection.stream.is_quiet()) return;
  if (!hand_over(connection, false)) idle_.push_back(std::move(connection));
  balance_soon_();
}

void origin_pool::was_lost(const pooled_connection& connection) noexcept {
  --busy_;
  const instant now = net_.clock.now();
  rules_.connection_was_lost(now);
  if (connection.asked_at) rules_.answer_given_up(life_of(connection), now - *connection.asked_at, now);
  balance_soon_();
}

void origin_pool::answer_began(pooled_connection& connection) {
  if (!connection.asked_at) return;
  const instant now = net_.clock.now();
  rules_.answer_began(life_of(connection), now - *connection.asked_at, now);
  connection.asked_at.reset();
  if (rules_.are_spares_harmful(now)) balance_soon_();
}

void origin_pool::sweep(instant now) {
  const bool is_dormant = rules_.is_dormant(now);
  std::erase_if(idle_, [&](pooled_connection& each) {
    return is_dormant || !rules_.may_be_kept(each.birth(), each.idle_since, now) || !each.stream.is_quiet();
  });
}

void origin_pool::balance(instant now) {
  if (is_stopped_) return;
  if (rules_.are_spares_harmful(now))
    std::erase_if(idle_, [](const pooled_connection& each) { return !each.has_served; });
  std::size_t surplus = dials_.empty() ? 0 : rules_.surplus_dials(lasting_counts(now), now);
  for (auto child = dials_.rbegin(); surplus > 0 && child != dials_.rend(); ++child) {
    if (std::exchange(child->is_cancelled, true)) continue;
    child->dialer.cancel();
    --surplus;
  }
  for (std::size_t missing = rules_.missing_spares(lasting_counts(now), now); missing > 0; --missing) start_dial();
}

void origin_pool::stop() noexcept {
  is_stopped_ = true;
  idle_.clear();
  for (auto& child : dials_) {
    child.is_cancelled = true;
    child.dialer.cancel();
  }
  for (auto* request : std::exchange(waiting_, {})) request->deliver(cancelled_failure());
}

pool_counts origin_pool::counts() const {
  return {.idle = idle_.size(), .busy = busy_, .dialing = live_dials(), .waiting = waiting_.size()};
}

// Returns the numbers of connections, but does not count idle connections that will soon be too old. Such connections
// are replaced while they can still be used.
pool_counts origin_pool::lasting_counts(instant now) const {
  pool_counts lasting = counts();
  const auto is_ending = [&](const pooled_connection& each) { return rules_.is_ending_soon(each.birth(), now); };
  lasting.idle -= static_cast<std::size_t>(std::count_if(idle_.begin(), idle_.end(), is_ending));
  return lasting;
}

bool origin_pool::is_forgettable(instant now) const {
  return rules_.is_forgettable(now) && idle_.empty() && dials_.empty() && waiting_.empty() && busy_ == 0;
}

// Closes dead connections, beginning with the newest, until it finds a connection that works. sweep() closes the older
// dead connections.
void origin_pool::drop_dead_newest(instant now) {
  while (!idle_.empty()) {
    pooled_connection& newest = idle_.back();
    if (rules_.may_be_kept(newest.birth(), newest.idle_since, now) && newest.stream.is_quiet()) return;
    idle_.pop_back();
  }
}

void origin_pool::start_dial() {
  const pool_counts now = counts();
  // Closes the oldest idle connection if there is no room for the new one.
  if (!idle_.empty() && !rules_.has_room(now)) idle_.erase(idle_.begin());
  running_dial& child = dials_.emplace_back(net_, target_, net_.clock.now());
  auto ended = [this, &child](const std::exception_ptr& bug) {
    if (bug) dial_broke(child, bug);
    remove(child);
    balance_soon_();
  };
  try {
    spawn(net_.loop, "a dial", run(child), std::move(ended));
  } catch (...) {  // spawn() failed, so the coroutine did not start
    remove(child);
    throw;
  }
}

void origin_pool::remove(const running_dial& child) {
  std::erase_if(dials_, [&](const running_dial& each) { return &each == &child; });
}

// The connection attempt ended with an exception, so the request that has waited longest fails.
void origin_pool::dial_broke(running_dial& child, const std::exception_ptr& bug) noexcept {
  report_bug("a dial", bug);
  child.is_cancelled = true;
  if (waiting_.empty() || live_dials() >= waiting_.size()) return;
  connection_wait* unlucky = waiting_.front();
  waiting_.pop_front();
  unlucky->deliver(failure{.kind = failure_kind::connect, .origin = failure_origin::gateway});
}

boost::asio::awaitable<void> origin_pool::run(running_dial& child) {
  auto connected = co_await child.dialer.run();
  // The connection attempt has ended. It is marked as cancelled, so that it is no longer counted among the running
  // attempts.
  const bool was_cancelled = std::exchange(child.is_cancelled, true);
  if (connected) rules_.dial_succeeded(child.dialer.timings().total);
  if (!is_stopped_ && (connected || !was_cancelled)) dial_ended(child, std::move(connected));
}

void origin_pool::dial_ended(const running_dial& child, result<byte_stream> connected) {
  if (!connected) return dial_failed(child, connected.error());
  const instant now = net_.clock.now();
  pooled_connection fresh{std::move(*connected), now, now, false, child.dialer.timings()};
  fresh.lifetime_share = lifetime_share(now, ++dialed_);
  if (!hand_over(fresh, true)) idle_.push_back(std::move(fresh));
}

// A connection attempt has failed. If the request that has waited longest is older than this attempt, the request also
// fails. Then starts attempts until there is one for each waiting request.
void origin_pool::dial_failed(const running_dial& child, const failure& why) {
  rules_.dial_failed(net_.clock.now());
  if (!waiting_.empty() && waiting_.front()->waits_since <= child.started_at) {
    connection_wait* unlucky = waiting_.front();
    waiting_.pop_front();
    unlucky->deliver(why);
  }
  while (live_dials() < waiting_.size()) start_dial();
}

bool origin_pool::hand_over(pooled_connection& connection, bool is_fresh) {
  const auto taker = std::find_if(waiting_.begin(), waiting_.end(), [&](const connection_wait* each) {
    return is_fresh || each->accepts == freshness::any;
  });
  if (taker == waiting_.end()) return false;
  connection_wait* request = *taker;
  waiting_.erase(taker);
  ++busy_;
  request->deliver(lease(*this, std::move(connection), !is_fresh));
  return true;
}

std::size_t origin_pool::live_dials() const {
  const auto is_live = [](const running_dial& each) { return !each.is_cancelled; };
  return static_cast<std::size_t>(std::count_if(dials_.begin(), dials_.end(), is_live));
}

}  // namespace photofinish::proxy
