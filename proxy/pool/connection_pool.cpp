#include "proxy/pool/connection_pool.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/pool/origin_pool.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace photofinish::proxy {

connection_request::connection_request(connection_pool& pool, const provider& to, alpn_offer offer)
    : pool_(pool), to_(to), offer_(offer), wakeup_(pool.net_.loop) {}

std::optional<result<lease>> connection_request::try_take(freshness wanted) {
  if (is_cancelled_) return cancelled_failure();
  auto origin = pool_.origin_of(to_, offer_);
  if (!origin) return std::move(origin).error();
  accepts = wanted;
  waits_at_ = *origin;  // waits_at_ is set before serve(), because serve() may throw after it has queued the request
  (*origin)->serve(*this);
  return std::exchange(delivered_, std::nullopt);
}

boost::asio::awaitable<result<lease>> connection_request::await_new() {
  while (!delivered_ && !is_cancelled_) co_await wakeup_.wait();
  if (is_cancelled_) co_return cancelled_failure();
  result<lease> taken = std::move(*delivered_);
  delivered_.reset();
  co_return std::move(taken);
}

boost::asio::awaitable<result<lease>> connection_request::take(freshness wanted) {
  auto idle = try_take(wanted);
  if (idle) co_return std::move(*idle);
  co_return co_await await_new();
}

void connection_request::cancel() noexcept {
  is_cancelled_ = true;
  if (auto* origin = std::exchange(waits_at_, nullptr)) origin->withdraw(*this);
  // The connection was delivered earlier in this turn of the event loop.
  if (delivered_ && *delivered_) (**delivered_).give_back_unused();
  delivered_.reset();
  wakeup_.wake();
}

void connection_request::deliver(result<lease> connection) {
  waits_at_ = nullptr;
  delivered_ = std::move(connection);
  wakeup_.wake();
}

connection_pool::connection_pool(network& net) : net_(net), origins_(net, "the maintenance of connections") {}

connection_pool::~connection_pool() {
  stop();
  assert(origins_.is_drained() && !has_leases());
}

connection_pool::origin_key connection_pool::key_of(const provider& of, alpn_offer offer) {
  return {of.url.port, of.url.is_tls, offer, of.url.host, of.ca_file, route_of(of.via)};
}

result<origin_pool*> connection_pool::origin_of(const provider& to, alpn_offer offer) {
  if (origins_.is_stopped()) return cancelled_failure();
  dial_target target{.host = to.url.host, .port = to.url.port, .tls = nullptr, .offer = offer, .via = to.via,
                     .connect_timeout = to.limits.connect_timeout, .tls_timeout = to.limits.tls_timeout};
  if (to.url.is_tls) {
    auto context = net_.tls.for_ca_file(to.ca_file);
    if (!context) return std::move(context).error();
    target.tls = *context;
  }
  auto& origin = origins_[key_of(to, offer)];
  if (!origin) origin = std::make_unique<origin_pool>(net_, [this] { origins_.balance_soon(); });
  const std::size_t max_spares = offer == alpn_offer::http1 ? to.limits.max_spares : 0;
  const pool_limits limits{.max_connections = to.limits.max_connections, .max_spares = max_spares,
                           .idle_timeout = to.limits.idle_timeout, .max_age = to.limits.max_connection_age};
  origin->set_target(std::move(target), limits);
  return origin.get();
}

void connection_pool::stop() noexcept { origins_.stop(); }

boost::asio::awaitable<void> connection_pool::drained() { return origins_.drained(); }

bool connection_pool::has_leases() const {
  const auto& all = origins_.all();
  return std::any_of(all.begin(), all.end(), [](const auto& each) { return each.second->counts().busy > 0; });
}

void connection_pool::move_to_http1(lease& taken, const provider& of) {
  auto home = origin_of(of, alpn_offer::http1);
  if (home) taken.move_to(**home);  // origin_of() fails after the pool has stopped
}

pool_counts connection_pool::counts(const provider& of, alpn_offer offer) const {
  const auto found = origins_.all().find(key_of(of, offer));
  return found == origins_.all().end() ? pool_counts{} : found->second->counts();
}

}  // namespace photofinish::proxy
