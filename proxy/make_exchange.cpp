#include "proxy/make_exchange.hpp"

#include "proxy/http/http1_exchange.hpp"
#include "proxy/http2/http2_exchange.hpp"

namespace photofinish::proxy {

std::unique_ptr<exchange> make_exchange(outbound& over, const provider& to, const std::string& model) {
  const bool may_be_http2 = to.http2 == http2_use::on || (to.http2 == http2_use::automatic && to.url.is_tls);
  if (!may_be_http2) return std::make_unique<http1_exchange>(over.pool(), to, over.scratch());
  return std::make_unique<http2_exchange>(over.http2(), over.pool(), to, model, over.scratch());
}

}  // namespace photofinish::proxy
