// Sends one request to a provider that may support HTTP/2, and reads the response. The request uses a stream of a
// shared connection. It uses HTTP/1.1 if the provider does not support HTTP/2, or if too many attempts at this provider
// are cancelled.
#pragma once

#include "proxy/http/exchange.hpp"
#include "proxy/http/http1_exchange.hpp"
#include "proxy/http2/http2_pool.hpp"
#include "proxy/http2/http2_stream.hpp"
#include "proxy/providers/provider.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace photofinish::proxy {

class http2_exchange final : public exchange {
 public:
  // `model` is the key under which cancelled attempts are counted. All references must outlive the exchange.
  http2_exchange(http2_pool& pool, connection_pool& sockets, const provider& provider, std::string model,
                 std::span<char> scratch);
  ~http2_exchange() override { cancel(); }

  boost::asio::awaitable<result<response_head>> start(const request_head& head,
                                                      std::span<const std::string_view> body) override;
  boost::asio::awaitable<void> readable() override;
  std::optional<result<std::string_view>> read() override;
  std::string_view poll() override;
  bool has_body_here() const override;
  // An HTTP/2 stream stores its bytes in a buffer of its own, so only HTTP/1.1 must copy them.
  std::size_t keep_unread() override { return http1_ ? http1_->keep_unread() : 0; }
  bool is_taken() const override;
  connection_used connection() const override;
  std::optional<instant> first_byte_at() const override;
  void read_little(bool is_little) noexcept override {
    if (http1_) http1_->read_little(is_little);
  }
  void cancel() noexcept override;

 private:
  boost::asio::awaitable<result<response_head>> start_http1(const request_head& head,
                                                            std::span<const std::string_view> body);
  bool may_repeat() const;
  void note_end();

  http2_pool& pool_;
  connection_pool& sockets_;
  const provider& provider_;
  std::string model_;
  // This is a shared pointer, because the http2_origin may be removed before the last bytes are read.
  std::shared_ptr<cancel_share> share_;
  std::span<char> scratch_;
  std::optional<http2_stream> stream_;
  std::unique_ptr<http1_exchange> http1_;  // the HTTP/1.1 exchange, if HTTP/2 is not used
  bool is_under_way_ = false;              // true from the request's start until the attempt's end is counted
  bool is_cancelled_ = false;
};

}  // namespace photofinish::proxy
