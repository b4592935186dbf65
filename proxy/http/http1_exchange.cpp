#include "proxy/http/http1_exchange.hpp"

#include "proxy/loop/at_once.hpp"

#include <algorithm>
#include <vector>

namespace photofinish::proxy {

namespace asio = boost::asio;

namespace {

failure cancelled() { return {.kind = failure_kind::cancelled, .origin = failure_origin::gateway}; }

failure lost_before_response() {
  return {.kind = failure_kind::connect, .detail = "the connection ended before a response arrived"};
}

// Returns the failure for a response that broke off. This is never a connect failure, because the response had already
// begun.
failure cut_off(failure why, std::string_view where) {
  if (why.kind == failure_kind::cancelled) return why;
  why.kind = failure_kind::bad_stream;
  why.detail.append(" in the middle of the ").append(where);
  return why;
}

// True if the rest of the request need not be sent. An error response is final even if the server has not received the
// whole request, but a successful response may depend on the rest.
bool needs_no_more(const http1_response& response) { return response.has_head() && response.head()->status >= 300; }

// If the response's head arrives while the request is still being sent, nothing more is read until the request is sent.
// Nothing consumes the body's bytes before that.
byte_stream::listening listening_for(const http1_response& response) {
  return response.has_head() ? byte_stream::listening::no : byte_stream::listening::yes;
}

std::string write_head(const request_head& head, std::size_t body_bytes) {
  std::string out;
  out.reserve(512);
  out.append(head.method).append(" ").append(head.path).append(" HTTP/1.1\r\nhost: ").append(head.host);
  for (const auto& [name, value] : head.fields) out.append("\r\n").append(name).append(": ").append(value);
  out.append("\r\ncontent-length: ").append(std::to_string(body_bytes)).append("\r\n\r\n");
  return out;
}

}  // namespace

http1_exchange::http1_exchange(connection_pool& pool, const provider& provider, std::span<char> scratch)
    : scratch_(scratch), pool_(pool), provider_(provider) {}

asio::awaitable<result<response_head>> http1_exchange::start(const request_head& head,
                                                             std::span<const std::string_view> body) {
  for (freshness wanted = freshness::any;; wanted = freshness::fresh_only) {
    auto connected = try_connect(wanted);
    if (!connected) {
      auto waited = co_await await_connection();
      connected = std::move(waited);
    }
    if (!*connected) co_return std::move(*connected).error();
    auto answered = co_await ask(head, body);
    if (answered) co_return answered;
    // A server may close an idle connection before the gateway notices. If no byte of an answer arrived, the request is
    // silently sent again, once, on a new connection.
    const bool may_retry = connection_ == connection_used::reused && !first_byte_at_ && !is_cancelled_ &&
                           wanted == freshness::any;
    lease_.reset();
    if (is_cancelled_) co_return cancelled();
    if (!may_retry) co_return answered;
    response_ = http1_response();
  }
}

// Takes a connection from the pool. Returns nullopt if the caller must wait for a connection.
std::optional<result<void>> http1_exchange::try_connect(freshness wanted) {
  if (is_cancelled_) return cancelled();
  if (ready_) return hold(std::move(*std::exchange(ready_, nullptr)));
  request_.emplace(pool_, provider_);
  auto taken = request_->try_take(wanted);
  if (!taken) return std::nullopt;
  return hold(std::move(*taken));
}

asio::awaitable<result<void>> http1_exchange::await_connection() {
  auto taken = co_await request_->await_new();
  co_return hold(std::move(taken));
}

result<void> http1_exchange::hold(result<lease> taken) {
  request_.reset();
  if (!taken) return std::move(taken).error();
  if (is_cancelled_) return cancelled();
  lease_ = std::move(*taken);
  connection_ = lease_->is_reused() ? connection_used::reused : connection_used::fresh;
  return {};
}

asio::awaitable<result<response_head>> http1_exchange::ask(const request_head& head,
                                                           std::span<const std::string_view> body) {
  {
    std::size_t body_bytes = 0;
    for (const std::string_view piece : body) body_bytes += piece.size();
    const std::string head_text = write_head(head, body_bytes);
    std::vector<std::string_view> pieces;
    pieces.reserve(body.size() + 1);
    pieces.push_back(head_text);
    pieces.insert(pieces.end(), body.begin(), body.end());
    byte_stream& stream = lease_->stream();
    auto sent = co_await stream.write_listening(pieces);
    while (sent && stream.has_unwritten()) {  // the provider may answer before it has read the whole request
      if (auto read = read_head(); !read) co_return std::move(read).error();
      if (needs_no_more(response_)) break;
      auto gone_on = co_await stream.write_on(listening_for(response_));
      sent = std::move(gone_on);
    }
    is_sent_ = sent && !stream.has_unwritten();
    // A provider may reject a body that it has not read completely. The exchange then returns the provider's response,
    // not the failure of the write.
    if (!sent && sent.error().kind == failure_kind::cancelled) co_return std::move(sent).error();
    if (is_sent_ && !first_byte_at_) lease_->request_left();
  }
  while (!response_.has_head()) {
    co_await lease_->stream().readable();
    if (auto read = read_head(); !read) co_return std::move(read).error();
  }
  co_return response_.give_head();
}

// Reads the available bytes once, or returns immediately if there are none. This function is used until the body
// begins.
result<void> http1_exchange::read_head() {
  auto read = lease_->stream().try_read(room_to_read());
  if (!read) return {};
  result<std::size_t>& count = *read;
  if (!count && (first_byte_at_ || count.error().kind == failure_kind::cancelled))
    return cut_off(std::move(count).error(), "response's head");
  if (!count || *count == 0) {
    if (!first_byte_at_) return lost_before_response();
    auto ended = response_.feed_end(http1_response::ending::abrupt);
    return ended ? lost_before_response() : std::move(ended).error();
  }
  if (!first_byte_at_) {
    first_byte_at_ = std::chrono::steady_clock::now();
    lease_->answer_began();
  }
  return response_.feed(std::string_view(scratch_.data(), *count));
}

asio::awaitable<void> http1_exchange::readable() {
  if (!lease_ || has_body_here() || is_taken()) return at_once();
  response_.forget_taken();  // the spans that were returned before become invalid when the caller suspends
  return lease_->stream().readable();
}

std::optional<result<std::string_view>> http1_exchange::read() {
  if (auto span = response_.next_span()) return *span;
  if (!response_.is_complete()) {
    if (auto read = read_more(); !read) return std::move(read).error();
    if (auto span = response_.next_span()) return *span;
    if (!response_.is_complete()) return std::nullopt;
  }
  finish();
  return std::string_view{};
}

std::span<char> http1_exchange::room_to_read() const {
  constexpr std::size_t little = 16u << 10;
  return scratch_.first(is_reading_little_ ? std::min(scratch_.size(), little) : scratch_.size());
}

// Reads the available bytes once, or returns immediately if there are none.
result<void> http1_exchange::read_more() {
  if (!lease_) return cancelled();
  auto count = lease_->stream().try_read(room_to_read());
  if (!count) return {};
  if (!*count) {
    lease_.reset();
    return cut_off(std::move(*count).error(), "answer");
  }
  if (**count > 0) return response_.feed(std::string_view(scratch_.data(), **count));
  return response_.feed_end(lease_->stream().ended_abruptly() ? http1_response::ending::abrupt
                                                              : http1_response::ending::proper);
}

// Gives the connection back to the pool as soon as the response has ended, even if the client has not yet received all
// of it.
void http1_exchange::finish() {
  if (!lease_) return;
  if (is_sent_ && response_.may_reuse()) lease_->give_back();
  lease_.reset();
}

void http1_exchange::cancel() noexcept {
  is_cancelled_ = true;
  if (request_) request_->cancel();
  if (lease_) lease_->stream().abort();
}

}  // namespace photofinish::proxy
