// The HTTP/2 connections of one worker, by origin. http2_rules and reset_budget make the decisions, and http2_origin
// carries them out for one origin. The sockets come from connection_pool, which does not distinguish streams.
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

// To end a pool, call stop(), co_await drained(), then destroy it. The connection_pool must outlive it.
class http2_pool {
 public:
  // All readers of this thread share `scratch`.
  http2_pool(network& net, connection_pool& sockets, std::span<char> scratch);
  http2_pool(const http2_pool&) = delete;
  http2_pool& operator=(const http2_pool&) = delete;
  ~http2_pool();

  // Requests a connection for the stream. After this call, co_await stream.claimed(). `to` must stay valid only during
  // the call.
  void claim(http2_stream& stream, const provider& to, const std::string& model, freshness wanted);

  // Returns the object that counts how many attempts of the model were cancelled. Callers must report the end of every
  // attempt of the model, both over HTTP/1.1 and over HTTP/2. All attempts of the model share the object.
  std::shared_ptr<cancel_share> share_of(const provider& at, const std::string& model);
  void must_use_http1(const provider& at);  // call this if the provider sent HTTP_1_1_REQUIRED

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
    std::string via;  // the proxy's route, as returned by route_of()
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
