#include "gateway/server/overload_response.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <span>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

overload_response::overload_response(asio::ip::tcp::socket socket, proxy::alarms& alarms, std::span<char> scratch)
    : executor_(socket.get_executor()), client_(std::move(socket), alarms, scratch, half_close::tolerate) {}

asio::awaitable<void> overload_response::run(std::string_view answer) {
  asio::co_spawn(executor_, client_.read_ahead(), [this](std::exception_ptr) {
    has_reader_ended_ = true;
    reader_ended_.wake();
  });
  const bool is_sent = co_await client_.write(std::span(&answer, 1));
  if (is_sent) co_await client_.finish();
  client_.close();
  while (!has_reader_ended_) co_await reader_ended_.wait();
}

}  // namespace photofinish::gateway
