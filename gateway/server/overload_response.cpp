#include "gateway/server/overload_response.hpp"

#include "proxy/loop/spawn.hpp"

#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

overload_response::overload_response(asio::ip::tcp::socket socket, proxy::alarms& alarms, std::span<char> scratch)
    : executor_(socket.get_executor()), client_(std::move(socket), alarms, scratch, half_close::tolerate) {}

asio::awaitable<void> overload_response::run(std::string_view answer) {
  proxy::spawn(executor_, "the reader of a client's connection", client_.read_ahead(),
               [this](const std::exception_ptr& bug) { reader_ended(bug); });
  has_reader_ = true;
  try {
    co_await send(answer);
  } catch (...) {
    proxy::report_bug("the response to a rejected client", std::current_exception());
  }
  client_.close();
  while (has_reader_) co_await reader_ended_.wait();
}

asio::awaitable<void> overload_response::send(std::string_view answer) {
  const bool is_sent = co_await client_.write(std::span(&answer, 1));
  if (is_sent) co_await client_.finish();
}

void overload_response::reader_ended(const std::exception_ptr& bug) {
  if (bug) {
    proxy::report_bug("the reader of a client's connection", bug);
    client_.abort();
  }
  has_reader_ = false;
  reader_ended_.wake();
}

}  // namespace photofinish::gateway
