#include "gateway/client_connection.hpp"

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

// Bytes kept of what a client sends ahead of its turn; beyond them its own kernel holds the rest. The longest head
// fits, and one byte more, by which it is known to be too long.
constexpr std::size_t read_ahead_limit = longest_header + 1;

// How long a closed conversation is still read, so that the answer is not lost to a reset.
constexpr std::chrono::seconds lingering{2};

}  // namespace

client_connection::client_connection(tcp::socket socket, proxy::alarms& alarms, std::span<char> scratch,
                                     half_close on_half_close, proxy::memory_share memory)
    : socket_(std::move(socket)),
      on_half_close_(on_half_close),
      alarms_(alarms),
      scratch_(scratch),
      in_memory_(memory.another()),
      out_memory_(std::move(memory)),
      deadline_(alarms, [this] { is_late_ = true, arrived_.wake(); }),
      stall_(alarms, [this] { abort(); }) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
}

// One read in a turn of the loop, however much a client sends.
asio::awaitable<void> client_connection::read_ahead() {
  error_code ec;
  while (socket_.is_open() && !has_ended_) {
    if (!may_read_ahead()) {
      if (has_ended_) break;  // it left just now, while it was refused: nothing wakes us any more
      co_await room_.wait();
      continue;
    }
    if (in_.empty()) in_.shrink_to_fit();  // a prompt may be long, and its answer takes minutes
    co_await socket_.async_wait(tcp::socket::wait_read, asio::redirect_error(asio::use_awaitable, ec));
    if (ec || !socket_.is_open()) break;
    const std::size_t count = socket_.read_some(asio::buffer(scratch_.data(), scratch_.size()), ec);
    if (ec == asio::error::would_block) continue;
    if (ec) break;
    in_.append(scratch_.data(), count);
    if (bytes_hook_) bytes_hook_();
    arrived_.wake();
  }
  has_ended_ = true;
  const bool is_half_closed = ec == asio::error::eof && on_half_close_ == half_close::tolerate;
  if (is_half_closed && socket_.is_open()) {
    arrived_.wake();
    co_await socket_.async_wait(tcp::socket::wait_error, asio::redirect_error(asio::use_awaitable, ec));
  }
  leave();
}

// The first read is free: what it brings is small, or is consumed at once.
bool client_connection::may_read_ahead() {
  if (unread().size() >= read_ahead_limit) return false;
  if (unread().size() <= proxy::memory_share::uncounted) return true;
  if (in_memory_.grow_to(unread().size() + scratch_.size(), proxy::memory_use::arriving)) return true;
  is_starved_ = true;
  arrived_.wake();  // who waits for a whole head waits in vain; one that takes a part of a body makes room, inline
  return !is_starved_;
}

void client_connection::consume(std::size_t count) {
  is_starved_ = false;
  consumed_ += count;
  if (consumed_ == in_.size()) {
    in_.clear();
    if (in_.capacity() > scratch_.size()) in_.shrink_to_fit();
    if (in_memory_.held() > 0) in_memory_.shrink_to(0);
    consumed_ = 0;
  } else if (consumed_ > read_ahead_limit / 2) {
    in_.erase(0, consumed_);
    consumed_ = 0;
  }
  room_.wake();
}

asio::awaitable<client_connection::arrival> client_connection::more(proxy::instant deadline) {
  const std::size_t had = unread().size();
  is_late_ = false;
  if (std::exchange(is_starved_, false)) room_.wake();  // of a while ago: there may be memory by now; it looks, inline
  deadline_.arm(deadline);
  while (unread().size() == had && !has_ended_ && !is_late_ && !is_starved_) co_await arrived_.wait();
  deadline_.disarm();
  if (unread().size() > had) co_return arrival::bytes;
  if (is_starved_) co_return arrival::starved;
  co_return has_ended_ ? arrival::ended : arrival::late;
}

void client_connection::start_write(std::span<const std::string_view> pieces) {
  if (has_left_) return;
  keep_rest(pieces, out_.empty() ? write_now(pieces) : 0);
}

asio::awaitable<bool> client_connection::finish_write() {
  if (has_left_ || out_.empty()) co_return !has_left_;
  co_return co_await flush();
}

asio::awaitable<bool> client_connection::write(std::span<const std::string_view> pieces) {
  start_write(pieces);
  return finish_write();
}

void client_connection::write_aside(std::string_view bytes) {
  if (has_left_) return;
  const std::span<const std::string_view> piece(&bytes, 1);
  keep_rest(piece, out_.empty() ? write_now(piece) : 0);
}

// One system call. A broken connection takes everything: the reading side is told, and ends us.
std::size_t client_connection::write_now(std::span<const std::string_view> pieces) {
  std::array<iovec, 64> parts;
  const std::size_t count = std::min(parts.size(), pieces.size());
  for (std::size_t index = 0; index < count; ++index)
    parts[index] = {const_cast<char*>(pieces[index].data()), pieces[index].size()};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  const ssize_t sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) abort();
  return 0;
}

void client_connection::keep_rest(std::span<const std::string_view> pieces, std::size_t taken) {
  for (std::string_view piece : pieces) {
    const std::size_t skip = std::min(taken, piece.size());
    taken -= skip;
    out_ += piece.substr(skip);
  }
  count_rest();
}

// No event can be given back to its provider: without memory for the rest of one, the client is cut off.
void client_connection::count_rest() {
  if (out_.size() <= proxy::memory_share::uncounted) return;
  if (out_memory_.grow_to(out_.size(), proxy::memory_use::running)) return;
  was_cut_for_memory_ = true;
  abort();
}

void client_connection::start_write_of(std::string bytes, proxy::memory_share counted) {
  if (has_left_) return;
  const std::string_view piece = bytes;
  if (!out_.empty()) return keep_rest(std::span(&piece, 1), 0);
  const std::size_t taken = write_now(std::span(&piece, 1));
  if (taken == bytes.size()) return;
  out_ = std::move(bytes);
  out_taken_ = taken;
  out_memory_ = std::move(counted);
  count_rest();
}

asio::awaitable<bool> client_connection::flush() {
  const proxy::instant began = alarms_.now();
  std::size_t sent = std::exchange(out_taken_, 0);
  error_code ec;
  while (!has_left_ && sent < out_.size()) {
    stall_.arm(alarms_.now() + stall_timeout_);
    co_await socket_.async_wait(tcp::socket::wait_write, asio::redirect_error(asio::use_awaitable, ec));
    if (ec || has_left_) break;
    const std::string_view rest = std::string_view(out_).substr(sent);
    sent += write_now(std::span(&rest, 1));
  }
  stall_.disarm();
  time_stalled_ += alarms_.now() - began;
  const bool is_sent = sent == out_.size();
  out_.clear();
  out_.shrink_to_fit();
  out_memory_.shrink_to(0);
  co_return is_sent && !has_left_;
}

asio::awaitable<void> client_connection::finish() {
  if (!has_left_) {
    error_code ignored;
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
  socket_.close(ignored);
  leave();
}

void client_connection::abort() noexcept {
  error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

void client_connection::leave() {
  has_ended_ = true;
  if (has_left_) return;
  has_left_ = true;
  error_code ignored;
  if (socket_.is_open()) socket_.cancel(ignored);  // a write that waits has nobody to wait for
  if (auto hook = std::exchange(leave_hook_, nullptr)) hook();
  room_.wake();
  arrived_.wake();
}

tcp::endpoint client_connection::peer() const {
  error_code ignored;
  return socket_.remote_endpoint(ignored);
}

}  // namespace photofinish::gateway
