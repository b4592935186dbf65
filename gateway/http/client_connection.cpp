#include "gateway/http/client_connection.hpp"

#include "proxy/loop/large_reads.hpp"
#include "proxy/loop/next_turn.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using boost::system::error_code;
using asio::ip::tcp;

namespace {

// The maximum number of bytes of a long answer that one turn of the event loop writes. The kernel needs a few hundred
// microseconds to copy them. On loopback, the write also includes the kernel's work for the receiver.
constexpr std::size_t bytes_written_in_turn = 256u << 10;

// The time for which the gateway still reads after it has sent the last byte. If it closed the socket with unread
// bytes, the kernel would send a reset, which could destroy the answer.
constexpr std::chrono::seconds lingering{2};

std::size_t read_once(tcp::socket& socket, client_tls* tls, std::span<char> scratch, error_code& ec) {
  if (tls == nullptr) return socket.read_some(asio::buffer(scratch.data(), scratch.size()), ec);
  const proxy::io_outcome got = tls->read(scratch);
  switch (got.what) {
    case proxy::io_progress::done: break;
    case proxy::io_progress::ended: ec = asio::error::eof; break;
    case proxy::io_progress::broken: ec = asio::error::connection_reset; break;
    default: ec = asio::error::would_block;
  }
  return got.bytes;
}

}  // namespace

client_connection::client_connection(tcp::socket socket, proxy::alarms& alarms, std::span<char> scratch,
                                     half_close on_half_close, proxy::memory_share memory,
                                     std::unique_ptr<client_tls> tls)
    : socket_(std::move(socket)),
      tls_(std::move(tls)),
      on_half_close_(on_half_close),
      out_(memory.another()),
      alarms_(alarms),
      scratch_(scratch),
      in_(std::move(memory)),
      deadline_(alarms, [this] { is_late_ = true, arrived_.wake(); }),
      stall_(alarms, [this] { abort(); }) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
}

// Reads the client's bytes. In each turn of the event loop, it waits for the socket once, regardless of how many bytes
// the client sends.
asio::awaitable<void> client_connection::read_ahead() {
  error_code ec;
  while (socket_.is_open() && !has_ended_) {
    if (!may_read_ahead()) {
      if (has_ended_) break;  // the client has left, so nothing would wake this coroutine again
      co_await room_.wait();
      continue;
    }
    in_.free_room();  // frees the buffer, because the prompt may be long and its answer may take minutes
    ec = {};
    // Yields to the event loop even if bytes have already arrived: see docs/decisions/0011.
    const bool is_here = tls_ && tls_->has_more();
    if (is_here) co_await proxy::next_turn(socket_.get_executor());
    else co_await socket_.async_wait(tcp::socket::wait_read, asio::redirect_error(asio::use_awaitable, ec));
    if (ec || !socket_.is_open()) break;
    if (is_large_) {
      co_await proxy::large_reads::wait(socket_.get_executor(), proxy::large_reads::peer::client);
      if (!socket_.is_open()) break;
      if (has_ended_ || !may_read_ahead()) continue;
    }
    ec = take_some();
    if (ec && ec != asio::error::would_block) break;
  }
  has_ended_ = true;
  const bool is_half_closed = ec == asio::error::eof && on_half_close_ == half_close::tolerate;
  if (is_half_closed && socket_.is_open()) {
    arrived_.wake();
    co_await socket_.async_wait(tcp::socket::wait_error, asio::redirect_error(asio::use_awaitable, ec));
  }
  leave();
}

// Reads the available bytes in at most two reads, because a prompt is often slightly longer than one read. The bytes of
// the first read are consumed before the second read begins.
error_code client_connection::take_some() {
  constexpr int reads_in_turn = 2;
  error_code ec;
  for (int read = 0; read < reads_in_turn; ++read) {
    const std::size_t count = read_once(socket_, tls_.get(), scratch_, ec);
    if (ec) break;
    in_.append({scratch_.data(), count});
    is_large_ = count >= proxy::large_reads::large || (tls_ && tls_->has_more());
    if (bytes_hook_) bytes_hook_();
    arrived_.wake();
    const bool may_be_more = count == scratch_.size() && socket_.is_open() && !has_ended_;
    if (!may_be_more || !may_read_ahead()) break;
  }
  return ec;
}

bool client_connection::may_read_ahead() {
  if (in_.is_full()) return false;
  if (in_.reserve(scratch_.size())) return true;
  // Wakes a coroutine that waits for a request head. A coroutine that reads a body need not be woken, because it
  // consumes the bytes and thereby frees memory.
  arrived_.wake();
  return !in_.is_starved();
}

void client_connection::consume(std::size_t count) {
  in_.consume(count, scratch_.size());
  room_.wake();
}

asio::awaitable<client_connection::arrival> client_connection::more(proxy::instant deadline) {
  const std::size_t had = unread().size();
  is_late_ = false;
  if (in_.end_starvation()) room_.wake();  // wakes the suspended reader, because memory may be available again
  deadline_.arm(deadline);
  while (unread().size() == had && !has_ended_ && !is_late_ && !in_.is_starved() && !is_interrupted_)
    co_await arrived_.wait();
  deadline_.disarm();
  if (unread().size() > had) co_return arrival::bytes;
  if (in_.is_starved()) co_return arrival::starved;
  co_return has_ended_ || is_interrupted_ ? arrival::ended : arrival::late;
}

void client_connection::start_write(std::span<const std::string_view> pieces) {
  if (has_left_) return;
  has_written_ = true;
  out_.append(pieces, out_.empty() ? write_now(pieces) : 0);
  count_rest();
}

asio::awaitable<bool> client_connection::finish_write() {
  if (has_left_ || out_.empty()) co_return !has_left_;
  const proxy::instant began = alarms_.now();
  error_code ec;
  while (!has_left_ && !out_.empty()) {
    stall_.begin_wait(alarms_.now());
    co_await socket_.async_wait(tcp::socket::wait_write, asio::redirect_error(asio::use_awaitable, ec));
    if (ec || has_left_) break;
    write_front();
    out_.shrink();
  }
  stall_.end_write(alarms_.now() - began);
  const bool is_sent = out_.empty();
  out_.clear();
  co_return is_sent && !has_left_;
}

asio::awaitable<bool> client_connection::write(std::span<const std::string_view> pieces) {
  start_write(pieces);
  return finish_write();
}

void client_connection::write_aside(std::string_view bytes) { start_write(std::span(&bytes, 1)); }

// Writes with a single system call, or with one call for each TLS record. If the connection is broken, all bytes count
// as written, because the reading side notices the failure and ends the connection.
std::size_t client_connection::write_now(std::span<const std::string_view> pieces) {
  if (tls_) {
    const auto sent = tls_->write(pieces, bytes_written_in_turn);
    if (!sent) abort();
    return sent.value_or(0);
  }
  std::array<iovec, 64> parts;
  std::size_t count = 0, room = bytes_written_in_turn;
  for (const std::string_view piece : pieces.first(std::min(parts.size(), pieces.size()))) {
    const std::size_t size = std::min(piece.size(), room);
    parts[count++] = {const_cast<char*>(piece.data()), size};
    if ((room -= size) == 0) break;
  }
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  const ssize_t sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) abort();
  return 0;
}

// Reserves memory for the bytes that are not written yet. If there is no memory for them, the client is disconnected,
// because an event cannot be sent in part.
void client_connection::count_rest() {
  if (out_.reserve()) return;
  was_cut_for_memory_ = true;
  abort();
}

void client_connection::start_write_of(proxy::long_text text, proxy::memory_share counted) {
  if (has_left_) return;
  has_written_ = true;
  const bool is_first = out_.empty();
  out_.append(std::move(text), std::move(counted));
  if (is_first) write_front();
  count_rest();
}

// Writes as many of the queued bytes as one system call accepts.
void client_connection::write_front() {
  std::array<std::string_view, 8> pieces;
  const std::size_t count = out_.front(pieces);
  out_.drop(write_now(std::span(pieces).first(count)));
}

asio::awaitable<void> client_connection::finish() {
  // from now on, bytes can be sent to the client again, because the interrupted request has ended
  is_interrupted_ = false;
  if (!has_left_) {
    error_code ignored;
    if (tls_) tls_->say_goodbye();
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    const proxy::instant until = alarms_.now() + lingering;
    for (arrival last = arrival::bytes; last == arrival::bytes;) {
      consume(unread().size());
      last = co_await more(until);
    }
  }
  close();
}

void client_connection::close() noexcept {
  error_code ignored;
  if (tls_ && socket_.is_open()) tls_->say_goodbye();
  if (tls_) tls_->let_go();
  socket_.close(ignored);
  leave();
}

void client_connection::abort() noexcept {
  error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  if (tls_) tls_->let_go();  // closes TLS without sending close_notify
  close();
}

void client_connection::interrupt() {
  if (is_abandoned()) return;
  is_interrupted_ = true;
  if (auto hook = std::exchange(leave_hook_, nullptr)) hook();
  arrived_.wake();
}

void client_connection::leave() {
  has_ended_ = true;
  if (has_left_) return;
  has_left_ = true;
  error_code ignored;
  // Wakes a waiting write, because the client will never read the remaining bytes.
  if (socket_.is_open()) socket_.cancel(ignored);
  if (auto hook = std::exchange(leave_hook_, nullptr)) hook();
  room_.wake();
  arrived_.wake();
}

std::span<const std::string> client_connection::certificate_names() const {
  return tls_ ? std::span<const std::string>(tls_->names()) : std::span<const std::string>();
}

tcp::endpoint client_connection::peer() const {
  error_code ignored;
  return socket_.remote_endpoint(ignored);
}

}  // namespace photofinish::gateway
