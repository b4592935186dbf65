// Lets a coroutine wait for the next turn of the event loop. Everything that is ready runs first, including alarms that
// are due.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace photofinish::proxy {

// Waits for the next turn of the event loop. The reactor of the loop, which polls sockets and timers, waits in the same
// queue as the coroutines. Therefore the reactor runs between two turns of a coroutine, and so do all handlers that it
// has found ready.
inline boost::asio::awaitable<void> next_turn(const boost::asio::any_io_executor& loop) {
  return boost::asio::post(loop, boost::asio::use_awaitable);
}

}  // namespace photofinish::proxy
