#include "proxy/http2/http2_pool.hpp"

#include "proxy/failures/network_failures.hpp"

#include <cassert>

namespace photofinish::proxy {

http2_pool::http2_pool(network& net, connection_pool& sockets, std::span<char> scratch)
    : net_(net), sockets_(sockets), scratch_(scratch), origins_(net, "the maintenance of HTTP/2 connections") {}

http2_pool::~http2_pool() {
  stop();
  assert(origins_.is_drained());
}

http2_pool::origin_key http2_pool::key_of(const provider& of) {
  return {of.url.host, of.url.port, of.url.is_tls, of.ca_file, of.http2, route_of(of.via)};
}

http2_origin& http2_pool::origin_of(const provider& to) {
  auto& origin = origins_[key_of(to)];
  if (!origin)
    origin = std::make_unique<http2_origin>(net_, [this] { origins_.balance_soon(); }, sockets_, to, scratch_);
  return *origin;
}

void http2_pool::claim(http2_stream& stream, const provider& to, const std::string& model, freshness wanted) {
  if (origins_.is_stopped()) return stream.break_off(cancelled_failure());
  origin_of(to).serve(stream, to, model, wanted);
}

std::shared_ptr<cancel_share> http2_pool::share_of(const provider& at, const std::string& model) {
  return origin_of(at).share_of(model);
}

void http2_pool::must_use_http1(const provider& at) { origin_of(at).must_use_http1(); }

}  // namespace photofinish::proxy
