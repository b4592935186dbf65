// The HTTP/2 connections of one worker, by origin. http2_rules and reset_budget decide, http2_origin does it for one
// origin; sockets come from the connection_pool, which knows nothing of streams.
#pragma once

#include "proxy/http2/http2_origin.hpp"
#include "proxy/http2/http2_stream.hpp"
#include "proxy/net/network.hpp"
#include "proxy/pool/connection_pool.hpp"
#include "proxy/pool/origin_map.hpp"
#include "proxy/providers/provider.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <span>
#include <string>

namespace photofinish::proxy {

// To end it: stop(), co_await drained(), destroy. The connection_pool outlives it.
class http2_pool {
 public:
  // `scratch` is shared by all that read on this thread.
  http2_pool(network& net, connection_pool& sockets, std::span<char> scratch);
  http2_pool(const http2_pool&) = delete;
  http2_pool& operator=(const http2_pool&) = delete;
  ~http2_pool();

  // Then co_await stream.claimed(). `to` is borrowed for the call.
  void claim(http2_stream& stream, const provider& to, const std::string& model, freshness wanted);

  // Notified how each attempt of that model ended, over whichever HTTP. Shared with attempts that are under way.
  std::shared_ptr<cancel_share> share_of(const provider& at, const std::string& model);
  void must_use_http1(const provider& at);  // it said so: HTTP_1_1_REQUIRED

  void stop() noexcept { origins_.stop(); }
  boost::asio::awaitable<void> drained() { return origins_.drained(); }

  boost::asio::io_context& loop() { return net_.loop; }
  instant now() const { return net_.clock.now(); }

 private:
  struct origin_key {
    std::string host;
    std::uint16_t port;
    bool is_tls;
    std::string ca_file;
    http2_use use;
    std::string via;  // route_of() its proxy
    auto operator<=>(const origin_key&) const = default;
  };
  static origin_key key_of(const provider& of);

  http2_origin& origin_of(const provider& to);

  network& net_;
  connection_pool& sockets_;
  std::span<char> scratch_;
  origin_map<origin_key, http2_origin> origins_;
};

}  // namespace photofinish::proxy
