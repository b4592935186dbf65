// An awaitable that is already complete.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace photofinish::proxy {

inline boost::asio::awaitable<void> at_once() { co_return; }

}  // namespace photofinish::proxy
