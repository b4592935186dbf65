// Sends one request and reads its response over HTTP/1.1, on a connection of the pool. Bytes are read into the worker's
// scratch buffer and decoded in place. If an element is incomplete, its bytes are copied and parsed together with the
// next read.
#pragma once

#include "proxy/http/exchange.hpp"
#include "proxy/http/http1_response.hpp"
#include "proxy/pool/connection_pool.hpp"
#include "proxy/providers/provider.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace photofinish::proxy {

class http1_exchange final : public exchange {
 public:
  // All streams of the thread share `scratch`. 64 bytes after its end are readable.
  http1_exchange(connection_pool& pool, const provider& provider, std::span<char> scratch);

  // Uses the given connection, which was opened for this request, instead of a connection from the pool. Call this
  // function before start().
  void begin_on(lease ready) { ready_ = std::make_unique<lease>(std::move(ready)); }

  boost::asio::awaitable<result<response_head>> start(const request_head& head,
                                                      std::span<const std::string_view> body) override;
  boost::asio::awaitable<void> readable() override;
  std::optional<result<std::string_view>> read() override;
  std::string_view poll() override { return response_.next_span().value_or(std::string_view{}); }
  bool has_body_here() const override { return response_.has_span(); }
  std::size_t keep_unread() override { return response_.keep_unread(); }
  bool is_taken() const override { return response_.is_complete() && !response_.has_span(); }
  void read_little(bool is_little) noexcept override { is_reading_little_ = is_little; }
  void cancel() noexcept override;

  connection_used connection() const override { return connection_; }
  std::optional<instant> first_byte_at() const override { return first_byte_at_; }

 private:
  std::optional<result<void>> try_connect(freshness wanted);
  boost::asio::awaitable<result<void>> await_connection();
  result<void> hold(result<lease> taken);
  boost::asio::awaitable<result<response_head>> ask(const request_head& head, std::span<const std::string_view> body);
  result<void> read_head();
  result<void> read_more();
  std::span<char> room_to_read() const;
  void finish();

  // These members are first in the object because each read needs them. They then share as few cache lines as possible.
  std::span<char> scratch_;
  http1_response response_;
  std::optional<lease> lease_;
  bool is_cancelled_ = false;
  bool is_sent_ = false;  // true after the last byte of the request was sent
  bool is_reading_little_ = true;
  connection_used connection_ = connection_used::none;
  std::optional<instant> first_byte_at_;
  connection_pool& pool_;
  const provider& provider_;
  std::optional<connection_request> request_;  // the request for a connection; set while the exchange waits
  std::unique_ptr<lease> ready_;
};

}  // namespace photofinish::proxy
