#include "gateway/attempts/credential_upstream.hpp"

#include "proxy/failures/network_failures.hpp"

#include <cassert>
#include <chrono>
#include <utility>

namespace photofinish::gateway {

namespace {

// The maximum time that an attempt waits for a provider's key. Token servers answer much faster. The race continues
// during the wait.
constexpr std::chrono::seconds patience{10};

}  // namespace

proxy::failure no_credentials(const std::string& provider, const held_credential* held) {
  std::string why = "the gateway has no credentials for '" + provider + "'";
  why += held && !held->trouble.empty() ? ": " + held->trouble : " yet: the credentials are being fetched";
  return proxy::network_failure(proxy::failure_kind::auth, std::move(why), proxy::failure_origin::gateway);
}

credential_upstream::credential_upstream(credential_view& view, proxy::credential_source source, std::string provider,
                                         std::uint64_t refused, proxy::alarms& clock, make made)
    : view_(view),
      source_(std::move(source)),
      provider_(std::move(provider)),
      refused_(refused),
      clock_(clock),
      make_(std::move(made)) {}

boost::asio::awaitable<proxy::result<void>> credential_upstream::open() {
  const proxy::maybe_failure missing = co_await key_has_come();
  if (missing) co_return *missing;
  inner_ = make_();
  if (!inner_) co_return proxy::cancelled_failure();
  auto opened = co_await inner_->open();
  co_return opened;
}

boost::asio::awaitable<proxy::maybe_failure> credential_upstream::key_has_come() {
  const auto first = view_.find(source_);
  const std::uint64_t tries = first ? first->tries : 0;
  credential_view::waiting place(view_);
  bool is_late = false;
  limit_.emplace(clock_, [&is_late, &place] {
    is_late = true;
    place.changed.wake();
  });
  const struct limit_end {  // resets the timer when this coroutine ends
    std::optional<proxy::alarm>& limit;
    ~limit_end() { limit.reset(); }
  } end{limit_};
  limit_->arm(clock_.now() + patience);
  proxy::maybe_failure missing;
  while (true) {
    if (is_closed_) missing = proxy::cancelled_failure();
    if (missing) break;
    const auto held = view_.find(source_);
    if (held && !held->key.empty() && held->serial != refused_) break;
    const bool is_over = is_late || (held && !held->trouble.empty() && (held->tries != tries || refused_ == 0));
    if (is_over) missing = no_credentials(provider_, held.get());
    if (is_over) break;
    co_await place.changed.wait();
  }
  co_return missing;
}

boost::asio::awaitable<void> credential_upstream::readable() {
  assert(inner_);  // readable() may only be called after open()
  return inner_->readable();
}

std::optional<proxy::result<proxy::stream_event>> credential_upstream::read() {
  if (inner_) return inner_->read();
  return proxy::cancelled_failure();
}

std::optional<proxy::result<proxy::stream_event>> credential_upstream::poll() {
  return inner_ ? inner_->poll() : std::nullopt;
}

void credential_upstream::close() noexcept {
  is_closed_ = true;
  if (inner_) inner_->close();
  // Wakes the waiting coroutine. The coroutine then ends in a later turn of the event loop.
  else if (limit_) limit_->arm(clock_.now());
}

}  // namespace photofinish::gateway
