#include "proxy/upstream.hpp"

#include <utility>

namespace photofinish::proxy {

boost::asio::awaitable<result<stream_event>> upstream::next_event() {
  auto event = poll_event();
  while (!event) {
    co_await readable();
    event = read_event();
  }
  co_return std::move(*event);
}

}  // namespace photofinish::proxy
