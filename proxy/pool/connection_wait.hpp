// A request that waits for a connection, as its origin sees it.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/pool/lease.hpp"
#include "proxy/pool/pool_rules.hpp"

namespace photofinish::proxy {

struct connection_wait {
  // The pool calls this once, inline, with a connection or with the reason why there is none.
  virtual void deliver(result<lease> connection) = 0;

  freshness accepts = freshness::any;
  instant waits_since{};  // set if no warm connection was available for the request

 protected:
  ~connection_wait() = default;
};

}  // namespace photofinish::proxy
