// One client's connection. From accept to close it reads ahead into a bounded buffer, and thereby detects at any time
// that the client leaves. It writes immediately as many bytes as the kernel accepts, and waits only for the rest.
// Single-threaded. Its session owns it, and awaits read_ahead() before destroying it.
#pragma once

#include "gateway/http/client_limits.hpp"
#include "gateway/http/read_ahead_buffer.hpp"
#include "gateway/http/send_queue.hpp"
#include "gateway/http/stall_timer.hpp"
#include "gateway/ingress/client_tls.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/memory/long_text.hpp"
#include "proxy/memory/memory_share.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class client_connection {
 public:
  // `scratch` belongs to the worker, for one synchronous read at a time. `memory` accounts for bytes that are read
  // ahead or not yet sent. `tls` is null for a plain connection; its handshake must be done.
  client_connection(boost::asio::ip::tcp::socket socket, proxy::alarms& alarms, std::span<char> scratch,
                    half_close on_half_close, proxy::memory_share memory = {}, std::unique_ptr<client_tls> tls = {});

  // Reads until the client leaves or close() is called. The owner starts this coroutine once.
  boost::asio::awaitable<void> read_ahead();

  // Returns the bytes that have arrived and were not consumed.
  std::string_view unread() const { return in_.unread(); }
  void consume(std::size_t count);
  // Starts a new request. Its first bytes do not wait for a large-read slot.
  void begin_anew() { is_large_ = false; }

  // Waits until there are more bytes than in unread(), or returns the reason why none arrived by `deadline`. Returns
  // `ended` after interrupt().
  enum class arrival { bytes, ended, late, starved };
  boost::asio::awaitable<arrival> more(proxy::instant deadline);

  // True if there is no memory to read ahead. The connection then reads nothing until some bytes are consumed.
  bool is_starved() const { return in_.is_starved(); }
  // Charges the memory of this connection to the given caller from now on.
  void charge(proxy::memory_budget::account who) { in_.charge(who), out_.charge(who); }

  // True if the client is gone, which means after a reset, after close(), or after its FIN (half_close::abort).
  bool has_left() const { return has_left_; }
  // Ends the running request as if its client had left, but keeps the connection open for an error. The gateway
  // uses this when it stops.
  void interrupt();
  bool is_interrupted() const { return is_interrupted_; }
  // True if no client needs the rest of the running answer, because its client has left, or the
  // request was interrupted.
  bool is_abandoned() const { return has_left_ || is_interrupted_; }
  // Sets the function that is called once, inline, when the client leaves or interrupt() is called. Replaces the
  // earlier hook. An empty hook removes it.
  void on_leave(std::function<void()> hook) { leave_hook_ = std::move(hook); }
  // Sets the function that is called inline whenever bytes have arrived. Replaces the earlier hook. An
  // empty hook removes it.
  void on_bytes(std::function<void()> hook) { bytes_hook_ = std::move(hook); }

  // Sends all pieces in order. They are borrowed until the coroutine returns. Returns false if the client has left, or
  // has read no byte for the stall timeout (the connection is then cut).
  boost::asio::awaitable<bool> write(std::span<const std::string_view> pieces);

  // Does the same as write(), but in two steps. start_write() sends as many bytes as the kernel accepts
  // immediately, and copies the rest, so that the pieces may be freed. If bytes are left, finish_write() must be
  // awaited before the next write.
  void start_write(std::span<const std::string_view> pieces);
  bool is_written() const { return out_.empty() && !has_left_; }
  boost::asio::awaitable<bool> finish_write();
  // Does the same as start_write() for a long text that no other code needs, so that its rest is not copied. `counted`
  // is the share that counted the text so far, if there is one.
  void start_write_of(proxy::long_text text, proxy::memory_share counted = {});
  // True if the client was cut off because there was no memory for its unsent bytes.
  bool was_cut_for_memory() const { return was_cut_for_memory_; }

  // Begins an answer. An answer of which any byte was written cannot become an error any more.
  void begin_answer() { has_written_ = false; }
  bool has_written() const { return has_written_; }

  // Sends bytes from outside the writing coroutine, while that coroutine waits for something else. The next write()
  // first sends the bytes that the kernel does not accept now.
  void write_aside(std::string_view bytes);

  void set_stall_timeout(std::chrono::milliseconds limit) { stall_.set_timeout(limit); }
  // Ends a write that still waits at this time, even if the client reads some bytes now and then. If an answer ends by
  // its total_timeout, the time `last_write` is added, so that the client can read the reason.
  static constexpr std::chrono::seconds last_write{1};
  void set_write_end(proxy::instant when) { stall_.set_end(when); }

  // Returns the total time in which writes waited for the client to read bytes.
  std::chrono::nanoseconds time_stalled() const { return stall_.time_stalled(); }

  // Ends the gateway's side properly (FIN), then reads for a short time so that the client gets all sent bytes.
  boost::asio::awaitable<void> finish();
  void close() noexcept;  // sends FIN
  void abort() noexcept;  // sends RST, so that the client does not take the received part for a complete answer

  bool is_open() const { return socket_.is_open(); }
  boost::asio::ip::tcp::endpoint peer() const;
  bool is_tls() const { return tls_ != nullptr; }
  // Returns the names in the client's certificate; see client_tls::names().
  std::span<const std::string> certificate_names() const;

 private:
  // Returns the number of bytes that the kernel accepted.
  std::size_t write_now(std::span<const std::string_view> pieces);
  void write_front();
  void count_rest();
  bool may_read_ahead();
  boost::system::error_code take_some();
  void leave();

  // Members that each write needs. They are first in the object, to use few cache lines.
  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<client_tls> tls_;
  bool has_left_ = false;
  bool is_interrupted_ = false;
  bool has_ended_ = false;  // true if no more bytes will arrive
  bool is_late_ = false;
  bool is_large_ = false;  // the last read was large, and the next bytes belong to the same request
  bool was_cut_for_memory_ = false;
  bool has_written_ = false;
  half_close on_half_close_;
  send_queue out_;
  proxy::alarms& alarms_;
  std::span<char> scratch_;

  read_ahead_buffer in_;
  std::function<void()> leave_hook_, bytes_hook_;
  proxy::signal arrived_;
  proxy::signal room_;  // this signal wakes the reader when the read-ahead buffer has room
  proxy::alarm deadline_;
  stall_timer stall_;
};

}  // namespace photofinish::gateway
