// What everything on one worker that speaks to the network shares. References: the worker owns all of it.
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
