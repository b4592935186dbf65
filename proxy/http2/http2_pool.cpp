#include "proxy/http2/http2_pool.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::chrono::seconds sweep_interval{1};

}  // namespace

http2_pool::http2_pool(network& net, connection_pool& sockets, std::span<char> scratch)
    : net_(net), sockets_(sockets), scratch_(scratch), sweep_(net.clock, [this] { sweep(); }), drained_(net.loop) {}

http2_pool::~http2_pool() {
  stop();
  assert(is_drained());
}

http2_pool::origin_key http2_pool::key_of(const provider& of) {
  return {of.url.host, of.url.port, of.url.is_tls, of.ca_file, of.http2, route_of(of.via)};
}

http2_origin& http2_pool::origin_of(const provider& to) {
  auto& origin = origins_[key_of(to)];
  if (!origin)
    origin = std::make_unique<http2_origin>(net_, [this] { balance_soon(); }, sockets_, to, scratch_);
  return *origin;
}

void http2_pool::claim(http2_stream& stream, const provider& to, const std::string& model, freshness wanted) {
  if (is_stopped_) return stream.break_off(cancelled_failure());
  origin_of(to).serve(stream, to, model, wanted);
}

std::shared_ptr<cancel_share> http2_pool::share_of(const provider& at, const std::string& model) {
  return origin_of(at).share_of(model);
}

void http2_pool::must_use_http1(const provider& at) { origin_of(at).must_use_http1(); }

void http2_pool::balance_soon() noexcept {
  if (std::exchange(is_balance_posted_, true)) return;
  boost::asio::post(net_.loop, [this] {
    is_balance_posted_ = false;
    balance();
  });
}

void http2_pool::balance() {
  const instant now = net_.clock.now();
  try {
    if (!origins_.empty() && !is_stopped_ && !sweep_.is_armed()) sweep_.arm(now + sweep_interval);
    for (auto& [key, origin] : origins_) origin->balance(now);
  } catch (...) {  // what is missing is dialed at the next sweep
    report_bug("the keeping of HTTP/2 connections", std::current_exception());
  }
  if (is_drained()) drained_.wake();
}

void http2_pool::sweep() {
  const instant now = net_.clock.now();
  for (auto& [key, origin] : origins_) origin->sweep(now);
  std::erase_if(origins_, [&](const auto& each) { return each.second->is_forgettable(now); });
  balance();
}

void http2_pool::stop() noexcept {
  if (std::exchange(is_stopped_, true)) return;
  sweep_.disarm();
  for (auto& [key, origin] : origins_) origin->stop();
}

boost::asio::awaitable<void> http2_pool::drained() {
  while (!is_drained()) co_await drained_.wait();
}

bool http2_pool::is_drained() const {
  return !is_balance_posted_ && std::none_of(origins_.begin(), origins_.end(),
                                             [](const auto& each) { return each.second->has_children(); });
}

}  // namespace photofinish::proxy
