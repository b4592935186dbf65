#include "gateway/relay/answer_source.hpp"

#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

asio::awaitable<proxy::result<proxy::stream_event>> answer_source::next() {
  auto event = poll();
  while (!event) {
    co_await readable();
    event = read();
  }
  co_return std::move(*event);
}

}  // namespace photofinish::gateway
