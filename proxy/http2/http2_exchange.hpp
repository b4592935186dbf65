// Sends one request and reads its response, at a provider that may support HTTP/2. Uses a stream of a shared
// connection. Uses HTTP/1.1 if the provider supports nothing else, or if too many attempts there are cancelled.
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
  // The cancelled attempts of one `model` are counted together. All references must outlive the exchange.
  http2_exchange(http2_pool& pool, connection_pool& sockets, const provider& provider, std::string model,
                 std::span<char> scratch);
  ~http2_exchange() override { cancel(); }

  boost::asio::awaitable<result<response_head>> start(const request_head& head,
                                                      std::span<const std::string_view> body) override;
  boost::asio::awaitable<void> readable() override;
  std::optional<result<std::string_view>> read() override;
  std::string_view poll() override;
  bool has_body_here() const override;
  // Nothing needs to be kept for a stream, because it stores its bytes in a buffer of its own.
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
  // This object is shared, because the origin may be removed before the last bytes are read.
  std::shared_ptr<cancel_share> share_;
  std::span<char> scratch_;
  std::optional<http2_stream> stream_;
  std::unique_ptr<http1_exchange> http1_;  // the HTTP/1.1 exchange, if HTTP/2 is not used
  bool is_under_way_ = false;              // the request was sent, and its end is not counted yet
  bool is_cancelled_ = false;
};

}  // namespace photofinish::proxy
