// One HTTP/2 connection and its streams. One coroutine reads and another writes, with at most one pending write. Output
// that the session produces during a write is sent with the next write. Everything runs on the worker's thread.
#pragma once

#include "proxy/http2/http2_session.hpp"
#include "proxy/http2/http2_stream.hpp"
#include "proxy/http2/reset_budget.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/net/network.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class http2_connection final : public http2_carrier {
 public:
  // All readers of this thread share `scratch`. The connection calls `on_change` when it may accept more streams than
  // before.
  http2_connection(network& net, lease taken, std::string_view scheme, std::span<char> scratch,
                   std::function<void()> on_change);

  // Runs the connection until it has ended and all of its streams have been notified. The owner awaits this coroutine.
  boost::asio::awaitable<void> run();

  // Returns how many more streams may begin on this connection now. The number of resets is limited, and each open
  // stream reserves one of them.
  std::size_t headroom(instant now) const;
  // Returns the time before which no stream may begin, even if other streams end sooner.
  instant rests_until() const { return is_retired_ ? instant::max() : budget_.rests_until(); }
  void attach(http2_stream& stream, connection_used as);

  // The streams call the following functions.
  void send(http2_stream& stream, const request_head& head, std::span<const std::string_view> body) override;
  bool is_uploaded(const http2_stream& stream) const override { return session_.is_uploaded(stream.id_); }
  void stop_upload(http2_stream& stream) override { session_.stop_upload(stream.id_); }
  void taken(http2_stream& stream, std::size_t bytes) override;
  void release(http2_stream& stream) noexcept override;

  void retire() noexcept;  // rejects new streams; the connection ends when its last stream ends
  void abort() noexcept;   // ends immediately

  instant opened_at() const { return opened_at_; }
  instant idle_since() const { return idle_since_; }
  bool is_idle() const { return attached_.empty() && owed_.empty(); }
  bool is_spent() const { return budget_.is_spent(); }
  bool was_heard() const { return was_heard_; }  // a response arrived
  bool ended_unheard() const { return was_cut_ && !was_heard_; }
  bool ended_unused() const { return was_ended_by_peer_ && !has_served(); }
  bool received_enhance_your_calm() const { return session_.received_enhance_your_calm(); }
  bool has_served() const { return budget_.streams() > 0; }  // true if the connection has carried a stream, or carries
                                                             // one now

 private:
  boost::asio::awaitable<void> write_all();
  boost::asio::awaitable<failure> read_all();
  void break_all_off(const failure& why) noexcept;
  void flush() noexcept { more_.wake(); }  // wakes the writer, which runs immediately unless it is already writing
  void dispatch();
  void dispatch(http2_event& event, http2_stream& stream);
  void settle(http2_stream& stream);
  void detach(http2_stream& stream);
  void owe_reset(stream_id which);
  void pay_resets() noexcept;
  void end_if_done() noexcept;
  http2_stream* find(stream_id which) const;
  byte_stream& stream() { return lease_.stream(); }

  network& net_;
  lease lease_;
  std::string_view scheme_;
  std::span<char> scratch_;
  std::function<void()> on_change_;
  http2_session session_;
  reset_budget budget_;
  std::vector<http2_stream*> attached_;
  std::vector<stream_id> owed_;  // streams that no longer deliver events and must still be reset
  alarm payday_;
  signal more_;
  wakeup writer_ended_;
  bool is_writing_ = false;  // true while the writer coroutine exists
  bool is_retired_ = false;
  bool was_heard_ = false;
  bool was_cut_ = false;  // the connection was lost while requests were open
  bool was_ended_by_peer_ = false;
  std::string out_;
  instant opened_at_;
  instant idle_since_;
};

}  // namespace photofinish::proxy
