// A request that waits for a connection, as the origin sees it at which it waits.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/pool/lease.hpp"
#include "proxy/pool/pool_rules.hpp"

namespace photofinish::proxy {

struct connection_wait {
  // Once, inline: a connection, or why there is none.
  virtual void deliver(result<lease> connection) = 0;

  freshness accepts = freshness::any;
  instant waits_since{};  // when nothing was warm for it

 protected:
  ~connection_wait() = default;
};

}  // namespace photofinish::proxy
