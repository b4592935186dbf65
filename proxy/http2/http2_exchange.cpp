#include "proxy/http2/http2_exchange.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/loop/at_once.hpp"

#include <utility>

namespace photofinish::proxy {

namespace asio = boost::asio;

http2_exchange::http2_exchange(http2_pool& pool, connection_pool& sockets, const provider& provider, std::string model,
                               std::span<char> scratch)
    : pool_(pool), sockets_(sockets), provider_(provider), model_(std::move(model)), scratch_(scratch) {}

asio::awaitable<result<response_head>> http2_exchange::start(const request_head& head,
                                                             std::span<const std::string_view> body) {
  freshness wanted = freshness::any;
  share_ = pool_.share_of(provider_, model_);
  for (bool is_repeat = false;; is_repeat = true) {
    if (is_cancelled_) co_return cancelled_failure();
    stream_.emplace(pool_.loop());
    pool_.claim(*stream_, provider_, model_, wanted);
    auto claimed = co_await stream_->claimed();
    if (is_cancelled_) co_return cancelled_failure();
    if (!claimed) co_return std::move(claimed).error();
    is_under_way_ = true;
    if (*claimed == http2_stream::claim::http1) co_return co_await start_http1(head, body);
    auto received = co_await stream_->start(head, body);
    if (received) co_return received;
    if (is_cancelled_) co_return cancelled_failure();
    if (is_repeat || !may_repeat()) {
      note_end();
      co_return received;
    }
    if (stream_->needs_http1()) pool_.must_use_http1(provider_);
    // The request is silently sent again, once. An idle connection may have been lost before the gateway noticed, and a
    // connection that is being closed accepts no requests.
    wanted = stream_->may_repeat() ? freshness::any : freshness::fresh_only;
  }
}

bool http2_exchange::may_repeat() const {
  if (stream_->needs_http1()) return provider_.http2 == http2_use::automatic;
  return stream_->may_repeat() ||
         (stream_->connection() == connection_used::reused && !stream_->first_byte_at() && stream_->was_lost());
}

asio::awaitable<result<response_head>> http2_exchange::start_http1(const request_head& head,
                                                                   std::span<const std::string_view> body) {
  std::optional<lease> ready = stream_->take_http1_lease();
  stream_.reset();
  http1_ = std::make_unique<http1_exchange>(sockets_, provider_, scratch_);
  if (ready) http1_->begin_on(std::move(*ready));
  auto received = co_await http1_->start(head, body);
  if (!received && !is_cancelled_) note_end();
  co_return received;
}

asio::awaitable<void> http2_exchange::readable() {
  if (http1_) return http1_->readable();
  return stream_ ? stream_->readable() : at_once();
}

std::optional<result<std::string_view>> http2_exchange::read() {
  if (!http1_ && !stream_) return cancelled_failure();
  auto bytes = http1_ ? http1_->read() : stream_->read();
  if (bytes && !is_cancelled_ && (!*bytes || (*bytes)->empty())) note_end();
  return bytes;
}

std::string_view http2_exchange::poll() {
  if (http1_) return http1_->poll();
  return stream_ ? stream_->poll() : std::string_view{};
}

bool http2_exchange::has_body_here() const {
  if (http1_) return http1_->has_body_here();
  return stream_ && stream_->has_body_here();
}

bool http2_exchange::is_taken() const {
  if (http1_) return http1_->is_taken();
  return stream_ && stream_->is_complete();
}

connection_used http2_exchange::connection() const {
  if (http1_) return http1_->connection();
  return stream_ ? stream_->connection() : connection_used::none;
}

std::optional<instant> http2_exchange::first_byte_at() const {
  if (http1_) return http1_->first_byte_at();
  return stream_ ? stream_->first_byte_at() : std::nullopt;
}

void http2_exchange::note_end() {
  if (std::exchange(is_under_way_, false)) share_->attempt_ended(pool_.now());
}

void http2_exchange::cancel() noexcept {
  if (std::exchange(is_cancelled_, true)) return;
  const bool is_whole = stream_ && stream_->is_complete();
  if (std::exchange(is_under_way_, false)) {
    if (is_whole) share_->attempt_ended(pool_.now());
    else share_->attempt_cancelled(pool_.now());
  }
  if (http1_) http1_->cancel();
  if (stream_) stream_->cancel();
}

}  // namespace photofinish::proxy
