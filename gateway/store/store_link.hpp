// Implements one connection to the store, with sign-in and loaded scripts. It sends all commands of a call together.
// The replies arrive in the same order.
#pragma once

#include "gateway/store/redis_url.hpp"
#include "gateway/store/store_reply.hpp"
#include "gateway/store/store_scripts.hpp"
#include "gateway/store/store_trouble.hpp"
#include "proxy/net/byte_stream.hpp"
#include "proxy/net/dial.hpp"
#include "proxy/net/network.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// A connection to the store. It performs one call at a time. After an error, it cannot be used again.
class store_link {
 public:
  using replies = std::vector<store_reply>;  // the replies, one per command
  using answer = std::variant<replies, store_trouble>;

  // `net` and `tls` must outlive this object. If `tls` is null, the connection does not use TLS. `timeout` is the time
  // limit of each exchange of commands and replies. The limit for connecting is five times as long.
  store_link(proxy::network& net, proxy::tls_context* tls, std::chrono::milliseconds timeout);

  // Opens the connection and signs in. If `must_be_primary` is true, a replica causes an error.
  boost::asio::awaitable<std::optional<store_trouble>> open(redis_place place, bool must_be_primary = false);
  // Connects without sending a command. This is the first half of open().
  boost::asio::awaitable<std::optional<store_trouble>> connect(redis_place place);
  // Sends commands to the store. Completes when the replies to all commands have arrived.
  boost::asio::awaitable<answer> exchange(const std::vector<store_command>& commands);
  const script_names& scripts() const { return scripts_; }  // the names of the loaded scripts; valid after open()

  // Ends the current call with an error. May be called at any time, and more than once.
  void cancel() noexcept;

 private:
  boost::asio::awaitable<answer> talk(const std::vector<store_command>& commands);
  boost::asio::awaitable<std::optional<store_trouble>> greet(const redis_place& place, bool must_be_primary);
  store_trouble broken(const proxy::failure& why) const;

  proxy::network& net_;
  proxy::tls_context* tls_;
  const std::chrono::milliseconds timeout_;
  proxy::alarm limit_;
  std::unique_ptr<proxy::dial> dial_;  // the current attempt to connect; null at any other time
  std::optional<proxy::byte_stream> stream_;
  reply_reader reader_;
  script_names scripts_;
  bool is_asked_ = false, is_late_ = false, is_cancelled_ = false;
};

}  // namespace photofinish::gateway
