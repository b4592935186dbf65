#include "proxy/http2/http2_connection.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/http2/http2_headers.hpp"
#include "proxy/loop/spawn.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::proxy {

namespace asio = boost::asio;

namespace {

failure lost(const http2_stream& stream, const failure& why) {
  if (!stream.first_byte_at())
    return network_failure(failure_kind::connect, "the connection ended before a response arrived");
  return why;
}

failure broken_by(std::uint32_t error, const http2_stream& stream) {
  const std::string name(http2_error_name(error));
  if (error == NGHTTP2_ENHANCE_YOUR_CALM)
    return network_failure(failure_kind::rate_limited, "the provider asks for fewer requests (" + name + ")");
  const auto kind = stream.first_byte_at() ? failure_kind::bad_stream : failure_kind::connect;
  return network_failure(kind, "the stream failed: " + name);
}

}  // namespace

http2_connection::http2_connection(network& net, lease taken, std::string_view scheme, std::span<char> scratch,
                                   std::function<void()> on_change)
    : net_(net),
      lease_(std::move(taken)),
      scheme_(scheme),
      scratch_(scratch),
      on_change_(std::move(on_change)),
      payday_(net.clock, [this] { pay_resets(); }),
      writer_ended_(net.loop),
      opened_at_(net.clock.now()),
      idle_since_(opened_at_) {
  attached_.reserve(budget_.max_streams());  // memory is reserved in advance, because cancel() must not allocate
  owed_.reserve(budget_.max_streams());
}

asio::awaitable<void> http2_connection::run() {
  spawn(net_.loop, "the writer of a connection to a provider", write_all(), [this](const std::exception_ptr& bug) {
    if (bug) report_bug("the writer of a connection to a provider", bug);
    if (bug) abort();  // without this call, coroutines that wait for an answer would wait forever
    is_writing_ = false;
    writer_ended_.wake();
  });
  is_writing_ = true;
  failure why = cancelled_failure();
  std::exception_ptr bug;
  try {
    why = co_await read_all();
  } catch (...) {
    bug = std::current_exception();
    abort();
  }
  was_ended_by_peer_ |= !is_retired_;
  is_retired_ = true;
  payday_.disarm();
  flush();  // if the peer broke the protocol, sends GOAWAY
  break_all_off(why);
  stream().abort();
  flush();
  while (is_writing_) {
    const bool is_awake = writer_ended_.take();
    if (!is_awake) co_await writer_ended_.next();
  }
  if (bug) std::rethrow_exception(bug);
}

// Returns the reason why the connection ended.
asio::awaitable<failure> http2_connection::read_all() {
  while (true) {
    auto count = co_await stream().read_some(scratch_);
    if (!count) co_return std::move(count).error();
    if (*count == 0)
      co_return network_failure(failure_kind::bad_stream, "the connection ended in the middle of the response");
    auto fed = session_.receive(std::string_view(scratch_.data(), *count));
    dispatch();
    if (!fed) co_return std::move(fed).error();
    if (!owed_.empty()) pay_resets();
    flush();
    end_if_done();
  }
}

// This function is noexcept, so the process ends if there is no memory for a failure. Otherwise coroutines would wait
// forever for the streams of this connection.
void http2_connection::break_all_off(const failure& why) noexcept {
  while (!attached_.empty()) {
    http2_stream& each = *attached_.back();
    each.break_.may_repeat = each.id_ == 0;
    each.break_.was_lost = true;
    was_cut_ |= why.kind != failure_kind::cancelled;
    failure its = lost(each, why);
    detach(each);
    each.break_off(std::move(its));
  }
}

asio::awaitable<void> http2_connection::write_all() {
  while (stream().is_open()) {
    out_.clear();
    session_.collect(out_);
    dispatch();  // sending bytes may end a stream
    if (out_.empty()) {
      if (session_.is_over()) stream().abort();
      else co_await more_.wait();
      continue;
    }
    const std::array<std::string_view, 1> pieces{out_};
    auto written = co_await stream().write(pieces);
    if (!written) stream().abort();
    for (http2_stream* each : attached_)
      if (each->awaits_upload_ && session_.is_uploaded(each->id_)) each->wakeup_.wake();
  }
}

std::size_t http2_connection::headroom(instant now) const {
  const std::size_t by_resets = is_retired_ ? 0 : budget_.headroom(now);
  if (by_resets == 0) return 0;
  const std::size_t open = attached_.size() + owed_.size();
  const std::size_t allowed = std::min(session_.allowed_streams(), budget_.max_streams());
  return std::min(allowed - std::min(allowed, open), by_resets);
}

void http2_connection::attach(http2_stream& stream, connection_used as) {
  attached_.push_back(&stream);
  budget_.stream_began();
  stream.connection_ = this;
  stream.used_ = as;
  stream.claim_ = http2_stream::claim::http2;
  stream.wakeup_.wake();
}

void http2_connection::send(http2_stream& stream, const request_head& head, std::span<const std::string_view> body) {
  stream.id_ = session_.submit(head, scheme_, body);
  if (stream.id_ == 0) {
    stream.break_.may_repeat = true;
    detach(stream);
    stream.break_off(network_failure(failure_kind::connect, "the connection accepts no more requests"));
  }
  flush();
}

void http2_connection::taken(http2_stream& stream, std::size_t bytes) {
  session_.consumed(stream.id_, bytes);
  if (session_.wants_to_write()) flush();
}

http2_stream* http2_connection::find(stream_id which) const {
  const auto is_it = [which](const http2_stream* each) { return each->id_ == which; };
  const auto found = std::find_if(attached_.begin(), attached_.end(), is_it);
  return found == attached_.end() ? nullptr : *found;
}

void http2_connection::dispatch() {
  for (http2_event& each : session_.take_events())
    if (http2_stream* stream = find(each.stream)) {
      if (!stream->first_byte_at_ && each.kind != http2_event_kind::broken)
        stream->first_byte_at_ = std::chrono::steady_clock::now();
      dispatch(each, *stream);
      stream->wakeup_.wake();
    }
}

void http2_connection::dispatch(http2_event& event, http2_stream& stream) {
  switch (event.kind) {
    case http2_event_kind::interim: return;
    case http2_event_kind::head:
      was_heard_ = true;
      stream.head_ = std::move(event.head);
      return;
    case http2_event_kind::body:
      stream.incoming_.append(event.bytes);
      return settle(stream);
    case http2_event_kind::end:
      stream.has_ended_ = true;
      settle(stream);
      // the provider has answered, so it does not need the rest of the request
      if (!session_.is_uploaded(event.stream)) owe_reset(event.stream);
      return detach(stream);
    case http2_event_kind::broken:
      stream.break_.may_repeat = !event.was_processed;
      stream.break_.needs_http1 = event.error == NGHTTP2_HTTP_1_1_REQUIRED;
      stream.break_.why = broken_by(event.error, stream);
      return detach(stream);
  }
}

// Call this when the first byte of an answer has arrived. A race is usually decided by then, so the stream probably
// need not be reset. The connection therefore no longer reserves a reset for the stream.
void http2_connection::settle(http2_stream& stream) {
  if (std::exchange(stream.is_settled_, true)) return;
  budget_.stream_settled();
  on_change_();
}

void http2_connection::detach(http2_stream& stream) {
  settle(stream);
  std::erase(attached_, &stream);
  stream.connection_ = nullptr;
  if (is_idle()) idle_since_ = net_.clock.now();
  on_change_();
}

void http2_connection::release(http2_stream& stream) noexcept {
  const stream_id which = stream.id_;
  if (which != 0 && session_.is_open(which)) {
    budget_.stream_is_owed_a_reset();
    owed_.push_back(which);
    session_.mute(which);
  }
  detach(stream);
  pay_resets();
}

void http2_connection::owe_reset(stream_id which) {
  session_.mute(which);
  budget_.stream_is_owed_a_reset();
  owed_.push_back(which);
}

// Sends the resets that are due. A stream that waits for its reset still counts as an open stream. Its window is not
// reopened, and the gateway drops bytes that arrive for it. If no other streams use the connection, the gateway closes
// the connection instead.
void http2_connection::pay_resets() noexcept {
  const instant now = net_.clock.now();
  std::erase_if(owed_, [&](stream_id which) {
    if (!session_.is_open(which)) {
      budget_.stream_settled();
      return true;
    }
    if (!budget_.may_reset(now)) return false;
    session_.reset(which);
    budget_.stream_was_reset(now);
    return true;
  });
  flush();
  if (!owed_.empty() && attached_.empty()) return abort();
  if (!owed_.empty()) payday_.arm(budget_.may_reset_at());
  if (is_idle()) idle_since_ = now;
  on_change_();
  end_if_done();
}

void http2_connection::retire() noexcept {
  is_retired_ = true;
  end_if_done();
}

void http2_connection::end_if_done() noexcept {
  if (!is_idle() || (!is_retired_ && session_.allowed_streams() > 0)) return;
  was_ended_by_peer_ |= !is_retired_;  // the peer accepts no more requests
  is_retired_ = true;
  session_.say_goodbye();
  flush();
  abort();
}

void http2_connection::abort() noexcept {
  is_retired_ = true;
  stream().abort();
}

}  // namespace photofinish::proxy
