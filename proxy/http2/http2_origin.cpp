#include "proxy/http2/http2_origin.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/loop/spawn.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {

namespace {

// The maximum number of models to remember. Callers with keys of their own may name any model, so the number must be
// limited.
constexpr std::size_t max_models = 512;

}  // namespace

std::size_t http2_origin::candidate::headroom(instant now) {
  if (now < rests_until) return 0;
  const std::size_t found = connection->headroom(now);
  if (found == 0) rests_until = connection->rests_until();
  return found;
}

http2_origin::http2_origin(network& net, std::function<void()> balance_soon, connection_pool& sockets,
                           const provider& to, std::span<char> scratch)
    : net_(net), balance_soon_(std::move(balance_soon)), sockets_(sockets), scratch_(scratch) {
  to_.url = to.url;
  to_.ca_file = to.ca_file;
  to_.via = to.via;
  to_.http2 = to.http2;
}

void http2_origin::serve(http2_stream& stream, const provider& to, const std::string& model, freshness wanted) {
  const instant now = net_.clock.now();
  to_.limits = to.limits;
  rules_.request_came(now);
  if (is_choice() && (rules_.prefers_http1(now) || !share_of(model)->suits_http2(now))) {
    stream.claim_ = http2_stream::claim::http1;
    stream.wakeup_.wake();
    return;
  }
  stream.wait_ = {nullptr, now, wanted};
  if (attach(stream)) return;
  stream.wait_.queue = this;
  waiting_.push_back(&stream);
  dial_missing(now);
}

void http2_origin::dial_missing(instant now) {
  for (std::size_t missing = rules_.missing_dials(counts(), now); missing > 0; --missing) start_dial();
}

void http2_origin::withdraw(http2_stream& stream) noexcept { std::erase(waiting_, &stream); }

std::shared_ptr<cancel_share> http2_origin::share_of(const std::string& model) {
  if (shares_.size() >= max_models && !shares_.contains(model)) shares_.clear();
  auto& share = shares_[model];
  if (!share) share = std::make_shared<cancel_share>();
  return share;
}

void http2_origin::must_use_http1() { rules_.spoke_http1(net_.clock.now()); }

// Returns the first connection that accepts more than `held_ready` further streams. If there is none, returns the
// connection that accepts the most streams. Requests, and therefore resets, are spread over the busy connections, and
// connections that are not needed become idle.
http2_connection* http2_origin::choose(const http2_stream& stream, instant now) {
  http2_connection* best = nullptr;
  std::size_t most = 0;
  for (candidate& each : candidates_) {
    const std::size_t headroom = each.headroom(now);
    if (headroom <= most) continue;
    if (stream.wait_.wanted == freshness::fresh_only && each.connection->opened_at() < stream.wait_.since) continue;
    best = each.connection;
    most = headroom;
    if (most > held_ready) return best;
  }
  // The chosen connection may soon accept no more streams, so another connection may be needed.
  if (most > 0 && stream.wait_.wanted == freshness::any) balance_soon_();
  return best;
}

bool http2_origin::attach(http2_stream& stream) {
  http2_connection* chosen = choose(stream, net_.clock.now());
  if (chosen == nullptr) return false;
  const bool waited_for_it = stream.wait_.queue != nullptr && !chosen->has_served();
  chosen->attach(stream, waited_for_it ? connection_used::fresh : connection_used::reused);
  return true;
}

void http2_origin::serve_waiting() {
  bool is_full = false;  // true if a request that accepts any connection has found no free connection
  std::erase_if(waiting_, [&](http2_stream* each) {
    const bool takes_any = each->wait_.wanted == freshness::any;
    if (takes_any && is_full) return false;
    const bool is_served = attach(*each);
    if (is_served) each->wait_.queue = nullptr;
    is_full |= takes_any && !is_served;
    return is_served;
  });
}

void http2_origin::balance(instant now) {
  if (is_stopped_) return;
  serve_waiting();
  dial_missing(now);
}

void http2_origin::sweep(instant now) {
  for (child& each : children_) {
    if (!each.connection) continue;
    const instant idle_since = each.connection->is_idle() ? each.connection->idle_since() : now;
    if (each.connection->received_enhance_your_calm()) rules_.received_enhance_your_calm(now);
    if (each.connection->is_spent() ||
        !rules_.may_be_kept(each.birth(), idle_since, {to_.limits.idle_timeout, to_.limits.max_connection_age}, now))
      each.connection->retire();
  }
  std::erase_if(shares_, [now](const auto& each) { return each.second->is_forgotten(now); });
}

void http2_origin::stop() noexcept {
  is_stopped_ = true;
  for (child& each : children_) {
    each.request.cancel();
    if (each.connection) each.connection->abort();
  }
  for (http2_stream* each : std::exchange(waiting_, {})) {
    each->wait_.queue = nullptr;
    each->break_off(cancelled_failure());
  }
}

void http2_origin::start_dial() {
  const bool may_fall_back = is_choice() && to_.url.is_tls;
  const alpn_offer offer = may_fall_back ? alpn_offer::http2_or_http1 : alpn_offer::http2;
  child& started = children_.emplace_back(sockets_, to_, offer, net_.clock.now());
  auto ended = [this, &started](const std::exception_ptr& bug) {
    if (bug) child_broke(started, bug);
    remove(started);
    balance_soon_();
  };
  try {
    spawn(net_.loop, "an HTTP/2 connection", run(started), std::move(ended));
  } catch (...) {  // spawn() failed, so the coroutine did not start
    remove(started);
    throw;
  }
}

// The connection attempt ended with an exception, so the request that has waited longest fails.
void http2_origin::child_broke(const child& each, const std::exception_ptr& bug) noexcept {
  report_bug("an HTTP/2 connection", bug);
  if (each.connection || waiting_.empty()) return;
  http2_stream* unlucky = waiting_.front();
  waiting_.pop_front();
  unlucky->wait_.queue = nullptr;
  unlucky->break_off(failure{.kind = failure_kind::connect, .origin = failure_origin::gateway});
}

void http2_origin::remove(child& ended) {
  if (ended.connection)
    std::erase_if(candidates_, [&](const candidate& each) { return each.connection == &*ended.connection; });
  std::erase_if(children_, [&](const child& each) { return &each == &ended; });
}

boost::asio::awaitable<void> http2_origin::run(child& each) {
  auto taken = co_await each.request.take();
  each.is_dialing = false;
  if (is_stopped_) co_return;
  if (!taken) {
    dial_failed(each, taken.error());
    co_return;
  }
  rules_.dial_succeeded();
  if (to_.url.is_tls && !taken->stream().speaks_http2()) {
    fall_back(std::move(*taken));
    co_return;
  }
  use(each, std::move(*taken));
  co_await each.connection->run();
  if (each.connection->received_enhance_your_calm()) rules_.received_enhance_your_calm(net_.clock.now());
  if (each.connection->was_heard()) rules_.was_heard();
  if (each.connection->ended_unheard()) rules_.ended_unheard(net_.clock.now());
  if (each.connection->ended_unused()) rules_.ended_unused(each.connection->opened_at(), net_.clock.now());
}

void http2_origin::use(child& each, lease taken) {
  auto on_change = [this] {
    if (!waiting_.empty()) balance_soon_();
  };
  each.connection.emplace(net_, std::move(taken), to_.url.is_tls ? "https" : "http", scratch_, std::move(on_change));
  each.lifetime_share = lifetime_share(each.connection->opened_at(), ++dialed_);
  candidates_.push_back({&*each.connection, each.lifetime_share});
  balance_soon_();
  serve_waiting();
}

// The provider chose HTTP/1.1. The first waiting request uses the new connection. The other waiting requests, and later
// requests, open HTTP/1.1 connections of their own.
void http2_origin::fall_back(lease taken) {
  rules_.spoke_http1(net_.clock.now());
  if (is_choice()) sockets_.move_to_http1(taken, to_);
  std::optional<lease> for_the_first = std::move(taken);
  for (http2_stream* each : std::exchange(waiting_, {})) {
    each->wait_.queue = nullptr;
    if (!is_choice()) {
      each->break_off(network_failure(failure_kind::tls,
                                      "the provider does not support HTTP/2, which http2: on requires"));
      continue;
    }
    each->claim_ = http2_stream::claim::http1;
    each->http1_lease_ = std::exchange(for_the_first, std::nullopt);
    each->wakeup_.wake();
  }
  if (for_the_first && is_choice()) for_the_first->give_back_unused();
}

// Fails the oldest waiting requests, because the connection attempt that should serve them has failed. Does not fail
// requests that began to wait after the start of this attempt, because other attempts serve them.
void http2_origin::dial_failed(const child& each, const failure& why) {
  rules_.dial_failed(net_.clock.now());
  for (std::size_t left = streams_of_a_dial; left > 0 && !waiting_.empty(); --left) {
    http2_stream* unlucky = waiting_.front();
    if (unlucky->wait_.since > each.started_at) break;
    waiting_.pop_front();
    unlucky->wait_.queue = nullptr;
    unlucky->break_off(why);
  }
}

http2_counts http2_origin::counts() {
  const instant now = net_.clock.now();
  http2_counts counts;
  const auto dials = [](const child& each) { return each.is_dialing; };
  counts.dialing = static_cast<std::size_t>(std::count_if(children_.begin(), children_.end(), dials));
  for (candidate& each : candidates_)
    if (!each.birth().is_nearly_too_old(to_.limits.max_connection_age, http2_dial_ahead, now))
      counts.headroom += each.headroom(now);
  counts.waiting = waiting_.size();
  const auto is_fresh = [](const http2_stream* each) { return each->wait_.wanted == freshness::fresh_only; };
  counts.waiting_fresh = static_cast<std::size_t>(std::count_if(waiting_.begin(), waiting_.end(), is_fresh));
  return counts;
}

bool http2_origin::is_forgettable(instant now) const {
  return rules_.is_dormant(now) && !rules_.prefers_http1(now) && children_.empty() && waiting_.empty();
}

}  // namespace photofinish::proxy
