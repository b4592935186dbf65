// One client's connection. It reads ahead from accept to close, into a bounded buffer: that is how the client's
// leaving is noticed at any time. It writes at once what the kernel takes, and waits only for the rest.
// Single-threaded. Owned by its session, which awaits read_ahead() before destroying it.
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
  // `scratch` is the worker's, for one synchronous read at a time.
  // `memory` is for what is read ahead and for what the client does not take. `tls`: hands are shaken; null: plain.
  client_connection(boost::asio::ip::tcp::socket socket, proxy::alarms& alarms, std::span<char> scratch,
                    half_close on_half_close, proxy::memory_share memory = {}, std::unique_ptr<client_tls> tls = {});

  // Reads until the client leaves or close() is called. Spawned once by the owner.
  boost::asio::awaitable<void> read_ahead();

  // What has come and was not consumed.
  std::string_view unread() const { return in_.unread(); }
  void consume(std::size_t count);
  // What comes next is not the rest of something long: its first bytes wait for none that flood.
  void begin_anew() { is_large_ = false; }

  // Waits for more bytes than unread() has, or says why none came by `deadline`. Returns `ended` after interrupt().
  enum class arrival { bytes, ended, late, starved };
  boost::asio::awaitable<arrival> more(proxy::instant deadline);

  // There is no memory for what it sends ahead: nothing more is read until some is consumed.
  bool is_starved() const { return in_.is_starved(); }
  // What it holds is that caller's from now on.
  void charge(proxy::memory_budget::account who) { in_.charge(who), out_.charge(who); }

  // The client is gone: reset, closed by us, or (half_close::abort) its FIN came.
  bool has_left() const { return has_left_; }
  // Ends the running request as if its client had left, but the connection stays open for an error. The gateway stops.
  void interrupt();
  bool is_interrupted() const { return is_interrupted_; }
  // Nothing more of the running answer is wanted: its client has left, or it was interrupted.
  bool is_abandoned() const { return has_left_ || is_interrupted_; }
  // Called once, inline, when the client leaves or interrupt() is called; replaces any earlier hook. An empty one
  // removes it.
  void on_leave(std::function<void()> hook) { leave_hook_ = std::move(hook); }
  // Called inline whenever bytes have come; replaces any earlier hook. An empty one removes it.
  void on_bytes(std::function<void()> hook) { bytes_hook_ = std::move(hook); }

  // Sends everything, in order; the pieces are borrowed until it returns. False when the client has left, or
  // has taken no byte for the stall timeout (the connection is then cut).
  boost::asio::awaitable<bool> write(std::span<const std::string_view> pieces);

  // The same in two steps: what the kernel takes at once is on its way when the first returns, and the rest is kept,
  // so that the pieces may go. Unless all is written, the second must be awaited before the next write.
  void start_write(std::span<const std::string_view> pieces);
  bool is_written() const { return out_.empty() && !has_left_; }
  boost::asio::awaitable<bool> finish_write();
  // As start_write(), for a long text that nothing else needs: its rest is not copied. `counted` is what it was counted
  // by until now, if it was.
  void start_write_of(proxy::long_text text, proxy::memory_share counted = {});
  // It was cut because there was no memory for what it did not take.
  bool was_cut_for_memory() const { return was_cut_for_memory_; }

  // Whether anything was written since begin_answer(): an answer that has begun cannot become an error.
  void begin_answer() { has_written_ = false; }
  bool has_written() const { return has_written_; }

  // Sends from outside the writing coroutine, while it waits for something else: what the kernel does not take
  // now goes first with the next write().
  void write_aside(std::string_view bytes);

  void set_stall_timeout(std::chrono::milliseconds limit) { stall_.set_timeout(limit); }
  // A write that still waits for the client then is cut, however often the client takes a little. An answer that ends
  // by its total_timeout has `last_write` more, so that the client reads why.
  static constexpr std::chrono::seconds last_write{1};
  void set_write_end(proxy::instant when) { stall_.set_end(when); }

  // Time spent waiting for the client to take bytes, so far.
  std::chrono::nanoseconds time_stalled() const { return stall_.time_stalled(); }

  // Ends our side properly and lets the client read what is on its way: FIN, then a little reading.
  boost::asio::awaitable<void> finish();
  void close() noexcept;  // FIN
  void abort() noexcept;  // RST: the client must not take what it has for complete

  bool is_open() const { return socket_.is_open(); }
  boost::asio::ip::tcp::endpoint peer() const;
  bool is_tls() const { return tls_ != nullptr; }
  // Of the client's certificate: client_tls::names().
  std::span<const std::string> certificate_names() const;

 private:
  std::size_t write_now(std::span<const std::string_view> pieces);  // bytes taken
  void write_front();
  void count_rest();
  bool may_read_ahead();
  boost::system::error_code take_some();
  void leave();

  // What each write needs is first, and so in as few cache lines as can be.
  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<client_tls> tls_;
  bool has_left_ = false;
  bool is_interrupted_ = false;
  bool has_ended_ = false;  // no byte will come
  bool is_late_ = false;
  bool is_large_ = false;  // the last read brought much, and what comes belongs to the same
  bool was_cut_for_memory_ = false;
  bool has_written_ = false;
  half_close on_half_close_;
  send_queue out_;
  proxy::alarms& alarms_;
  std::span<char> scratch_;

  read_ahead_buffer in_;
  std::function<void()> leave_hook_, bytes_hook_;
  proxy::signal arrived_;
  proxy::signal room_;  // in the read-ahead buffer
  proxy::alarm deadline_;
  stall_timer stall_;
};

}  // namespace photofinish::gateway
