#include "proxy/http/exchange.hpp"

#include <utility>

namespace photofinish::proxy {

boost::asio::awaitable<result<std::string_view>> exchange::next() {
  while (true) {
    co_await readable();
    if (auto bytes = read()) co_return std::move(*bytes);
  }
}

}  // namespace photofinish::proxy
