// References to the objects that all network code of one worker shares. The worker owns these objects.
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/net/name_cache.hpp"
#include "proxy/net/tls_context.hpp"

#include <boost/asio/io_context.hpp>

namespace photofinish::proxy {

struct network {
  boost::asio::io_context& loop;
  alarms& clock;
  name_cache& names;
  tls_contexts& tls;
};

}  // namespace photofinish::proxy
