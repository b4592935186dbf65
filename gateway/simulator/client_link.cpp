#include "gateway/simulator/client_link.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace photofinish::gateway::simulator {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// The maximum number of received bytes that wait for the session. Above this number, the link stops reading from the
// socket. The limit is larger than any request head. Bodies do not reach it, because the session consumes them as they
// arrive.
constexpr std::size_t most_input = 256 * 1024;

}  // namespace

client_link::client_link(asio::ip::tcp::socket socket)
    : socket_(std::move(socket)), timer_(socket_.get_executor()) {}

void client_link::start() {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);  // write() tries to write without waiting for the socket
  read_on();
}

void client_link::consume(std::size_t bytes) {
  input_.erase(0, bytes);
  read_on();
}

void client_link::read_on() {
  if (is_reading_ || is_gone_ || input_.size() >= most_input) return;
  is_reading_ = true;
  socket_.async_read_some(asio::buffer(scratch_), [this](error_code ec, std::size_t size) {
    is_reading_ = false;
    input_.append(scratch_.data(), size);
    if (ec) close();
    read_on();
    changed_.wake();  // must be the last statement, because the waiting coroutine may destroy this object
  });
}

void client_link::start_timer(instant when) {
  if (is_timing_) return;
  is_timing_ = true;
  timer_.expires_at(when);
  timer_.async_wait([this](error_code) {
    is_timing_ = false;
    changed_.wake();
  });
}

asio::awaitable<void> client_link::wait_input(std::size_t more_than) {
  while (!is_gone_ && input_.size() <= more_than) co_await changed_.wait();
}

asio::awaitable<void> client_link::wait_until(instant when) {
  while (!is_gone_ && std::chrono::steady_clock::now() < when) {
    start_timer(when);
    co_await changed_.wait();
  }
}

asio::awaitable<void> client_link::wait_gone() {
  while (!is_gone_) co_await changed_.wait();
}

asio::awaitable<void> client_link::write(std::string_view bytes) {
  if (is_gone_) co_return;
  // Tries to write directly. Usually the socket accepts all bytes immediately. In that case, no turn of the event loop
  // is needed.
  error_code ec;
  const std::size_t taken = socket_.write_some(asio::buffer(bytes), ec);
  if (ec == asio::error::would_block) ec.clear();
  if (!ec && taken < bytes.size())
    co_await asio::async_write(socket_, asio::buffer(bytes.substr(taken)),
                               asio::redirect_error(asio::use_awaitable, ec));
  if (ec) close();
}

void client_link::close() noexcept {
  is_gone_ = true;
  error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
}

void client_link::reset() noexcept {
  error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

asio::awaitable<void> client_link::end() {
  close();
  while (is_reading_ || is_timing_) co_await changed_.wait();
}

}  // namespace photofinish::gateway::simulator
