#include "gateway/farewell.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <span>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

farewell::farewell(asio::ip::tcp::socket socket, services& worker)
    : worker_(worker),
      client_(std::move(socket), worker.alarms, worker.outbound.scratch(), half_close::tolerate) {}

asio::awaitable<void> farewell::run(std::string_view answer) {
  asio::co_spawn(worker_.executor, client_.read_ahead(), [this](std::exception_ptr) {
    has_reader_ended_ = true;
    reader_ended_.wake();
  });
  const bool is_sent = co_await client_.write(std::span(&answer, 1));
  if (is_sent) co_await client_.finish();
  client_.close();
  while (!has_reader_ended_) co_await reader_ended_.wait();
}

}  // namespace photofinish::gateway
