#include "gateway/housekeeping/egress/egress_keeping.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/loop/spawn.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace photofinish::gateway {

namespace {

// The time limit for the DNS look-up and the TCP connection together. The TLS handshake has a separate limit of the
// same length.
constexpr std::chrono::milliseconds step_limit{2'000};
constexpr std::size_t longest_dial_reason = 200;

}  // namespace

void egress_keeping::adopt(const config& settings) {
  places_ = egress_places(settings);
  // If the configuration has no providers, no check is needed and the gateway never counts as disconnected.
  if (places_.empty()) watch_.checked(true, std::chrono::steady_clock::now());
}

void egress_keeping::tick() {
  const auto now = std::chrono::steady_clock::now();
  if (running_ == 0 && !is_stopping_ && !places_.empty() && watch_.is_check_due(now)) begin_check();
  show();
}

// Connects to all providers at the same time. The first successful connection ends the check.
void egress_keeping::begin_check() {
  if (!network_) network_ = std::make_unique<store_network>(loop_);
  dials_.clear();
  is_reached_ = false;
  for (const egress_place& each : places_) {
    proxy::dial_target target{.host = each.host, .port = each.port, .via = each.via,
                              .connect_timeout = step_limit, .tls_timeout = step_limit};
    if (each.is_tls) {
      auto context = network_->parts().tls.for_ca_file(each.ca_file);
      // If a provider's CA file cannot be read, requests to this provider would also fail to connect.
      if (!context) continue;
      target.tls = *context;
    }
    dials_.push_back(std::make_unique<proxy::dial>(network_->parts(), std::move(target)));
  }
  if (dials_.empty()) return watch_.checked(false, std::chrono::steady_clock::now());
  for (std::size_t index = 0; index < dials_.size(); ++index) {
    proxy::spawn(loop_, "a connection that tests whether providers can be "
                        "reached", reach(index), [this] { one_ended(); });
    ++running_;
  }
}

boost::asio::awaitable<void> egress_keeping::reach(std::size_t index) {
  auto connected = co_await dials_[index]->run();
  if (connected) {
    connected->abort();
    is_reached_ = true;
    for (const auto& each : dials_) each->cancel();
  } else if (connected.error().kind != proxy::failure_kind::cancelled) {
    last_failure_ = proxy::clean_text(connected.error().detail, longest_dial_reason);
  }
}

void egress_keeping::one_ended() {
  if (--running_ > 0) return;
  if (!is_stopping_) watch_.checked(is_reached_, std::chrono::steady_clock::now());
  show();
  ended_.wake();
}

void egress_keeping::show() {
  const auto now = std::chrono::steady_clock::now();
  const auto since = watch_.lost_since();
  if (since && !shown_lost_since_)
    spdlog::warn("no provider can be reached: {} attempts in a row failed, and none of {} hosts accepts a connection "
                 "(last error: {}). The gateway keeps trying to connect until one connection succeeds",
                 watch_.failures(), dials_.size(), last_failure_);
  if (!since && shown_lost_since_)
    spdlog::info("providers can be reached again, after {} s",
                 std::chrono::round<std::chrono::seconds>(now - *shown_lost_since_).count());
  shown_lost_since_ = since;
  const egress_state seen = watch_.state(now);
  const egress_state before = state_.exchange(seen, std::memory_order_relaxed);
  if (seen == egress_state::lost_alone && before != seen)
    spdlog::warn("/readyz answers 503: this gateway can reach no provider, but another gateway can reach its "
                 "providers");
  if (before == egress_state::lost_alone && before != seen)
    spdlog::info("/readyz answers 200 again: {}", seen == egress_state::works
                                                      ? "providers can be reached"
                                                      : "no other gateway can reach its providers either");
}

boost::asio::awaitable<void> egress_keeping::stop() {
  is_stopping_ = true;
  for (const auto& each : dials_) each->cancel();
  while (running_ > 0) co_await ended_.wait();
  dials_.clear();
  if (network_) network_->stop();
}

}  // namespace photofinish::gateway
