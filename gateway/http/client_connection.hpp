// One client's connection. From accept to close it reads ahead into a bounded buffer, so it notices immediately when
// the client leaves. A write first sends the bytes that the kernel accepts immediately, and then waits to send the
// remaining bytes. Single-threaded. The session owns the connection, and awaits read_ahead() before destroying it.
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
  // `scratch` is the worker's shared read buffer, which holds bytes only during one synchronous read. `memory` accounts
  // for bytes that are read ahead or not yet sent. `tls` is null for a plain connection. Otherwise its handshake must
  // be complete.
  client_connection(boost::asio::ip::tcp::socket socket, proxy::alarms& alarms, std::span<char> scratch,
                    half_close on_half_close, proxy::memory_share memory = {}, std::unique_ptr<client_tls> tls = {});

  // Reads until the client leaves or close() is called. The owner starts this coroutine once.
  boost::asio::awaitable<void> read_ahead();

  // Returns the bytes that have arrived and have not been consumed yet.
  std::string_view unread() const { return in_.unread(); }
  void consume(std::size_t count);
  // Call this when a new request begins. The first read of this request does not have to wait for one of the few slots
  // for large reads.
  void begin_anew() { is_large_ = false; }

  // Waits until unread() has more bytes than now, and returns `bytes`. Otherwise returns the reason why no bytes
  // arrived: `late` after the deadline, `starved` if there is no memory to read them, or `ended` after the client has
  // left or interrupt() was called.
  enum class arrival { bytes, ended, late, starved };
  boost::asio::awaitable<arrival> more(proxy::instant deadline);

  // True if there is no memory to read ahead. In that case the connection reads nothing until some bytes are consumed.
  bool is_starved() const { return in_.is_starved(); }
  // Charges the memory of this connection to the given caller's account from now on.
  void charge(proxy::memory_budget::account who) { in_.charge(who), out_.charge(who); }

  // True if the client has left: after a reset, after close(), and, if half_close::abort is set, also after the
  // client's FIN.
  bool has_left() const { return has_left_; }
  // Ends the running request as if its client had left, but keeps the connection open, so that an error can be sent.
  // The gateway calls this when it stops.
  void interrupt();
  bool is_interrupted() const { return is_interrupted_; }
  // True if the running answer is no longer needed, because the client has left or the request was interrupted.
  bool is_abandoned() const { return has_left_ || is_interrupted_; }
  // Sets a function that is called once, directly, when the client leaves or interrupt() is called. Replaces the
  // previous function. An empty function removes it.
  void on_leave(std::function<void()> hook) { leave_hook_ = std::move(hook); }
  // Sets a function that is called directly whenever bytes have arrived. Replaces the previous function. An empty
  // function removes it.
  void on_bytes(std::function<void()> hook) { bytes_hook_ = std::move(hook); }

  // Sends all pieces in order. The pieces must stay valid until the coroutine returns. Returns false if the client has
  // left. Also returns false if the client has read no bytes during the stall timeout; the connection is then closed.
  boost::asio::awaitable<bool> write(std::span<const std::string_view> pieces);

  // Does the same as write(), but in two steps. start_write() sends as many bytes as the kernel accepts immediately,
  // and copies the other bytes, so that the pieces may be freed. If bytes are left, finish_write() must be awaited
  // before the next write.
  void start_write(std::span<const std::string_view> pieces);
  bool is_written() const { return out_.empty() && !has_left_; }
  boost::asio::awaitable<bool> finish_write();
  // Starts to write a long text. Unlike start_write(), it takes over the text, so that unsent bytes are not copied.
  // `counted` is the memory reservation that covered the text until now, if there was one.
  void start_write_of(proxy::long_text text, proxy::memory_share counted = {});
  // True if the client was disconnected because there was no memory for its unsent bytes.
  bool was_cut_for_memory() const { return was_cut_for_memory_; }

  // Begins an answer. After the first byte of an answer is written, no error can be sent instead of it.
  void begin_answer() { has_written_ = false; }
  bool has_written() const { return has_written_; }

  // Sends bytes while the coroutine that writes the answer waits for something else. If the kernel does not accept all
  // bytes now, the next write() sends the rest first.
  void write_aside(std::string_view bytes);

  void set_stall_timeout(std::chrono::milliseconds limit) { stall_.set_timeout(limit); }
  // Sets the time at which a waiting write gives up, even if the client still reads slowly. If total_timeout ends an
  // answer, the answer gets `last_write` more time, so that the client can still read the reason.
  static constexpr std::chrono::seconds last_write{1};
  void set_write_end(proxy::instant when) { stall_.set_end(when); }

  // Returns the total time for which writes waited for the client.
  std::chrono::nanoseconds time_stalled() const { return stall_.time_stalled(); }

  // Shuts down the sending side properly (FIN). Then reads for a short time, so that the client receives all sent
  // bytes.
  boost::asio::awaitable<void> finish();
  void close() noexcept;  // sends FIN
  void abort() noexcept;  // sends RST, so that the client does not mistake the received part for a complete answer

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

  // Every write uses these members. They are first in the object, so that they share few cache lines.
  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<client_tls> tls_;
  bool has_left_ = false;
  bool is_interrupted_ = false;
  bool has_ended_ = false;  // true if no more bytes will arrive from the client
  bool is_late_ = false;
  bool is_large_ = false;  // true if the last read was large, and the next bytes belong to the same request
  bool was_cut_for_memory_ = false;
  bool has_written_ = false;
  half_close on_half_close_;
  send_queue out_;
  proxy::alarms& alarms_;
  std::span<char> scratch_;

  read_ahead_buffer in_;
  std::function<void()> leave_hook_, bytes_hook_;
  proxy::signal arrived_;
  proxy::signal room_;  // wakes the reader when the read-ahead buffer has room again
  proxy::alarm deadline_;
  stall_timer stall_;
};

}  // namespace photofinish::gateway
