// The interface through which the pool delivers a connection to a waiting request.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/pool/lease.hpp"
#include "proxy/pool/pool_rules.hpp"

namespace photofinish::proxy {

struct connection_wait {
  // The pool calls this function once, directly, with a connection or with the reason why there is none.
  virtual void deliver(result<lease> connection) = 0;

  freshness accepts = freshness::any;
  instant waits_since{};  // when the request began to wait; set if no open connection was free

 protected:
  ~connection_wait() = default;
};

}  // namespace photofinish::proxy
