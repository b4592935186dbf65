#include "proxy/http/exchange.hpp"

#include <utility>

namespace photofinish::proxy {

boost::asio::awaitable<result<std::string_view>> exchange::read_body() {
  while (true) {
    co_await readable();
    if (auto bytes = try_read_body()) co_return std::move(*bytes);
  }
}

}  // namespace photofinish::proxy
