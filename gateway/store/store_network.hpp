// Holds the objects that all connections of one thread to the store share. Before you destroy this object, call stop()
// and run the event loop until it is idle.
#pragma once

#include "proxy/loop/timer_alarms.hpp"
#include "proxy/net/name_cache.hpp"
#include "proxy/net/network.hpp"
#include "proxy/net/tls_context.hpp"

#include <boost/asio/io_context.hpp>

namespace photofinish::gateway {

class store_network {
 public:
  explicit store_network(boost::asio::io_context& loop)
      : clock_(loop), names_(loop, clock_), parts_{loop, clock_, names_, tls_} {}

  proxy::network& parts() { return parts_; }
  void stop() {
    names_.stop();
    clock_.stop();
  }

 private:
  proxy::timer_alarms clock_;
  proxy::name_cache names_;
  proxy::tls_contexts tls_;
  proxy::network parts_;
};

}  // namespace photofinish::gateway
